import type { InventoryEvent } from '@muster/contracts';
import type { MachineLimits } from '../views/machine-limits';
import type { HostSubject, LogRows } from './log-entry';

/** etcd is what suffers, and it runs on the control plane. */
const diskSpeedMsMax = ({ requirements }: MachineLimits): number =>
  requirements.standard.master.installationDiskSpeedMsMax;

/** What hosts report that people should know. */
export const REPORT_LOG: LogRows<InventoryEvent, HostSubject> = {
  DiskSpeedMeasured: ({ path, ioSyncDurationMs, exitCode }, { name, limits }) =>
    exitCode !== 0 || ioSyncDurationMs <= diskSpeedMsMax(limits)
      ? []
      : [
          {
            name: 'disk_speed_slower_than_supported',
            severity: 'warning',
            message:
              `Disk ${path} of host ${name} takes ${ioSyncDurationMs} ms to flush a write, ` +
              `more than the supported ${diskSpeedMsMax(limits)} ms; etcd may become slow or unstable on it.`,
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
