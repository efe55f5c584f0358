import type { HostEvent } from '@muster/contracts';
import {
  cluster,
  command,
  day1,
  fellSilent,
  OTHER_MACHINE,
  progressed,
  refresh,
  unbound,
  when,
} from './host.fixture.spec';
import { type Case, claimed, EDITS, installingIn, LIFECYCLE, PRESENCE, PROGRESS } from './reachability.fixture.spec';

const deadline = (name: string): HostEvent => ({ type: 'HostDeadlinePassed', data: { deadline: name } });
const silent = (...[row, history, what]: Case): Case => [row, [...history, fellSilent], what];
const REGISTRATION: readonly Case[] = [
  ['register-bound', [], command('Register')],
  ['register-unbound', [], command('Register', { clusterId: '' })],
  silent('register-while-preparing', day1('preparing-successful'), command('Register')),
  silent(
    'register-before-install-step',
    day1('preparing-successful'),
    command('Register', { clusterIsInstalling: true }),
  ),
  silent('register-again', day1('insufficient'), command('Register')),
  silent('register-while-resetting', day1('resetting'), command('Register')),
  silent('register-while-reset-reboots', [...day1('resetting'), progressed('Rebooting')], command('Register')),
  silent('register-with-wrong-boot-order', installingIn('Rebooting'), command('Register')),
  silent('register-during-installation', installingIn('Writing image to disk'), command('Register')),
  silent('register-at-installation-start', day1('installing'), command('Register')),
  silent('register-after-failure', day1('error', 'deadline'), command('Register')),
  silent('register-after-lost-media', day1('error', 'media'), command('Register')),
  silent('register-unbound-again', unbound('unbinding'), command('Register', { clusterId: '' })),
  ['register-by-another-machine', [...day1('known'), claimed], command('Register', { machine: OTHER_MACHINE })],
];
/** Hosts that still have a cluster. */
const LEAVING: readonly Case[] = [
  ['reclaim-fails', day1('reclaiming'), command('FailReclaim', { reason: 'no room' })],
  ['reclaim-timed-out', [...day1('reclaiming'), deadline('reclaim')], refresh()],
];
const OTHERS: readonly Case[] = [
  silent('return', day1('known'), command('Return')),
  [
    'recovered-with-cluster-installed',
    [...day1('error', 'cluster'), progressed('Done')],
    refresh({}, cluster('finalizing')),
  ],
  ['cancelled-logs-timed-out', [...day1('cancelled'), deadline('logs')], refresh()],
];

