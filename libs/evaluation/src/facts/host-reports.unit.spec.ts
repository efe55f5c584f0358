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
import { SERVICE_DEFAULTS } from '@muster/validation-rules';
import { FactsView } from './facts-view';
import { evolveReports, NO_REPORTS } from './host-reports';
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
