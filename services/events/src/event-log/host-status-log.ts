import { type EventSeverity, hostOutcomeMessages } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { NO_REASON, renderHostStatus } from '@muster/domain';
import { describeStatus, type HostSubject, type LogEntry } from './log-entry';

/** Statuses whose entry is not `info`, as in assisted-service v2. */
const SEVERITY_OF_STATUS: { readonly [status: string]: EventSeverity } = {
  error: 'error',
  disconnected: 'warning',
  insufficient: 'warning',
  'installing-pending-user-action': 'warning',
};

export function hostStatusLog(
  { status, from, statusReason = NO_REASON }: EventData<'HostEnteredStatus'>,
  { name, host }: HostSubject,
): readonly LogEntry[] {
  const info = renderHostStatus(
    statusReason,
    hostOutcomeMessages(host._outcomes, Boolean(host.cluster_id)),
    host._identity_conflict,
  );
  const severity = SEVERITY_OF_STATUS[status] ?? 'info';
  const props = { host_name: name };
  const entries: LogEntry[] = [
    {
      name: 'host_status_updated',
      severity,
      message: `Host ${name}: ${describeStatus(from, status, info)}`,
      props: { ...props, severity, src_status: from, new_status: status, info },
    },
  ];
  if (status === 'cancelled')
    entries.push({
      name: 'host_installation_cancelled',
      severity: 'info',
      message: `The installation of host ${name} was cancelled.`,
      props,
    });
  if (status === 'resetting-pending-user-action')
    entries.push({
      name: 'user_required_complete_installation_reset',
      severity: 'info',
      message: `Boot host ${name} from the discovery image to complete the reset.`,
      props,
    });
  if (status === 'installing' && host.kind === 'AddToExistingClusterHost')
    entries.push({
      name: 'host_installation_started',
      severity: 'info',
      message: `The installation of host ${name} started.`,
      props,
    });
  if (status === 'installing') entries.push(...formattingLog(name, host));
  return entries;
}

/** Disks with another boot loader: each is quick-formatted before the image is written, unless a user excluded it. */
function formattingLog(name: string, host: HostSubject['host']): readonly LogEntry[] {
  const spared = new Set(idsOf(host.skip_formatting_disks));
  return idsOf(host.disks_to_be_formatted).map((id): LogEntry => {
    const disk = host._disks?.find((known) => known.id === id)?.name ?? id;
    const props = { host_name: name, disk_name: disk, disk_id: id };
    return spared.has(id) || spared.has(disk) || spared.has(`/dev/${disk}`)
      ? {
          name: 'quick_disk_format_skipped',
          severity: 'info',
          message: `Disk ${disk} of host ${name} is not formatted. The host may boot from it instead of its installation disk.`,
          props,
        }
      : {
          name: 'quick_disk_format_performed',
          severity: 'info',
          message: `Disk ${disk} of host ${name} is quick-formatted so that the host does not boot from it.`,
          props,
        };
  });
}

const idsOf = (list: string | undefined): readonly string[] => (list ?? '').split(',').filter((id) => id !== '');
