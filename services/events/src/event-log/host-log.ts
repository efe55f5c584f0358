import type { EventSeverity } from '@muster/assisted-api';
import type { HostEvent } from '@muster/contracts';
import { hostStatusLog } from './host-status-log';
import { settingsLog } from './host-settings-log';
import { hostNameOf, type HostSubject, type LogEntry, type LogRows } from './log-entry';

/** A line about a host, its name among the properties. */
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
    aboutHost(host, 'host_registration_succeeded', 'info', `Host ${host.name} registered.`),
  HostDeregistered: (_data, host) => aboutHost(host, 'host_deregistered', 'info', `Host ${host.name} was removed.`),
  HostEnteredStatus: hostStatusLog,
  HostMediaDisconnected: (_data, host) =>
    aboutHost(
      host,
      'host_media_disconnected',
      'error',
      `Host ${host.name} cannot read its discovery image any more; connect the media again and reboot it.`,
    ),
  HostRoleSuggested: ({ role }, host) =>
    host.before?.suggested_role === role
      ? []
      : aboutHost(host, 'host_role_updated', 'info', `Host ${host.name} is going to be a ${role}.`, {
          suggested_role: role,
        }),
  HostBootstrapChosen: (_data, host) =>
    aboutHost(host, 'host_bootstrap_set', 'info', `Host ${host.name} brings the cluster up (bootstrap).`),
  HostSettingsRevised: settingsLog,
  HostProgressed: ({ stage, progressInfo }, host) => {
    const event = progressInfo ? `${stage} - ${progressInfo}` : stage;
    return aboutHost(host, 'host_install_progress_updated', 'info', `Host ${host.name} reached: ${event}`, { event });
  },
  HostStageTimedOut: ({ stage, minutes }, host) =>
    aboutHost(
      host,
      'host_stage_timed_out',
      'warning',
      `Host ${host.name} has been in stage "${stage}" for more than the expected ${minutes} minutes.`,
      { stage, minutes },
    ),
  HostBound: (_data, host) =>
    aboutHost(host, 'host_bind_succeeded', 'info', `Host ${host.name} was given to a cluster.`),
  HostUnbound: (_data, host) =>
    host.before
      ? aboutHost(
          { ...host, name: hostNameOf(host.before) },
          'host_unbind_succeeded',
          'info',
          `Host ${hostNameOf(host.before)} was taken out of its cluster.`,
        )
      : [],
  HostReset: (_data, host) =>
    aboutHost(host, 'host_installation_reset', 'info', `Installation of host ${host.name} was reset.`),
  HostLogsCollected: (_data, host) =>
    aboutHost(host, 'host_logs_uploaded', 'info', `Logs of host ${host.name} were uploaded.`),
  HostIdentityConflictDetected: ({ known, intruder }, host) =>
    aboutHost(
      host,
      'host_identity_conflict_detected',
      'error',
      `Two live machines claim to be host ${host.name}: ${describe(known)} and ${describe(intruder)}. ` +
        'Give one of them another system UUID or shut it down.',
    ),
  HostIdentityConflictResolved: ({ remaining }, host) =>
    aboutHost(
      host,
      'host_identity_conflict_resolved',
      'info',
      `Only ${describe(remaining)} claims to be host ${host.name} now.`,
    ),
};

function describe(machine: { readonly serialNumber: string; readonly sourceAddress: string } | undefined): string {
  const serial = machine?.serialNumber ? `the machine with serial number ${machine.serialNumber}` : 'a machine';
  return machine?.sourceAddress ? `${serial} at ${machine.sourceAddress}` : serial;
}
