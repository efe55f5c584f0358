import type { HostEvent } from '@muster/contracts';
import { HOST_COMMAND_TYPES, type HostCommand } from './commands';
import {
  command,
  day1,
  day2,
  entered,
  KNOWN_MACHINE,
  machine,
  minute,
  OTHER_MACHINE,
  unbound,
  progressed,
  registered,
  START,
} from './host.fixture.spec';

export type Case = readonly [row: string, history: readonly HostEvent[], command: HostCommand];
export const claimed: HostEvent = { type: 'HostIdentityClaimed', data: { machine: KNOWN_MACHINE, at: START } };
export const conflict: HostEvent = {
  type: 'HostIdentityConflictDetected',
  data: { known: KNOWN_MACHINE, claimant: OTHER_MACHINE, at: START },
};
export const mediaLost: HostEvent = { type: 'HostMediaDisconnected', data: {} };
export const installingIn = (stage: string): readonly HostEvent[] => [
  ...day1('installing-in-progress'),
  progressed(stage),
];
export const unassigned = (status: 'known' | 'discovering'): readonly HostEvent[] => [
  registered({ role: 'auto-assign' }),
  entered(status),
];
export const report = (stage: string): HostCommand => command('ReportProgress', { stage });
export const claim = (claimant = KNOWN_MACHINE, at = minute(1)): HostCommand =>
  command('ClaimIdentity', { machine: claimant, at });
