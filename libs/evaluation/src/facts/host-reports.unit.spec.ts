import type { InventoryEvent } from '@muster/contracts';
import {
  CLUSTER_ID,
  clusterRegistered,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
} from '@muster/testing';
import { NO_HARDWARE, SERVICE_DEFAULTS } from '@muster/validation-rules';
import { FactsView } from './facts-view';
import { evolveReports, type HostReports, NO_REPORTS } from './host-reports';
import { toHostFacts } from './to-facts';

const speed = (index: number): InventoryEvent => ({
  type: 'DiskSpeedMeasured',
  data: { path: `/dev/${index}`, ioSyncDurationMs: 1, exitCode: 0, generation: 1 },
});
const image = (index: number): InventoryEvent => ({
  type: 'ImageAvailabilityReported',
  data: {
    images: [{ name: `image-${index}`, sizeBytes: 1, seconds: 1, downloadRateMbps: 1, result: 'success' }],
    generation: 1,
  },
});
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const reportOf = (type: InventoryEvent['type'], data: object): InventoryEvent =>
  ({ type, data: { ...data, generation: 1 } }) as unknown as InventoryEvent;
/** Values that a request for another report does not remove. */
const KEPT: ReadonlyMap<string, Partial<HostReports>> = new Map([
  ['api-vip-connectivity-check', { workerEncryption: 'tang', workerNetworking: 'managed' }],
]);

it('the last results of a limited number of disks and images are kept', () => {
  const events = upTo(258).flatMap((index) => [speed(index), image(index)]);
  const { diskSpeeds, images } = events.reduce(evolveReports, NO_REPORTS);
  const kept = upTo(256).map((index) => index + 2);
  expect(diskSpeeds.map(({ path }) => path)).toEqual(kept.map((index) => `/dev/${index}`));
  expect(images.map(({ name }) => name)).toEqual(kept.map((index) => `image-${index}`));
});

it('the failure of a step ends when its report is cleared, so that a new measurement is awaited without its text', () => {
  const failed = (stepType: string): InventoryEvent => ({
    type: 'StepFailed',
    data: { stepType, reason: 'fio is missing', generation: 1 },
  });
  const cleared: InventoryEvent = {
    type: 'ReportCleared',
    data: { stepType: 'installation-disk-speed-check', generation: 1 },
  };
  const events = [failed('installation-disk-speed-check'), failed('container-image-availability'), cleared];
  const { failedSteps } = events.reduce(evolveReports, NO_REPORTS);
  expect([...failedSteps.keys()]).toEqual(['container-image-availability']);
});

const PEER = { hostId: 'h', nearAddresses: [], farAddresses: [], latencyMs: 500, packetLossPercent: 1 };
/** One report of each step, and the values that it sets. */
const REPORTS: readonly (readonly [step: string, report: InventoryEvent, values: Partial<HostReports>])[] = [
  ['inventory', reportOf('InventoryReported', { hardware: NO_HARDWARE }), { hardware: NO_HARDWARE }],
  ['installation-disk-speed-check', speed(1), { diskSpeeds: [expect.objectContaining({ path: '/dev/1' })] }],
  ['container-image-availability', image(1), { images: [expect.objectContaining({ name: 'image-1' })] }],
  [
    'ntp-synchronizer',
    reportOf('NtpSourcesReported', { sources: [{ sourceName: 'ntp', sourceState: 'synced' }] }),
    { ntpSources: [{ sourceName: 'ntp', sourceState: 'synced' }] },
  ],
  [
    'verify-vips',
    reportOf('VipsVerified', { vips: [{ vip: '1.2.3.4', vipType: 'api', verification: 'failed' }] }),
    { vips: [{ vip: '1.2.3.4', vipType: 'api', verification: 'failed' }] },
  ],
  [
    'api-vip-connectivity-check',
    reportOf('ApiVipConnectivityReported', { isSuccess: true, diskEncryption: 'tang', networking: 'managed' }),
    { isIgnitionDownloaded: true },
  ],
  [
    'connectivity-check',
    reportOf('ConnectivityReported', {
      peers: [PEER],
      vanishedPeers: [],
      mtuMeasured: true,
      mtuFailures: [{ remoteAddress: '1.2.3.4', nic: 'ens3' }],
      collisions: [{ address: '1.2.3.5', macAddresses: [] }],
    }),
    {
      mtuFailures: [{ remoteAddress: '1.2.3.4', nic: 'ens3' }],
      reaches: new Map([['h', PEER]]),
      weakReaches: [PEER],
      collisions: [{ address: '1.2.3.5', macAddresses: [] }],
    } as unknown as Partial<HostReports>,
  ],
  [
    'domain-resolution',
    reportOf('DomainsResolved', { resolutions: [{ name: 'api' }] }),
    { resolutions: [{ name: 'api' }] } as unknown as Partial<HostReports>,
  ],
  ['tang-connectivity-check', reportOf('TangConnectivityReported', { isSuccess: false }), { isTangReached: false }],
  [
    'free-network-addresses',
    reportOf('FreeAddressesReported', { networks: [{ network: '1.2.3.0/24', ranges: ['1.2.3.9'] }] }),
    { freeAddresses: [expect.objectContaining({ network: '1.2.3.0/24', text: '1.2.3.9' })] },
  ],
];

