import type { HostEvent } from '@muster/contracts';
import { HOST_TABLE } from './decider';
import {
  cluster,
  command,
  day1,
  entered,
  fellSilent,
  given,
  minute,
  OTHER_MACHINE,
  unbound,
  progressed,
  refresh,
  registered,
  START,
  stateAfter,
  when,
} from './host.fixture.spec';
import {
  PROGRESS,
  LIFECYCLE,
  PRESENCE,
  EDITS,
  type Case,
  claimed,
  conflict,
  installingIn,
  unassigned,
} from './reachability.fixture.spec';

const deadline = (name: string): HostEvent => ({ type: 'HostDeadlinePassed', data: { deadline: name } });
const noted: HostEvent = { type: 'HostConnectionTimedOut', data: {} };
const paused: HostEvent = { type: 'HostStageClockPaused', data: {} };
const voided: HostEvent = { type: 'HostImageCheckVoided', data: {} };
const overdueIn = (stage: string): readonly HostEvent[] => [...installingIn(stage), deadline('stage')];
const preparing = cluster('preparing-for-installation');
const installing = cluster('installing');
const waiting = cluster('installing-pending-user-action');
const failed = cluster('error');
const soft = { softTimeouts: true };
const REGISTRATION: readonly Case[] = [
  ['register-bound', [], command('Register')],
  ['register-unbound', [], command('Register', { clusterId: '' })],
  ['register-in-closed-cluster', [], command('Register', { clusterAcceptsHosts: false })],
  ['register-while-preparing', day1('preparing-successful'), command('Register')],
  ['register-before-install-step', day1('preparing-successful'), command('Register', { clusterIsInstalling: true })],
  ['register-again', day1('insufficient'), command('Register')],
  ['register-while-resetting', day1('resetting'), command('Register')],
  ['register-while-reset-reboots', [...day1('resetting'), progressed('Rebooting')], command('Register')],
  ['register-with-wrong-boot-order', installingIn('Rebooting'), command('Register')],
  ['register-during-installation', installingIn('Writing image to disk'), command('Register')],
  ['register-at-installation-start', day1('installing'), command('Register')],
  ['register-after-failure', day1('error', 'deadline'), command('Register')],
  ['register-after-lost-media', day1('error', 'media'), command('Register')],
  ['register-unbound-again', unbound('unbinding'), command('Register', { clusterId: '' })],
  ['register-by-another-machine', [...day1('known'), claimed], command('Register', { machine: OTHER_MACHINE })],
  ['register-as-claimant', [...day1('known'), claimed, conflict], command('Register', { machine: OTHER_MACHINE })],
  [
    'register-again-with-wrong-boot-order',
    [...day1('installing-pending-user-action'), progressed('Rebooting')],
    command('Register'),
  ],
  [
    'register-before-reboot',
    [...day1('installing-pending-user-action'), progressed('Installing')],
    command('Register'),
  ],
  ['register-installed', day1('installed'), command('Register')],
  ['register-without-reset', day1('cancelled'), command('Register')],
];
const DISCOVERY: readonly Case[] = [
  ['absent', day1('known'), refresh({ connected: false })],
  ['inspection-awaited', day1('disconnected'), refresh({ inventory: 'none' })],
  ['known-inspection-awaited', day1('known'), refresh({ inventory: 'none' })],
  ['inspection-truncated', day1('discovering'), refresh({ inventory: 'truncated' })],
  ['inspection-became-truncated', day1('insufficient'), refresh({ inventory: 'truncated' })],
  ['known-inspection-became-truncated', day1('known'), refresh({ inventory: 'truncated' })],
  ['hardware-too-weak', day1('discovering'), refresh({ minHardware: false })],
  ['known-hardware-too-weak', day1('known'), refresh({ minHardware: false })],
  ['disk-uuid-disabled', day1('discovering'), refresh({ vsphereDiskUuid: false })],
  ['known-disk-uuid-disabled', day1('known'), refresh({ vsphereDiskUuid: false })],
  ['input-missing', day1('discovering'), refresh({ machineCidrDefined: false })],
  ['known-input-missing', day1('known'), refresh({ machineCidrDefined: false })],
  ['not-sufficient', day1('discovering'), refresh({ sufficientForInstall: false })],
  ['known-not-sufficient', day1('known'), refresh({ sufficientForInstall: false })],
  ['contested', [...day1('discovering'), claimed, conflict], refresh()],
  ['known-contested', [...day1('known'), claimed, conflict], refresh()],
  ['sufficient', day1('pending-for-input'), refresh()],
  ['known-sufficient', unassigned('known'), refresh({}, preparing)],
];
const PREPARATION: readonly Case[] = [
  ['selected', day1('known'), refresh({}, preparing)],
  ['selected-with-slow-disk', day1('known'), refresh({ diskSpeed: 'failed' }, preparing)],
  ['selected-while-contested', [...day1('known'), claimed, conflict], refresh({}, preparing)],
  ['preparation-contested', [...day1('preparing-failed'), claimed, conflict], refresh({}, preparing)],
  ['prepared-contested', [...day1('preparing-successful'), claimed, conflict], refresh({}, preparing)],
  ['preparation-disk-failed', day1('preparing-failed'), refresh({ diskSpeed: 'failed' }, preparing)],
  ['preparation-images-failed', day1('preparing-for-installation'), refresh({ images: 'failed' }, preparing)],
  [
    'preparation-images-renewed',
    [registered(), voided, entered('preparing-for-installation')],
    refresh({ images: 'unknown' }, preparing),
  ],
  ['preparation-done', day1('preparing-for-installation'), refresh({}, preparing)],
  ['preparation-running', day1('preparing-for-installation'), refresh({ diskSpeed: 'unknown' }, preparing)],
  [
    'preparation-timed-out',
    [...day1('preparing-for-installation'), deadline('preparing')],
    refresh({ images: 'unknown' }, preparing),
  ],
  ['preparation-called-off', day1('preparing-for-installation'), refresh({ images: 'unknown' }, cluster('ready'))],
  ['preparation-failure-awaits-cluster', day1('preparing-failed'), refresh({ images: 'failed' }, preparing)],
  ['preparation-failure-over', day1('preparing-failed'), refresh({ images: 'failed' }, cluster('ready'))],
  ['prepared-disk-failed', day1('preparing-successful'), refresh({ diskSpeed: 'failed' }, preparing)],
  ['prepared-awaits-others', day1('preparing-successful'), refresh({}, preparing)],
  ['installation-starts', day1('preparing-successful'), refresh({}, installing)],
  ['prepared-in-vain', day1('preparing-successful'), refresh({}, cluster('ready'))],
  ['absent-while-preparing', day1('preparing-successful'), refresh({ mediaConnected: false }, preparing)],
];
const INSTALLATION: readonly Case[] = [
  ...(['installing', 'in-progress'] as const).flatMap((prefix): readonly Case[] => {
    const history = prefix === 'installing' ? day1('installing') : installingIn('Installing');
    return [
      [`${prefix}-cluster-failed`, history, refresh({}, failed)],
      [`${prefix}-silent`, [...history, fellSilent], refresh({ connected: false }, installing)],
      [`${prefix}-silent-warned`, [...history, fellSilent], refresh({ connected: false }, installing, soft)],
      [`${prefix}-returned`, [...history, noted], refresh({}, installing, soft)],
    ];
  }),
  ['installing-timed-out', [...day1('installing'), deadline('installing')], refresh({}, installing)],
  ['installing-goes-on', day1('installing'), refresh({}, installing)],
  ['user-action-cluster-failed', day1('installing-pending-user-action'), refresh({}, failed)],
  ['user-action-awaited', day1('installing-pending-user-action'), refresh({}, waiting)],
  [
    'user-action-needed',
    [...day1('installing-pending-user-action'), deadline('pending-user-action')],
    refresh({}, waiting),
  ],
  [
    'user-action-timed-out',
    [...day1('installing-pending-user-action'), deadline('pending-user-action')],
    refresh({}, cluster('installing-pending-user-action', true)),
  ],
  [
    'user-action-not-needed',
    [...day1('installing-pending-user-action'), deadline('pending-user-action')],
    refresh({}, cluster('installed', true)),
  ],
  ['installed-cluster-failed', day1('installed'), refresh({}, failed)],
  ['installed-stays', day1('installed'), refresh({}, installing)],
  ['stage-timer-paused', installingIn('Waiting for bootkube'), refresh({}, waiting)],
  ['stage-timer-stays-paused', [...installingIn('Waiting for bootkube'), paused], refresh({}, waiting)],
  ['stage-timer-resumed', [...installingIn('Waiting for bootkube'), paused], refresh({}, installing)],
  ['stage-goes-on', installingIn('Waiting for bootkube'), refresh({}, installing)],
  ['reboot-timed-out', overdueIn('Rebooting'), refresh({}, installing)],
  ['stage-timed-out', overdueIn('Configuring'), refresh({}, installing)],
  ['stage-stalled', overdueIn('Writing image to disk'), refresh({}, installing)],
  ['stage-overdue', overdueIn('Joined'), refresh({}, installing, soft)],
  ['stage-slow', overdueIn('Copying registry data to disk'), refresh({}, installing, soft)],
];
const ENDED: readonly Case[] = [
  ['failure-logs-timed-out', [...day1('error', 'report'), deadline('logs')], refresh({}, installing)],
  ['failure-stays', day1('error', 'report'), refresh({}, installing)],
  ['failure-shared-with-cluster', day1('error', 'cluster'), refresh({}, failed)],
  ['recovered-with-cluster', [...day1('error', 'cluster'), progressed('Joined')], refresh({}, cluster('finalizing'))],
  [
    'recovered-with-cluster-installed',
    [...day1('error', 'cluster'), progressed('Done')],
    refresh({}, cluster('finalizing')),
  ],
  ['cancelled-logs-timed-out', [...day1('cancelled'), deadline('logs')], refresh()],
  ['cancelled-stays', day1('cancelled'), refresh()],
  ['resetting-timed-out', [...day1('resetting'), deadline('resetting')], refresh()],
  ['resetting-awaits-boot', day1('resetting'), refresh()],
  ['waits-to-register', day1('binding'), refresh()],
  ['disabled-stays', day1('disabled'), refresh()],
  ['deadline-passed', day1('installing'), command('PassDeadline', { deadline: 'installing', at: minute(20) })],
  ['deadline-stale', day1('installing'), command('PassDeadline', { deadline: 'installing', at: minute(19) })],
];
const UNBOUND: readonly Case[] = [
  ['unbound-silent', unbound('known-unbound'), refresh({ connected: false })],
  ['unbound-media-lost', unbound('known-unbound'), refresh({ mediaConnected: false })],
  ['unbound-inspection-awaited', unbound('disconnected-unbound'), refresh({ inventory: 'none' })],
  ['unbound-inspection-truncated', unbound('disconnected-unbound'), refresh({ inventory: 'truncated' })],
  ['unbound-inspection-became-truncated', unbound('known-unbound'), refresh({ inventory: 'truncated' })],
  ['unbound-not-sufficient', unbound('known-unbound'), refresh({ minHardware: false })],
  ['unbound-contested', [...unbound('known-unbound'), claimed, conflict], refresh()],
  [
    'unbound-sufficient',
    unbound('discovering-unbound'),
    refresh({ machineCidrDefined: false, vsphereDiskUuid: false }),
  ],
  ['unbinding-awaits-boot', unbound('unbinding'), refresh()],
  ['reclaim-awaits-boot', unbound('reclaiming'), refresh()],
  ['reclaim-timed-out', [...unbound('reclaiming'), deadline('reclaim')], refresh()],
];
const CASES: readonly Case[] = [
  ...REGISTRATION,
  ...DISCOVERY,
  ...PREPARATION,
  ...INSTALLATION,
  ...ENDED,
  ...UNBOUND,
  ...PROGRESS,
  ...LIFECYCLE,
  ...PRESENCE,
  ...EDITS,
];
const ROWS = new Map(HOST_TABLE.rows.map((row) => [row.id, row]));

