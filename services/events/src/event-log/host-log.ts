import { type EventSeverity, hostOutcomeMessages } from '@muster/assisted-api';
import type { EventData, HostEvent } from '@muster/contracts';
import { NO_REASON, renderHostStatus, type StatusReason } from '@muster/domain';
import {
  describeStatus,
  hostNameOf,
  type HostSubject,
  type LogEntry,
  type LogRows,
  setOrRemoved,
} from './event-document';

/** A JSON array of arguments. */
const NO_ARGUMENTS = '[]';

export function settingsLog({ changes }: EventData<'HostSettingsRevised'>, { name }: HostSubject): readonly LogEntry[] {
  const props = { host_name: name };
  const entries: LogEntry[] = [];
  const { ignitionConfigOverrides, installerArgs } = changes ?? {};
  if (installerArgs !== undefined)
    entries.push({
      name: 'host_installer_args_applied',
      severity: 'info',
      message: `The installer arguments of host ${name} were ${setOrRemoved(installerArgs === NO_ARGUMENTS ? '' : installerArgs)}.`,
      props,
    });
  if (ignitionConfigOverrides)
    entries.push({
      name: 'host_discovery_ignition_config_applied',
      severity: 'info',
      message: `The ignition override of host ${name} was ${setOrRemoved(ignitionConfigOverrides.digest)}.`,
      props,
    });
  return entries;
}

/** Statuses whose entry is not `info`, as in assisted-service v2. */
const SEVERITY_OF_STATUS: { readonly [status: string]: EventSeverity } = {
  error: 'error',
  disconnected: 'warning',
  insufficient: 'warning',
  'installing-pending-user-action': 'warning',
};

/** Whether the host only waits for its first results, so that the entry is not a warning. */
const isWaiting = (status: string, { failing, pending }: StatusReason): boolean =>
  status === 'insufficient' && failing.length === 0 && pending.length > 0;

export function hostStatusLog(
  { status, from, statusReason = NO_REASON }: EventData<'HostEnteredStatus'>,
  { name, host }: HostSubject,
): readonly LogEntry[] {
  const info = renderHostStatus(
    statusReason,
    hostOutcomeMessages(host._outcomes, Boolean(host.cluster_id)),
    host._identity_conflict,
  );
  const severity = isWaiting(status, statusReason) ? 'info' : (SEVERITY_OF_STATUS[status] ?? 'info');
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

/** Disks with another boot loader are quick-formatted before the image is written, unless a user excluded them. */
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

/** An entry about a host, with its name among the properties. */
export function aboutHost(
  { name: host }: HostSubject,
  name: string,
  severity: EventSeverity,
  message: string,
  props: LogEntry['props'] = {},
): readonly LogEntry[] {
  return [{ name, severity, message, props: { host_name: host, ...props } }];
}

export const HOST_LOG: LogRows<HostEvent, HostSubject> = {
  HostRegistered: (_data, host) =>
    aboutHost(host, 'host_registration_succeeded', 'info', `Host ${host.name}: successfully registered`),
  HostDeregistered: (_data, host) =>
    aboutHost(host, 'host_deregistered', 'info', `Host ${host.name} was deregistered.`),
  HostEnteredStatus: hostStatusLog,
  HostMediaDisconnected: (_data, host) =>
    aboutHost(
      host,
      'host_media_disconnected',
      'error',
      `Host ${host.name} cannot read its discovery image. Connect the virtual media and reboot the host.`,
    ),
  HostRoleSuggested: ({ role }, host) =>
    host.before?.suggested_role === role
      ? []
      : aboutHost(host, 'host_role_updated', 'info', `Host ${host.name} has the suggested role ${role}.`, {
          suggested_role: role,
        }),
  HostBootstrapChosen: (_data, host) =>
    aboutHost(host, 'host_bootstrap_set', 'info', `Host ${host.name} was selected as the bootstrap host.`),
  HostSettingsRevised: settingsLog,
  HostProgressed: progressLog,
  HostStageTimedOut: ({ stage, minutes }, host) =>
    aboutHost(
      host,
      'host_stage_timed_out',
      'warning',
      `Host ${host.name} has been in stage "${stage}" for more than the expected ${minutes} minutes.`,
      { stage, minutes },
    ),
  HostBound: (_data, host) =>
    aboutHost(host, 'host_bind_succeeded', 'info', `Host ${host.name} was bound to a cluster.`),
  HostUnbound: (_data, host) =>
    host.before
      ? aboutHost(
          { ...host, name: hostNameOf(host.before) },
          'host_unbind_succeeded',
          'info',
          `Host ${hostNameOf(host.before)} was unbound from its cluster.`,
        )
      : [],
  HostReset: (_data, host) =>
    aboutHost(host, 'host_installation_reset', 'info', `The installation of host ${host.name} was reset.`),
  HostLogsCollected: (_data, host) =>
    aboutHost(host, 'host_logs_uploaded', 'info', `The logs of host ${host.name} were uploaded.`),
  HostIdentityConflictDetected: ({ known, claimant }, host) =>
    aboutHost(
      host,
      'host_identity_conflict_detected',
      'error',
      `Two machines use the id of host ${host.name}: ${describe(known)} and ${describe(claimant)}. ` +
        'Change the board serial number of one machine (the system UUID if it has no serial number), or shut it down.',
    ),
  HostIdentityConflictResolved: ({ remaining }, host) =>
    aboutHost(
      host,
      'host_identity_conflict_resolved',
      'info',
      `Only ${describe(remaining)} uses the id of host ${host.name} now.`,
    ),
};

/**
 * A disk write reports its percentage many times. The log keeps only the entry with the last percentage. An entry with another text
 * stays, such as that the write made no progress for some time.
 */
function progressLog({ stage, progressInfo }: EventData<'HostProgressed'>, host: HostSubject): readonly LogEntry[] {
  const event = progressInfo ? `${stage}: ${progressInfo}` : stage;
  const message = `Host ${host.name}: reached installation stage ${event}`;
  const { _progress_position: earlier, progress: known } = host.before ?? {};
  const replacesEarlier =
    known?.current_stage === stage &&
    isPercentage(progressInfo) &&
    (!known.progress_info || isPercentage(known.progress_info));
  return aboutHost(host, 'host_install_progress_updated', 'info', message, { event }).map((entry) =>
    replacesEarlier && earlier !== undefined ? { ...entry, replaces: earlier } : entry,
  );
}

const isPercentage = (text: string): boolean => /^\d{1,3}(\.\d+)?%$/.test(text);

function describe(machine: { readonly serialNumber: string; readonly sourceAddress: string } | undefined): string {
  const serial = machine?.serialNumber ? `the machine with serial number ${machine.serialNumber}` : 'a machine';
  return machine?.sourceAddress ? `${serial} at ${machine.sourceAddress}` : serial;
}
