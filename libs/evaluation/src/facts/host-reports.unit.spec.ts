import type { InventoryEvent } from '@muster/contracts';
import { evolveReports, NO_REPORTS } from './host-reports';

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
