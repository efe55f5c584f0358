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
  if (status === 'installing' && host.kind === 'AddToExistingClusterHost')
    entries.push({
      name: 'host_installation_started',
      severity: 'info',
      message: `Installation of host ${name} begins.`,
      props,
    });
  return entries;
}