/** The code of the reason of the new status, `=` for a status that stays, and the events that are not about the status. */
const EFFECTS: readonly (readonly [row: string, reason: string, ...types: string[]])[] = [
  ['register-bound', 'awaiting-hardware', 'HostRegistered'],
  ['register-unbound', 'awaiting-hardware', 'HostRegistered'],
  ['register-while-preparing', 'ready', 'HostReturned', 'HostReregistered'],
  ['register-before-install-step', 'restarted', 'HostReturned'],
  ['register-again', 'awaiting-hardware', 'HostReturned', 'HostReregistered'],
  ['register-while-resetting', 'awaiting-hardware', 'HostReturned', 'HostReregistered'],
  ['register-while-reset-reboots', '=', 'HostReturned'],
  ['register-with-wrong-boot-order', 'wrong-boot-order', 'HostReturned'],
  ['register-during-installation', 'restarted', 'HostReturned'],
  ['register-at-installation-start', 'restarted', 'HostReturned'],
  ['register-after-failure', '=', 'HostReturned'],
  ['register-after-lost-media', 'awaiting-hardware', 'HostReturned', 'HostReregistered'],
  ['register-unbound-again', 'awaiting-hardware', 'HostReturned', 'HostReregistered'],
  ['register-by-another-machine', '=', 'HostIdentityConflictDetected'],
  ['progress-in-other-words', '=', 'HostProgressed'],
  ['progress-onward', 'stage', 'HostProgressed'],
  ['progress-done', 'installed', 'HostProgressed'],
  ['progress-added', 'day2-rebooted', 'HostProgressed'],
  ['progress-failed', 'failed', 'HostInstallationFailed'],
  ['late-progress', 'stage', 'HostProgressed'],
  ['late-done', 'installed', 'HostProgressed'],
  ['late-added', 'day2-rebooted', 'HostProgressed'],
  ['progress-despite-cluster', '=', 'HostProgressed'],
  ['install-day2-host', 'installing'],
  ['install-step-failed', 'install-step-failed', 'HostInstallationFailed'],
  ['cancel-installation', 'cancelled'],
  ['cancel-preparation', 'cancelled'],
  ['require-reset', 'resetting', 'HostReset'],
  ['bind', 'binding', 'HostBound'],
  ['unbind-unused', 'unbinding', 'HostUnbound'],
  ['unbind-busy', 'unbinding', 'HostUnbound'],
  ['unbind-used', 'unbinding', 'HostUnbound'],
  ['reclaim-installed', 'unbinding', 'HostUnbound'],
  ['reclaim-unused', 'unbinding', 'HostUnbound'],
  ['reclaim-failed-host', 'unbinding', 'HostUnbound'],
  ['reclaim-reboots', 'reclaiming'],
  ['reclaim-fails', 'reclaim-failed', 'HostUnbound'],
  ['reclaim-timed-out', 'unbinding', 'HostUnbound'],
  ['media-lost', 'media-lost', 'HostMediaDisconnected'],
  ['media-lost-while-installing', 'media-lost-while-installing', 'HostMediaDisconnected'],
  ['unbound-media-lost-in-step', 'media-lost', 'HostMediaDisconnected'],
  ['media-regained', '=', 'HostMediaReconnected'],
  ['fall-silent', '=', 'HostFellSilent'],
  ['return', '=', 'HostReturned'],
  ['report-agent-version', '=', 'HostAgentReplaced'],
  ['claim-news', '=', 'HostIdentityClaimed'],
  ['claim-intrusion', '=', 'HostIdentityConflictDetected'],
  ['claim-resolution', '=', 'HostIdentityConflictResolved'],
  ['suggest-role', '=', 'HostRoleSuggested'],
  ['choose-bootstrap', '=', 'HostBootstrapChosen'],
  ['rename', '=', 'HostRenamed'],
  ['choose-installation-disk', '=', 'InstallationDiskChosen'],
  ['confirm-installation-disk', '=', 'InstallationDiskChosen'],
  ['revise-settings', '=', 'HostSettingsRevised'],
  ['record-logs', '=', 'HostLogsReported'],
  ['deregister', '=', 'HostDeregistered'],
  ['recovered-with-cluster-installed', 'installed'],
  ['cancelled-logs-timed-out', '=', 'HostLogsReported'],
];

const CASES = new Map(
  [...REGISTRATION, ...PROGRESS, ...LIFECYCLE, ...PRESENCE, ...EDITS, ...LEAVING, ...OTHERS].map((one) => [
    one[0],
    one,
  ]),
);

describe('the effects of a row', () => {
  it.each(EFFECTS)('%s are its reason %s and its events', (id, reason, ...types) => {
    const [, history = [], what = command('Return')] = CASES.get(id) ?? [];
    const result = when(history, what);
    expect(result.row).toBe(id);
    const reasons = result.events.flatMap((event) =>
      event.type === 'HostEnteredStatus' || event.type === 'HostStatusExplained' ? [event.data.statusReason?.code] : [],
    );
    expect(reasons).toEqual(reason === '=' ? [] : [reason]);
    expect(result.types.filter((type) => !/^Host(EnteredStatus|StatusExplained)$/.test(type))).toEqual(types);
  });
});

it('a failed reclaim names its reason and leaves the cluster', () => {
  const { state } = when(day1('reclaiming'), command('FailReclaim', { reason: 'no room' }));
  expect(state).toMatchObject({ clusterId: '', statusReason: { parameters: { reason: 'no room' } } });
});