describe('a report of the step', () => {
  const before = evolveReports(NO_REPORTS, speed(9));

  it.each(REPORTS)('%s sets its values, and a request for another one removes them', (stepType, report, values) => {
    const cleared: InventoryEvent = { type: 'ReportCleared', data: { stepType, generation: 1 } };
    const after = evolveReports(NO_REPORTS, report);
    expect(after).toEqual({ ...NO_REPORTS, ...KEPT.get(stepType), ...values });
    expect(evolveReports(after, cleared)).toEqual({ ...NO_REPORTS, ...KEPT.get(stepType) });
    if (stepType !== 'installation-disk-speed-check')
      expect(evolveReports(before, report).diskSpeeds).toBe(before.diskSpeeds);
  });

  it.each(REPORTS)('%s ends the failure of this step only', (stepType, report) => {
    const failed = [stepType, 'other-step'].map((step) => reportOf('StepFailed', { stepType: step, reason: 'no' }));
    const { failedSteps } = [...failed, report].reduce(evolveReports, NO_REPORTS);
    expect([...failedSteps]).toEqual([['other-step', 'no']]);
  });

  it('api-vip-connectivity-check keeps what an earlier download said about the workers', () => {
    const report = (isSuccess: boolean, diskEncryption: string, networking: string): InventoryEvent =>
      reportOf('ApiVipConnectivityReported', { isSuccess, diskEncryption, networking });
    const { isIgnitionDownloaded, ...after } = [report(true, 'tang', 'managed'), report(false, '', '')].reduce(
      evolveReports,
      NO_REPORTS,
    );
    expect(isIgnitionDownloaded).toBe(false);
    expect(after).toMatchObject({ workerEncryption: 'tang', workerNetworking: 'managed' });
  });

  it('container-image-availability replaces the result of an image, and the disk speed that of a disk', () => {
    const failed = reportOf('ImageAvailabilityReported', { images: [{ name: 'image-1', result: 'failure' }] });
    const slower = reportOf('DiskSpeedMeasured', { path: '/dev/1', ioSyncDurationMs: 90, exitCode: 0 });
    const { images, diskSpeeds } = [image(1), image(2), failed, speed(1), speed(2), slower].reduce(
      evolveReports,
      NO_REPORTS,
    );
    expect(images.map(({ name, result }) => [name, result])).toEqual([
      ['image-2', 'success'],
      ['image-1', 'failure'],
    ]);
    expect(diskSpeeds.map(({ path, ioSyncDurationMs }) => [path, ioSyncDurationMs])).toEqual([
      ['/dev/2', 1],
      ['/dev/1', 90],
    ]);
  });

  const connectivity = (peers: readonly object[], vanishedPeers: readonly string[] = []): InventoryEvent =>
    reportOf('ConnectivityReported', { peers, vanishedPeers, mtuMeasured: false, mtuFailures: [], collisions: [] });

  it('connectivity-check replaces and removes the connections to the hosts that it names', () => {
    const [first, second, third] = [
      { ...PEER, hostId: 'a' },
      { ...PEER, hostId: 'b' },
      { ...PEER, hostId: 'c' },
    ];
    const faster = { ...second, latencyMs: 1, packetLossPercent: 0 };
    const { reaches, weakReaches } = [connectivity([first, second]), connectivity([faster, third], ['a'])].reduce(
      evolveReports,
      NO_REPORTS,
    );
    expect([...(reaches ?? [])]).toEqual([
      ['b', faster],
      ['c', third],
    ]);
    expect(weakReaches).toEqual([third]);
    const { reaches: kept } = [connectivity([first, second]), connectivity([third])].reduce(evolveReports, NO_REPORTS);
    expect([...(kept?.keys() ?? [])]).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [10, 0, false],
    [10.1, 0, true],
    [500, 0, true],
    [1, 0.1, true],
    [1, 1, true],
  ])('connectivity-check with %d ms and a loss of %d %% has a weak connection: %s', (latencyMs, loss, isWeak) => {
    const peer = { ...PEER, latencyMs, packetLossPercent: loss };
    expect(evolveReports(NO_REPORTS, connectivity([peer])).weakReaches).toEqual(isWeak ? [peer] : []);
  });

  it('connectivity-check without a measurement has no MTU failures', () => {
    expect(evolveReports(NO_REPORTS, connectivity([])).mtuFailures).toBeUndefined();
  });
});

it('of slow and lossy connections, only those that exceed a limit for the role of the host are looked up', () => {
  const view = new FactsView();
  const numbers = upTo(100).map((index) => index + 1);
  const peers = numbers.slice(1).map((number) => ({
    hostId: hostKey(number).slice(37),
    latencyMs: number === 100 ? 2_000 : 500,
    packetLossPercent: number === 99 ? 11 : 5,
  }));
  for (const event of recorded([
    infraEnvRegistered(),
    clusterRegistered(),
    ...numbers.map((number) => hostRegistered(hostKey(number), { role: 'worker' })),
    inventoryReported(hostKey(1)),
    reportEvent(hostKey(1), 'ConnectivityReported', { peers }),
  ]))
    view.observe(event);
  const lookedUp = jest.spyOn(view, 'hostOfCluster');
  const [host, cluster] = [view.host(hostKey(1)), view.cluster(CLUSTER_ID)];
  expect(host && toHostFacts(host, view, SERVICE_DEFAULTS).weakPeers).toMatchObject([
    { role: 'worker', latencyMs: 500, packetLossPercent: 11 },
    { role: 'worker', latencyMs: 2_000, packetLossPercent: 5 },
  ]);
  expect(lookedUp.mock.calls).toEqual([99, 100].map((number) => [cluster, hostKey(number).slice(37)]));
});
