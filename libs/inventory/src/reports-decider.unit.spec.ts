import type { InventoryEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import { type InventoryCommand, inventoryDecider, isPartial, type ReportedState } from './reports-decider';

const given = (...history: readonly InventoryEvent[]) =>
  givenEvents<ReportedState, InventoryCommand, InventoryEvent>(inventoryDecider, history);
const ntp = (sourceState: string, generation = 1): InventoryEvent => ({
  type: 'NtpSourcesReported',
  data: { sources: [{ sourceName: 'a', sourceState }], generation },
});
const clock = (offsetSeconds: number): InventoryEvent => ({
  type: 'ClockOffsetMeasured',
  data: { offsetSeconds, generation: 1 },
});
const speed = (path: string, exitCode = 0): InventoryEvent => ({
  type: 'DiskSpeedMeasured',
  data: { path, ioSyncDurationMs: 5, exitCode, generation: 1 },
});
const cleared = (stepType: string): InventoryEvent => ({ type: 'ReportCleared', data: { stepType, generation: 1 } });
const record = (event: InventoryEvent): InventoryCommand => ({ type: 'RecordReport', event });
const clear = (stepType: string, generation = 1): InventoryCommand => ({ type: 'ClearReport', stepType, generation });

describe('reports of a host', () => {
  it('are stored the first time, and again when they differ', () => {
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

  it('are stored again after the step failed, and a failure is stored once', () => {
    const failed: InventoryEvent = {
      type: 'StepFailed',
      data: { stepType: 'ntp-synchronizer', reason: 'chronyc is not installed', generation: 1 },
    };
    given(ntp('synced')).when(record(failed)).then([failed]);
    given(ntp('synced'), failed).when(record(failed)).then([]);
    given(ntp('synced'), failed)
      .when(record(ntp('synced')))
      .then([ntp('synced')]);
    given(ntp('synced'), failed, ntp('synced')).when(record(failed)).then([failed]);
  });

  it('are compared for a limited number of disks', () => {
    const speeds = Array.from({ length: 257 }, (_, index) => speed(`/dev/${index}`));
    const state = speeds.reduce(
      (known, event) => inventoryDecider.evolve(known, event),
      inventoryDecider.initialState(),
    );
    expect([...state.fingerprints.keys()]).toEqual(
      speeds.slice(1).map((_, index) => `installation-disk-speed-check:/dev/${index + 1}`),
    );
  });

  it('are stored again in a later generation, and ignored in an earlier one', () => {
    given(ntp('synced', 1))
      .when(record(ntp('synced', 2)))
      .then([ntp('synced', 2)]);
    given(ntp('synced', 2))
      .when(record(ntp('error', 1)))
      .then([]);
  });

  it('store a clock offset that has moved by 30 seconds', () => {
    // Another report began the generation.
    given(ntp('synced'))
      .when(record(clock(0)))
      .then([clock(0)]);
    given(clock(10))
      .when(record(clock(39)))
      .then([]);
    given(clock(10))
      .when(record(clock(40)))
      .then([clock(40)]);
    given(clock(10))
      .when(record(clock(-20)))
      .then([clock(-20)]);
  });

  it('are stored again when the image of the joined cluster was not read before', () => {
    const api = (changes: object = {}): InventoryEvent => ({
      type: 'ApiVipConnectivityReported',
      data: {
        isSuccess: true,
        body: { digest: 'sha256:1', bytes: 1 },
        generation: 1,
        diskEncryption: '',
        networking: '',
        ...changes,
      },
    });
    const withImage = api({ osImageUrl: 'quay.io/coreos:joined' });
    given(api()).when(record(api())).then([]);
    given(api()).when(record(withImage)).then([withImage]);
    given(api(), withImage).when(record(withImage)).then([]);
  });

  it('are stored for each disk', () => {
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

  it('can be cleared, so that an equal report is stored again', () => {
    const all = cleared('installation-disk-speed-check');
    given(speed('/dev/sda'), speed('/dev/sdb')).when(clear('installation-disk-speed-check')).then([all]);
    given(speed('/dev/sda'), all).when(clear('installation-disk-speed-check')).then([]);
    given(speed('/dev/sda'), all)
      .when(record(speed('/dev/sda')))
      .then([speed('/dev/sda')]);
    const failed: InventoryEvent = {
      type: 'StepFailed',
      data: { stepType: 'installation-disk-speed-check', reason: 'fio is not installed', generation: 1 },
    };
    // The result of the first disk is still in force.
    given(speed('/dev/sda', 1), failed).when(clear('installation-disk-speed-check')).then([all]);
    given(speed('/dev/sda', 1), failed, all).when(clear('installation-disk-speed-check')).then([]);
    given(ntp('synced')).when(clear('installation-disk-speed-check')).then([]);
    given(ntp('synced')).when(clear('ntp-synchronizer', 2)).then([]);
  });
});

describe('connectivity report about 1,000 hosts', () => {
  const PEERS = 1_000;
  const report: Extract<InventoryEvent, { type: 'ConnectivityReported' }> = {
    type: 'ConnectivityReported',
    data: {
      body: { digest: 'sha256:1', bytes: 1 },
      generation: 1,
      fingerprint: 'whole',
      peers: Array.from({ length: PEERS }, (_, n) => ({
        hostId: `e1e1e1e1-0000-4000-8000-${String(n).padStart(12, '0')}`,
        nearAddresses: [`10.0.${n >> 8}.${n & 255}`, `fd00:1234:5678:9abc::${n}`],
        farAddresses: [`10.0.${n >> 8}.${n & 255}`, `fd00:1234:5678:9abc::${n}`],
        latencyMs: 0.345,
        packetLossPercent: 0,
      })),
      vanishedPeers: [],
      collisions: [],
      mtuMeasured: true,
      mtuFailures: [],
    },
  };

  it('is stored as several events of at most 160 KiB', () => {
    expect(JSON.stringify(report).length).toBeGreaterThan(200_000);
    let state = inventoryDecider.initialState();
    const stored: InventoryEvent[] = [];
    do {
      const decision = inventoryDecider.decide(record(report), state);
      if (decision.kind === 'refused' || decision.events.length === 0) break;
      stored.push(...decision.events);
      state = decision.events.reduce(inventoryDecider.evolve, state);
    } while (isPartial(state));
    expect(stored.length).toBeGreaterThan(1);
    expect(Math.max(...stored.map((event) => JSON.stringify(event).length))).toBeLessThan(160 * 1024);
    expect(state.peers.size).toBe(PEERS);
    expect(inventoryDecider.decide(record(report), state)).toMatchObject({ events: [] });
  });
});