describe("rows of the host's decision table", () => {
  it('have a history that reaches them', () => {
    const result = new Set(CASES.map(([id]) => id));
    expect(HOST_TABLE.rows.map(({ id }) => id).filter((id) => !result.has(id))).toEqual([]);
  });

  it.each(CASES)('%s applies and has the expected result', (id, history, what) => {
    const result = when(history, what);
    const row = ROWS.get(id);
    expect(result.row).toBe(id);
    if (row?.refuse) {
      expect(result.refusal).toBe(row.refuse.code);
      return;
    }
    expect(result.refusal).toBeUndefined();
    const before = stateAfter(history);
    const moves = result.events.flatMap((event) => (event.type === 'HostEnteredStatus' ? [event.data] : []));
    if (row && row.to !== 'stay' && row.to !== before.status)
      expect(moves[0]).toMatchObject({ status: row.to, transition: id, cause: row.cause ?? '' });
  });
});

describe('refresh of a host', () => {
  it('stores nothing when nothing changed', () => {
    const first = when(day1('discovering'), refresh());
    expect(first.state.status).toBe('known');
    expect(when([...day1('discovering'), ...first.events], refresh()).events).toEqual([]);
  });

  it('applies all rows that follow from each other', () => {
    const result = when(day1('disconnected'), refresh({}, preparing));
    expect(result.state.status).toBe('preparing-successful');
    expect(result.types).toEqual(['HostEnteredStatus', 'HostEnteredStatus', 'HostEnteredStatus']);
  });

  it('without validation results uses the stored connection of the host', () => {
    const bare = command('Refresh', { conditions: undefined });
    expect(when([...given('known'), fellSilent], bare).state.status).toBe('disconnected');
    expect(when(given('discovering'), bare).events).toHaveLength(1);
  });
});

describe('selection of a host for installation', () => {
  it('discards failed image checks and uses the result of the next check', () => {
    const selected = when(day1('known'), refresh({ images: 'failed' }, preparing));
    expect(selected.types).toEqual(['HostImageCheckVoided', 'HostEnteredStatus']);
    expect(selected.state.status).toBe('preparing-for-installation');
    const history = [...day1('known'), ...selected.events];
    expect(when(history, refresh({ images: 'failed' }, preparing)).events).toEqual([]);

    const renewed = when(history, refresh({ images: 'unknown' }, preparing));
    expect(renewed.types).toEqual(['HostImageCheckRenewed']);
    const failedAgain = when([...history, ...renewed.events], refresh({ images: 'failed' }, preparing));
    expect(failedAgain.state.status).toBe('preparing-failed');
  });

  it('clears the logs of an earlier attempt', () => {
    const history = [
      ...day1('known'),
      { type: 'HostLogsReported' as const, data: { logsState: 'completed', at: START } },
    ];
    expect(when(history, refresh({}, preparing)).state.logs).toEqual({ state: '', startedAt: '', collectedAt: '' });
  });
});
