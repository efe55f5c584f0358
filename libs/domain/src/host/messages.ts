import type { Plain, MachineIdentity } from '@muster/contracts';
import {
  NO_REASON,
  renderReason,
  type StatusReason,
  truncateUtf8,
  MAX_STATUS_INFO_BYTES,
  type ValidationMessages,
} from '../status-reason';

/**
 * `status_info` of a host, by reason code. Texts that assisted-service v2 has (internal/host/common.go and
 * transition.go) are equal to them, because scripts compare them.
 */
export const HOST_MESSAGES = {
  'awaiting-hardware': 'Waiting for host to send hardware details',
  ready: 'Host is ready to be installed',
  'ready-to-bind': 'Host is ready to be bound to a cluster',
  // assisted-service v2 has the same text from the start to the end of the preparation.
  selected: 'Host finished successfully to prepare for installation',
  prepared: 'Host finished successfully to prepare for installation',
  installing: 'Installation is in progress',
  installed: 'Done',
  stage: '{stage}',
  silent: 'Host has stopped communicating with the installation service',
  'silent-while-preparing':
    'Host failed to install due to timeout while connecting to host during the preparation phase.',
  'silent-while-installing':
    'Host failed to install due to timeout while connecting to host during the installation phase.',
  'silence-warned': 'Host has stopped communicating with the installation service; the installation continues',
  'silence-ended': 'Host is communicating with the installation service again; the installation continues',
  'media-lost':
    'Unable to read from the discovery media. It was either disconnected or poor network conditions prevented it from being read. Try using the minimal ISO option and be sure to keep the media connected until the installation is completed',
  restarted: 'The host unexpectedly restarted during the installation',
  'cluster-failed': 'Host is part of a cluster that failed to install',
  'cluster-recovered': 'The installation of the cluster continues',
  'installing-timed-out': 'Host failed to install due to timeout while starting installation',
  'boot-timed-out': 'Host failed to boot from the installation disk within the expected time.',
  resetting: 'Host requires booting into the discovery image to complete resetting the installation',
  unbinding: 'Host is waiting to be unbound from the cluster',
  binding: 'Host is waiting to be bound to the cluster',
  reclaiming: 'Host is rebooting into the discovery image',
  'reclaim-failed':
    'Host is waiting to be unbound from the cluster. Its agent could not start the discovery image ({reason}). Boot the discovery image at the machine',
  'day2-rebooted':
    'Host has rebooted and no further updates will be posted. Please check console for progress and to possibly approve pending CSRs',
  cancelled: 'Installation was cancelled by user',
  insufficient: 'Host cannot be installed due to following failing validation(s): {failing}',
  'insufficient-pending': 'Host cannot be installed',
  'weak-hardware': 'Host does not meet the minimum hardware requirements: {failing}',
  'input-missing': 'Waiting for user input: {failing}',
  'preparation-failed': 'Host failed to prepare for installation due to following failing validation(s): {failing}',
  'preparation-timed-out': 'The host has encountered a preparation timeout, the following conditions failed: {failing}',
  'stage-timed-out':
    'Host failed to install because its installation stage {stage} took longer than expected {duration}',
  'stage-stalled':
    'Host failed to install because its installation stage {stage} did not sufficiently progress in the last {duration}.',
  'stage-overdue': 'Installation stage {stage} takes longer than expected {duration}; the installation continues',
  'stage-slow':
    'Installation stage {stage} did not sufficiently progress in the last {duration}; the installation continues',
  'wrong-boot-order':
    'Expected the host to boot from disk, but it booted the installation image - please reboot and fix boot order to boot from disk {disk}',
  'pull-timed-out':
    'Host timed out when pulling the configuration files. Verify in the host console that the host boots from the OpenShift installation disk {disk} and has network access to the cluster API. The installation will resume after the host successfully boots and can access the cluster API',
  'install-step-failed': '{reason}',
  failed: 'Failed',
  'failed-because': 'Failed - {info}',
} as const;
export type HostReasonCode = keyof typeof HOST_MESSAGES | 'media-lost-while-installing';

const MESSAGES: ReadonlyMap<string, string> = new Map(Object.entries(HOST_MESSAGES));

export const hostReason = (code: HostReasonCode, more: Partial<Omit<StatusReason, 'code'>> = {}): StatusReason => ({
  ...NO_REASON,
  ...more,
  code,
});

/** Returns the reason for a failure of the discovery media during an installation. It contains the previous reason. */
export function mediaFailure(before: StatusReason): StatusReason {
  if (before.code === 'media-lost' || before.code === 'media-lost-while-installing') return before;
  return { ...before, code: 'media-lost-while-installing', parameters: { ...before.parameters, before: before.code } };
}

/** Two live machines that claim the id of one host. */
export interface ConflictingMachines {
  readonly known: Plain<MachineIdentity>;
  readonly claimant: Plain<MachineIdentity>;
}

/** Returns `status_info` of a host: the identity conflict, if any, followed by the text of the reason. */
export function renderHostStatus(
  reason: StatusReason,
  messageOf: ValidationMessages,
  conflict?: ConflictingMachines,
): string {
  const text = renderHostReason(reason, messageOf);
  return conflict ? truncateUtf8(conflictSentence(conflict) + text, MAX_STATUS_INFO_BYTES) : text;
}

function renderHostReason(reason: StatusReason, messageOf: ValidationMessages): string {
  if (reason.code === 'media-lost-while-installing') {
    const before = renderHostReason({ ...reason, code: reason.parameters['before'] ?? '' }, messageOf);
    const text = `Failed - ${HOST_MESSAGES['media-lost']}${before === '' ? '' : `. ${before}`}`;
    return truncateUtf8(text, MAX_STATUS_INFO_BYTES);
  }
  const failsNone = reason.code === 'insufficient' && reason.failing.length === 0;
  const template = MESSAGES.get(failsNone ? 'insufficient-pending' : reason.code) ?? '';
  return renderReason(template, reason, messageOf);
}

const describe = ({ macAddresses, sourceAddress }: Plain<MachineIdentity>): string =>
  `${macAddresses.join(', ')}${sourceAddress ? ` at ${sourceAddress}` : ''}`;

const conflictSentence = ({ known, claimant }: ConflictingMachines): string =>
  `Two machines claim the id of this host: ${describe(known)} and ${describe(claimant)}. Give one of them another id, or shut it down. `;

/** Returns a duration as Go prints it, for example 30m0s or 1h0m0s. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
