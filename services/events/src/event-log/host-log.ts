import type { EventSeverity } from '@muster/assisted-api';
import type { EventData, HostEvent } from '@muster/contracts';
import { hostStatusLog } from './host-status-log';
import { settingsLog } from './host-settings-log';
import { hostNameOf, type HostSubject, type LogEntry, type LogRows } from './log-entry';

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
  HostIdentityConflictDetected: ({ known, intruder }, host) =>
    aboutHost(
      host,
      'host_identity_conflict_detected',
      'error',
      `Two machines use the id of host ${host.name}: ${describe(known)} and ${describe(intruder)}. ` +
        'Change the system UUID of one machine or shut it down.',
    ),
  HostIdentityConflictResolved: ({ remaining }, host) =>
    aboutHost(
      host,
      'host_identity_conflict_resolved',
      'info',
      `Only ${describe(remaining)} uses the id of host ${host.name} now.`,
    ),
};

/** A disk write reports its percentage many times: the log keeps the entry with the last one. */
function progressLog({ stage, progressInfo }: EventData<'HostProgressed'>, host: HostSubject): readonly LogEntry[] {
  const event = progressInfo ? `${stage}: ${progressInfo}` : stage;
  const message = `Host ${host.name}: reached installation stage ${event}`;
  const earlier = host.before?._progress_position;
  const isSameStage = host.before?.progress.current_stage === stage && isPercentage(progressInfo);
  return aboutHost(host, 'host_install_progress_updated', 'info', message, { event }).map((entry) =>
    isSameStage && earlier !== undefined ? { ...entry, replaces: earlier } : entry,
  );
}

const isPercentage = (text: string): boolean => /^\d{1,3}(\.\d+)?%$/.test(text);

function describe(machine: { readonly serialNumber: string; readonly sourceAddress: string } | undefined): string {
  const serial = machine?.serialNumber ? `the machine with serial number ${machine.serialNumber}` : 'a machine';
  return machine?.sourceAddress ? `${serial} at ${machine.sourceAddress}` : serial;
}
