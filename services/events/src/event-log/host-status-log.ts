import type { EventSeverity } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { HostSubject, LogEntry } from './log-entry';

/** Statuses that people should look at; all others are told as information. */
const SEVERITY_OF_STATUS: { readonly [status: string]: EventSeverity } = {
  error: 'error',
  disconnected: 'warning',
  insufficient: 'warning',
  'installing-pending-user-action': 'warning',
};

export function hostStatusLog(
  { status, from, statusInfo }: EventData<'HostEnteredStatus'>,
  { name, host }: HostSubject,
): readonly LogEntry[] {
  const severity = SEVERITY_OF_STATUS[status] ?? 'info';
  const props = { host_name: name };
  const entries: LogEntry[] = [
    {
      name: 'host_status_updated',
      severity,
      message: `Host ${name} went from "${from}" to "${status}": ${statusInfo}`,
      props: { ...props, severity, src_status: from, new_status: status, info: statusInfo },
    },
  ];
  if (status === 'cancelled')
    entries.push({
      name: 'host_installation_cancelled',
      severity: 'info',
      message: `Installation of host ${name} was cancelled.`,
      props,
    });
  if (status === 'resetting-pending-user-action')
    entries.push({
      name: 'user_required_complete_installation_reset',
      severity: 'info',
      message: `Host ${name} has to be booted from the discovery image to complete the reset.`,
      props,
    });
  if (status === 'installing' && host.kind === 'AddToExistingClusterHost')
    entries.push({
      name: 'host_installation_started',
      severity: 'info',
      message: `Installation of host ${name} begins.`,
      props,
    });
  if (status === 'installing') entries.push(...formattingLog(name, host));
  return entries;
}

/** Disks that would boot something else: each is emptied before the image is written, or spared because a person said so. */
function formattingLog(name: string, host: HostSubject['host']): readonly LogEntry[] {
  const spared = new Set(idsOf(host.skip_formatting_disks));
  return idsOf(host.disks_to_be_formatted).map((id): LogEntry => {
    const disk = host._disks?.find((known) => known.id === id)?.name ?? id;
    const props = { host_name: name, disk_name: disk, disk_id: id };
    return spared.has(id) || spared.has(disk) || spared.has(`/dev/${disk}`)
      ? {
          name: 'quick_disk_format_skipped',
          severity: 'info',
          message: `Disk ${disk} of host ${name} is left as it is; the host may boot from it instead of its installation disk.`,
          props,
        }
      : {
          name: 'quick_disk_format_performed',
          severity: 'info',
          message: `Disk ${disk} of host ${name} is emptied, so that the host does not boot from it.`,
          props,
        };
  });
}

const idsOf = (list: string | undefined): readonly string[] => (list ?? '').split(',').filter((id) => id !== '');
