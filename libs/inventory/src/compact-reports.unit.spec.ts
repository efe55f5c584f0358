import { type InventoryEvent, isEventOf } from '@muster/contracts';
import { hostKey, inventoryReported, recorded, reportEvent, type SampleEvent } from '@muster/testing';
import { compactReports } from './compact-reports';

const KEY = hostKey(1);
const BODY = { digest: 'sha256:1', bytes: 1 };
const ntp = (generation = 1): SampleEvent => reportEvent(KEY, 'NtpSourcesReported', { sources: [], generation });
const inventory = (hardware: object = {}): SampleEvent => inventoryReported(KEY, hardware);
const connectivity = (hostIds: readonly string[], vanishedPeers: readonly string[] = []): SampleEvent =>
  reportEvent(KEY, 'ConnectivityReported', {
    body: BODY,
    vanishedPeers,
    peers: hostIds.map((hostId) => ({ hostId, nearAddresses: [], farAddresses: [] })),
  });

const events = (...samples: readonly SampleEvent[]): readonly InventoryEvent[] =>
  recorded(samples).filter((event) => isEventOf('inventory', event));
/** The index of each event of which something is kept. */
const keptOf = (all: readonly InventoryEvent[], count = all.length): readonly number[] =>
  compactReports(all, count).flatMap((data, index) => (data ? [index] : []));

describe('compacted reports', () => {
  it('are those that a later report of their type replaces', () => {
    expect(keptOf(events(ntp(), reportEvent(KEY, 'DomainsResolved', {}), ntp(), ntp()))).toEqual([1, 3]);
  });

  it('are none after the given count', () => {
    expect(keptOf(events(ntp(), ntp(), ntp()), 1)).toEqual([1, 2]);
  });

  it('are compared within a generation, up to a discarded report', () => {
    const cleared = reportEvent(KEY, 'ReportCleared', { stepType: 'ntp-synchronizer' });
    expect(keptOf(events(ntp(1), ntp(2), cleared, ntp(2)))).toEqual([0, 1, 2, 3]);
  });

  it('are found in a time that is proportional to the events when a step fails again and again', () => {
    const failed = reportEvent(KEY, 'StepFailed', { stepType: 'ntp-synchronizer' });
    const all = events(...Array.from({ length: 500 }, () => [ntp(), ntp(), failed]).flat());
    let reads = 0;
    const counted = all.map((event) => ({
      ...event,
      get type() {
        reads += 1;
        return event.type;
      },
    }));
    expect(keptOf(counted as readonly InventoryEvent[])).toHaveLength(1_000);
    expect(reads).toBeLessThan(20 * all.length);
  });

  it('do not contain the last Ignition config that the host downloaded, which a failed download leaves valid', () => {
    const download = (isSuccess: boolean): SampleEvent =>
      reportEvent(KEY, 'ApiVipConnectivityReported', { isSuccess, body: BODY, networking: isSuccess ? 'managed' : '' });
    expect(keptOf(events(download(true), download(false), download(true), download(false), download(false)))).toEqual([
      2, 4,
    ]);
    expect(keptOf(events(download(false), download(true), download(true)))).toEqual([2]);
  });

  it('do not contain the first inventory, and no inventory whose name or size differs from the one before', () => {
    const all = events(
      inventory({ hostname: 'a' }),
      inventory({ hostname: 'a', routes: [] }),
      inventory({ hostname: 'b' }),
      inventory({ hostname: 'b', routes: [] }),
      inventory({ hostname: 'b' }),
    );
    expect(keptOf(all)).toEqual([0, 2, 4]);
  });

  it('do not contain an inventory with other disks to format, which the event log shows when the installation starts', () => {
    const disk = { id: 'a', name: 'sda', driveType: 'SSD', sizeBytes: 1 };
    const [bootable, wiped] = [true, false].map((isBootable) => ({ disks: [{ ...disk, bootable: isBootable }] }));
    const all = events(inventory(bootable), inventory(wiped), inventory({ ...wiped, routes: [] }), inventory(wiped));
    expect(keptOf(all)).toEqual([0, 1, 3]);
  });

  it.each([
    ['number of physical network cards', { physicalNicCount: 2 }, { physicalNicCount: 3 }],
    ['vendor', { hasVendor: true, manufacturer: 'Dell' }, { hasVendor: true, manufacturer: 'HPE' }],
    ['product', { hasVendor: true, productName: 'R640' }, { hasVendor: true, productName: 'R650' }],
    ['readable vendor', { hasVendor: false }, { hasVendor: true }],
  ])('do not contain an inventory with another %s, which entries of the category metrics show', (_, first, second) => {
    const unchanged = inventory({ ...second, routes: [] });
    expect(keptOf(events(inventory(first), inventory(second), unchanged, inventory(second)))).toEqual([0, 1, 3]);
  });

  it('do not contain measured disks and checked images, because metrics count each of them', () => {
    const disk = reportEvent(KEY, 'DiskSpeedMeasured', { path: '/dev/sda' });
    const image = reportEvent(KEY, 'ImageAvailabilityReported', { images: [] });
    expect(keptOf(events(disk, disk, image, image))).toEqual([0, 1, 2, 3]);
  });

  it('keep connections that no later report contains, without the document', () => {
    const all = events(connectivity(['a', 'b'], ['c']), connectivity(['a']), connectivity(['a'], ['b']));
    expect(compactReports(all, all.length)).toEqual([
      { ...all[0]?.data, body: undefined, peers: [], vanishedPeers: ['c'] },
      undefined,
      all[2]?.data,
    ]);
  });
});
