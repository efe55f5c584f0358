import { EVENT_CATEGORIES, EVENT_SEVERITIES } from '@muster/assisted-api';
import type { EventData, InventoryEvent } from '@muster/contracts';
import type { MachineLimits } from '../config';
import { formatBytes, formatSeconds, type HostSubject, type LogEntry, type LogRows, rounded } from './event-document';
import { membersIn } from '../views/report-view';

/** The limit for control plane hosts, because etcd depends on the latency of flushes. */
const diskSpeedMsMax = ({ requirements }: MachineLimits): number =>
  requirements.standard.master.installationDiskSpeedMsMax;

/** Reports of hosts that have entries in the event log. */
export const REPORT_LOG: LogRows<InventoryEvent, HostSubject> = {
  DiskSpeedMeasured: ({ path, ioSyncDurationMs, exitCode }, { name, limits }) =>
    exitCode !== 0 || ioSyncDurationMs <= diskSpeedMsMax(limits)
      ? []
      : [
          {
            name: 'disk_speed_slower_than_supported',
            severity: 'warning',
            message:
              `Disk ${path} of host ${name} takes ${rounded(ioSyncDurationMs)} ms to flush a write. ` +
              `The supported maximum is ${diskSpeedMsMax(limits)} ms. etcd may be slow or unstable on this disk.`,
            props: { host_name: name, host_disk: path, fdatasync_duration: ioSyncDurationMs },
          },
        ],
  ImageAvailabilityReported: ({ images }, { before, name }) => {
    const known = new Set(Object.keys(membersIn(before?.images_status)));
    return images
      .filter((image) => !known.has(image.name))
      .map((image) => ({
        name: 'image_status_updated',
        severity: 'info',
        message:
          image.result === 'success'
            ? `Host ${name}: image ${image.name} is available (pulled in ${formatSeconds(image.seconds)}).`
            : `Host ${name}: image ${image.name} cannot be pulled.`,
        props: {
          host_name: name,
          image_status: image.name,
          result: image.result,
          info: `${formatBytes(Number(image.sizeBytes))} at ${rounded(image.downloadRateMbps)} MB/s`,
        },
      }));
  },
};

/** Returns the entry of a note unchanged. `note.decider.ts` accepts only severities and categories of the v2 API. */
export function noteLog(data: EventData<'NoteRecorded'>): readonly LogEntry[] {
  return [
    {
      name: data.name,
      severity: EVENT_SEVERITIES.find((severity) => severity === data.severity) ?? 'info',
      category: EVENT_CATEGORIES.find((category) => category === data.category) ?? 'user',
      message: data.message,
      props: data.props,
    },
  ];
}