export const PROGRESS: readonly Case[] = [
  ['progress-repeated', installingIn('Installing'), report('Installing')],
  ['progress-in-other-words', installingIn('Installing'), command('ReportProgress', { info: 'half' })],
  ['progress-onward', day1('installing'), report('Starting installation')],
  ['progress-done', installingIn('Joined'), report('Done')],
  ['progress-added', [...day2('installing-in-progress'), progressed('Installing')], report('Rebooting')],
  ['progress-failed', installingIn('Installing'), report('Failed')],
  ['late-progress', [...day1('error', 'deadline'), progressed('Rebooting')], report('Configuring')],
  ['late-done', [...day1('error', 'silence'), progressed('Joined')], report('Done')],
  ['late-added', [...day2('error', 'deadline'), progressed('Installing')], report('Rebooting')],
  ['progress-despite-cluster', [...day1('error', 'cluster'), progressed('Joined')], report('Done')],
  ['progress-of-unbound-host', unbound('known-unbound'), report('Installing')],
  ['progress-not-a-stage', day1('installing'), report('Dancing')],
  ['progress-unlisted', installingIn('Installing'), report('Waiting for ignition')],
  ['progress-backward', installingIn('Rebooting'), report('Installing')],
  ['progress-outside-installation', day1('known'), report('Installing')],
  ['progress-before-reboot-after-failure', day1('error', 'deadline'), report('Installing')],
  ['progress-after-final-failure', [...day1('error', 'report'), progressed('Joined')], report('Done')],
];
export const LIFECYCLE: readonly Case[] = [
  ['install-day2-host', day2('known'), command('InstallHost')],
  ['install-day1-host', day1('known'), command('InstallHost')],
  ['install-unbound-host', unbound('known-unbound'), command('InstallHost')],
  ['install-unready-host', day2('insufficient'), command('InstallHost')],
  ['install-step-failed', day1('installing'), command('ReportInstallFailure')],
  ['failure-outside-installation', day1('known'), command('ReportInstallFailure')],
  ['cancel-installation', day1('installing'), command('CancelInstallation')],
  ['cancel-preparation', day1('preparing-successful'), command('CancelInstallation')],
  ['cancel-nothing', day1('known'), command('CancelInstallation')],
  ['cancel-outside-installation', day1('insufficient'), command('CancelInstallation')],
  ['require-reset', day1('error', 'report'), command('RequireReset')],
  ['require-reset-again', day1('resetting-pending-user-action'), command('RequireReset')],
  ['reset-day1-host', day1('error', 'report'), command('RequireReset', { scope: 'host' })],
  ['reset-without-installation', day1('disconnected'), command('RequireReset')],
  ['bind', unbound('known-unbound'), command('Bind')],
  ['bind-unready-host', unbound('insufficient-unbound'), command('Bind')],
  ['bind-silent-host', unbound('disconnected-unbound'), command('Bind')],
  ['bind-bound-host', day1('known'), command('Bind')],
  ['unbind-unused', day1('known'), command('Unbind')],
  ['unbind-busy', day1('installing'), command('Unbind')],
  ['unbind-busy-host', day1('installing'), command('Unbind', { byUser: true })],
  ['unbind-used', day1('installed'), command('Unbind', { byUser: true })],
  ['unbind-moving-host', day1('binding'), command('Unbind')],
  ['unbind-unbound-host', unbound('known-unbound'), command('Unbind')],
  ['reclaim-installed', day1('installed'), command('Reclaim')],
  ['reclaim-unused', day1('known'), command('Reclaim')],
  ['reclaim-failed-host', day1('cancelled'), command('Reclaim')],
  ['reclaim-busy-host', day1('installing'), command('Reclaim')],
  ['reclaim-unbound-host', unbound('known-unbound'), command('Reclaim')],
  ['reclaim-reboots', unbound('reclaiming'), command('RebootForReclaim')],
  ['reboot-unreclaimed-host', day1('known'), command('RebootForReclaim')],
  ['reclaim-fails', unbound('reclaiming-rebooting'), command('FailReclaim')],
  ['fail-unreclaimed-host', day1('known'), command('FailReclaim')],
];
export const PRESENCE: readonly Case[] = [
  ['media-lost', day1('binding'), command('LoseMedia')],
  ['media-lost-while-installing', day1('installing'), command('LoseMedia')],
  ['unbound-media-lost-in-step', unbound('known-unbound'), command('LoseMedia')],
  ['media-lost-again', [...day1('known'), mediaLost], command('LoseMedia')],
  ['media-lost-without-need', day1('installed'), command('LoseMedia')],
  ['media-regained', [...day1('disconnected'), mediaLost], command('RegainMedia')],
  ['media-still-there', day1('known'), command('RegainMedia')],
  ['fall-silent', day1('known'), command('FallSilent')],
  ['return', day1('known'), command('Return')],
  ['report-agent-version', day1('known'), command('ReportAgentVersion')],
  ['claim-repeated', [...day1('known'), claimed], claim()],
  ['claim-news', day1('known'), claim()],
  ['claim-intrusion', [...day1('known'), claimed], claim(OTHER_MACHINE)],
  ['claim-standoff', [...day1('known'), claimed, conflict], claim(machine('52:54:00:00:00:77'))],
  ['claim-resolution', [...day1('known'), claimed, conflict], claim(KNOWN_MACHINE, minute(10))],
];
export const EDITS: readonly Case[] = [
  ['assign-role', day1('known'), command('AssignRole')],
  ['assign-unknown-role', day1('known'), command('AssignRole', { role: 'king' })],
  ['role-too-late', day1('installing'), command('AssignRole')],
  ['suggest-role', unassigned('discovering'), command('SuggestRole')],
  ['suggest-role-in-vain', day1('known'), command('SuggestRole')],
  ['suggestion-too-late', day1('installing'), command('SuggestRole')],
  ['choose-bootstrap', day1('known'), command('ChooseBootstrap')],
  ['bootstrap-too-late', day1('installing'), command('ChooseBootstrap')],
  ['rename', unbound('known-unbound'), command('Rename')],
  ['name-too-late', day1('installed'), command('Rename')],
  ['choose-installation-disk', day1('binding'), command('ChooseInstallationDisk')],
  ['confirm-installation-disk', day1('installing-in-progress'), command('ChooseInstallationDisk', { byUser: false })],
  ['disk-being-written', day1('installing-in-progress'), command('ChooseInstallationDisk')],
  ['disk-too-late', day1('installed'), command('ChooseInstallationDisk')],
  ['revise-settings', day1('known'), command('ReviseSettings')],
  [
    'forget-ignition-token',
    day1('installed'),
    command('ReviseSettings', { changes: { ignitionEndpointTokenSet: false } }),
  ],
  ['settings-too-late', day1('installed'), command('ReviseSettings')],
  ['record-logs', day1('error', 'report'), command('RecordLogs')],
  ['deregister', day1('known'), command('Deregister')],
  ...HOST_COMMAND_TYPES.filter((type) => type !== 'Register' && type !== 'PassDeadline').map((type): Case => [
    `unknown-host-${type.toLowerCase()}`,
    [],
    command(type),
  ]),
];
