import { Type } from '@sinclair/typebox';
import { choice, documentReader, integer, list, record, toInt32 } from '../report';

const MAX_PREPARATION_REPORT_BYTES = 256 * 1024;
const MAX_IMAGES = 64;
/** Longer than paths of disks and names of images. Both are kept for each host. */
const MAX_NAME_CHARACTERS = 1_024;
const name = Type.String({ maxLength: MAX_NAME_CHARACTERS });

export const DISK_SPEED_STEP_TYPE = 'installation-disk-speed-check';

/** A failed test is also a report, with its exit code as result. */
export const diskSpeedReader = documentReader({
  stepType: DISK_SPEED_STEP_TYPE,
  maxBytes: MAX_PREPARATION_REPORT_BYTES,
  name: 'disk speed report',
  schema: record({ path: name, io_sync_duration: integer }),
  toReport: ({ path, io_sync_duration }, { exitCode, generation }) =>
    path
      ? {
          event: {
            type: 'DiskSpeedMeasured',
            data: { path, ioSyncDurationMs: toInt32(io_sync_duration), exitCode, generation },
          },
        }
      : { path: 'disk speed report.path', reason: 'must be the path of the tested disk' },
});

export const imagesReader = documentReader({
  stepType: 'container-image-availability',
  maxBytes: MAX_PREPARATION_REPORT_BYTES,
  name: 'image report',
  schema: record({
    images: list(
      record({
        name,
        size_bytes: integer,
        time: Type.Number(),
        download_rate: Type.Number(),
        result: choice('success', 'failure'),
      }),
      MAX_IMAGES,
    ),
  }),
  toReport: ({ images = [] }, { generation }) => ({
    event: {
      type: 'ImageAvailabilityReported',
      data: {
        // The last result of each image: two would be two entries of the event log, and a failure would outlive a success.
        images: [...new Map(images.map((image) => [image.name ?? '', image]))].map(([imageName, image]) => ({
          name: imageName,
          sizeBytes: image.size_bytes ?? 0,
          seconds: image.time ?? 0,
          downloadRateMbps: image.download_rate ?? 0,
          result: image.result ?? 'failure',
        })),
        generation,
      },
    },
  }),
});
