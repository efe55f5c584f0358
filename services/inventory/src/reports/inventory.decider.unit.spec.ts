import type { InventoryEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import { type InventoryCommand, inventoryDecider, type ReportedState } from './inventory.decider';

const given = (...history: readonly InventoryEvent[]) =>
  givenEvents<ReportedState, InventoryCommand, InventoryEvent>(inventoryDecider, history);
const ntp = (sourceState: string, epoch = 1): InventoryEvent => ({
  type: 'NtpSourcesReported',
  data: { sources: [{ sourceName: 'a', sourceState }], epoch },
});
const clock = (offsetSeconds: number): InventoryEvent => ({
  type: 'ClockOffsetMeasured',
  data: { offsetSeconds, epoch: 1 },
});
const speed = (path: string, exitCode = 0): InventoryEvent => ({
  type: 'DiskSpeedMeasured',
  data: { path, ioSyncDurationMs: 5, exitCode, epoch: 1 },
});
const cleared = (stepType: string): InventoryEvent => ({ type: 'ReportCleared', data: { stepType, epoch: 1 } });
const record = (event: InventoryEvent): InventoryCommand => ({ type: 'RecordReport', event });
const clear = (stepType: string, epoch = 1): InventoryCommand => ({ type: 'ClearReport', stepType, epoch });

describe('what a host reports', () => {
  it('is stored the first time, and again only when it says something else', () => {
    given()
      .when(record(ntp('synced')))
      .then([ntp('synced')]);
    given(ntp('synced'))
      .when(record(ntp('synced')))
      .then([]);
    given(ntp('synced'))
      .when(record(ntp('error')))
      .then([ntp('error')]);
    given(ntp('synced'), ntp('error'))
      .when(record(ntp('synced')))
      .then([ntp('synced')]);
  });

  it('counts anew in a later epoch, and not at all in an earlier one', () => {
    given(ntp('synced', 1))
      .when(record(ntp('synced', 2)))
      .then([ntp('synced', 2)]);
    given(ntp('synced', 2))
      .when(record(ntp('error', 1)))
      .then([]);
  });

  it('does not follow every tick of a clock', () => {
    given(clock(10))
      .when(record(clock(40)))
      .then([]);
    given(clock(10))
      .when(record(clock(41)))
      .then([clock(41)]);
    given(clock(10))
      .when(record(clock(-21)))
      .then([clock(-21)]);
  });

  it('is kept per disk', () => {
    given(speed('/dev/sda'))
      .when(record(speed('/dev/sdb')))
      .then([speed('/dev/sdb')]);
    given(speed('/dev/sda'), speed('/dev/sdb'))
      .when(record(speed('/dev/sda')))
      .then([]);
    given(speed('/dev/sda'))
      .when(record(speed('/dev/sda', 1)))
      .then([speed('/dev/sda', 1)]);
  });

  it('can be cleared, so that the same report counts again', () => {
    const all = cleared('installation-disk-speed-check');
    given(speed('/dev/sda'), speed('/dev/sdb')).when(clear('installation-disk-speed-check')).then([all]);
    given(speed('/dev/sda'), all).when(clear('installation-disk-speed-check')).then([]);
    given(speed('/dev/sda'), all)
      .when(record(speed('/dev/sda')))
      .then([speed('/dev/sda')]);
    given(ntp('synced')).when(clear('installation-disk-speed-check')).then([]);
    given(ntp('synced')).when(clear('ntp-synchronizer', 2)).then([]);
  });
});
