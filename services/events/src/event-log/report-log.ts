import type { InventoryEvent } from '@muster/contracts';
import { DEFAULT_REQUIREMENTS } from '@muster/validation-rules';
import type { HostSubject, LogRows } from './log-entry';

const DISK_SPEED_MS_MAX = DEFAULT_REQUIREMENTS.standard.master.installationDiskSpeedMsMax;

/** What hosts report that people should know. */
export const REPORT_LOG: LogRows<InventoryEvent, HostSubject> = {
  DiskSpeedMeasured: ({ path, ioSyncDurationMs, exitCode }, { name }) =>
    exitCode !== 0 || ioSyncDurationMs <= DISK_SPEED_MS_MAX
      ? []
      : [
          {
            name: 'disk_speed_slower_than_supported',
            severity: 'warning',
            message:
              `Disk ${path} of host ${name} takes ${ioSyncDurationMs} ms to flush a write, ` +
              `more than the supported ${DISK_SPEED_MS_MAX} ms; etcd may become slow or unstable on it.`,
            props: { host_name: name, host_disk: path, fdatasync_duration: ioSyncDurationMs },
          },
        ],
  ImageAvailabilityReported: ({ images }, { before, name }) => {
    const known = new Set(
      (JSON.parse(before?.images_status ?? '[]') as readonly { readonly name: string }[]).map((image) => image.name),
    );
    return images
      .filter((image) => !known.has(image.name))
      .map((image) => ({
        name: 'image_status_updated',
        severity: 'info',
        message:
          image.result === 'success'
            ? `Host ${name} pulled image ${image.name} in ${image.seconds} s.`
            : `Host ${name} could not pull image ${image.name}.`,
        props: {
          host_name: name,
          image_status: image.name,
          result: image.result,
          info: `${image.sizeBytes} bytes, ${image.downloadRateMbps} MBps`,
        },
      }));
  },
};
