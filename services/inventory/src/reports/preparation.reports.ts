import { integer, list, number, object, oneOf, ShapeError, text } from '../shapes/shape';
import { parseOutput, toInt32 } from './parse-output';
import type { ReportReader } from './report';

const MAX_PREPARATION_REPORT_BYTES = 256 * 1024;
const MAX_IMAGES = 64;

const diskSpeedShape = object({ path: text, io_sync_duration: integer });
const imagesShape = object({
  images: list(
    object({
      name: text,
      size_bytes: integer,
      time: number,
      download_rate: number,
      result: oneOf('success', 'failure'),
    }),
    MAX_IMAGES,
  ),
});

export const DISK_SPEED_STEP_TYPE = 'installation-disk-speed-check';

/** A failed test counts as well: its exit code is the result. */
export const diskSpeedReader: ReportReader = {
  stepType: DISK_SPEED_STEP_TYPE,
  maxBytes: MAX_PREPARATION_REPORT_BYTES,
  read: ({ output, exitCode, epoch }) => {
    const { path, io_sync_duration } = parseOutput(output, diskSpeedShape, 'disk speed report');
    if (!path) throw new ShapeError('disk speed report.path', 'the path of the tested disk', path);
    return {
      event: {
        type: 'DiskSpeedMeasured',
        data: { path, ioSyncDurationMs: toInt32(io_sync_duration), exitCode, epoch },
      },
    };
  },
};

export const imagesReader: ReportReader = {
  stepType: 'container-image-availability',
  maxBytes: MAX_PREPARATION_REPORT_BYTES,
  read: ({ output, epoch }) => ({
    event: {
      type: 'ImageAvailabilityReported',
      data: {
        images: (parseOutput(output, imagesShape, 'image report').images ?? []).map((image) => ({
          name: image.name ?? '',
          sizeBytes: image.size_bytes ?? 0,
          seconds: image.time ?? 0,
          downloadRateMbps: image.download_rate ?? 0,
          result: image.result ?? 'failure',
        })),
        epoch,
      },
    },
  }),
};
