import type { HostEvent } from '@muster/contracts';
import type { HostCommand } from './commands';
import { DEFAULT_HOST_TIMEOUTS, HOST_TIMEOUT_TABLE, hostDeadlines, hostTimeouts } from './deadlines';
import type { HostState } from './state';
import {
  cluster,
  command,
  day1,
  entered,
  fellSilent,
  given,
  GOOD,
  infoOf,
  minute,
  progressed,
  refresh,
  START,
  stateAfter,
  when,
} from './host.fixture.spec';

const installing = cluster('installing');
const pass = (deadline: string, at: string, more = {}): HostCommand =>
  command('PassDeadline', { deadline, at, cluster: installing, ...more });
const timesOf = (state: HostState, timeouts = DEFAULT_HOST_TIMEOUTS) =>
  hostDeadlines(state, timeouts).map(({ name, atMs }) => ({ name, atMs }));
const deadlines = (history: readonly HostEvent[]) => timesOf(stateAfter(history));
const at = (minutes: number): number => Date.parse(START) + minutes * 60_000;
const inStage = (stage: string): readonly HostEvent[] => [...day1('installing-in-progress'), progressed(stage)];

describe('deadlines of a host', () => {
  it('end the retention of a deregistered host after three days, once', () => {
    const deleted = [...day1('known'), ...when(day1('known'), command('Deregister', { at: START })).events];
    expect(deadlines(deleted)).toEqual([{ name: 'retention', atMs: at(72 * 60) }]);
    expect(when(deleted, pass('retention', minute(72 * 60 - 1))).types).toEqual([]);
    const over = when(deleted, pass('retention', minute(72 * 60)));
    expect(over.types).toEqual(['HostDeadlinePassed']);
    expect(deadlines([...deleted, ...over.events])).toEqual([]);
  });

  it.each([
    ['preparing-for-installation', 'preparing', 8],
    ['installing', 'installing', 20],
    ['installing-pending-user-action', 'pending-user-action', 60],
    ['reclaiming', 'reclaim', 60],
    ['reclaiming-rebooting', 'reclaim', 60],
    ['resetting', 'resetting', 3],
    ['error', 'logs', 2],
    ['cancelled', 'logs', 2],
  ] as const)('in %s are %s after %i minutes', (status, name, minutes) => {
    expect(deadlines(given(status))).toEqual([{ name, atMs: at(minutes) }]);
  });

  it.each(['discovering', 'known', 'installed', 'binding', 'preparing-successful'] as const)(
    'do not exist in %s',
    (status) => {
      expect(deadlines(given(status))).toEqual([]);
    },
  );

  it.each([
    ['Starting installation', 30],
    ['Waiting for control plane', 60],
    ['Waiting for controller', 60],
    ['Waiting for bootkube', 60],
    ['Installing', 60],
    ['Joined', 60],
    ['Configuring', 60],
    ['Writing image to disk', 30],
    ['Copying registry data to disk', 90],
    ['Rebooting', 40],
    ['Waiting for ignition', 24 * 60],
  ])('of stage %s pass after %i minutes', (stage, minutes) => {
    expect(deadlines(inStage(stage))).toEqual([{ name: 'stage', atMs: at(minutes) }]);
  });

  it('of a single node that reboots pass after 80 minutes regardless of the settings', () => {
    const history = [
      ...day1('installing'),
      ...when(day1('installing'), command('ReportProgress', { stage: 'Rebooting', controlPlaneCount: 1, at: START }))
        .events,
    ];
    const timeouts = hostTimeouts({ HOST_STAGE_REBOOTING_TIMEOUT: 1 });
    expect(timesOf(stateAfter(history), timeouts)).toEqual([{ name: 'stage', atMs: at(80) }]);
    const joined = when(history, command('ReportProgress', { stage: 'Joined', controlPlaneCount: 1, at: minute(2) }));
    expect(timesOf(joined.state, timeouts)).toEqual([{ name: 'stage', atMs: at(62) }]);
  });

  it('of a failed host follow its log collection', () => {
    const logs = (logsState: string, minutes: number): HostEvent => ({
      type: 'HostLogsReported',
      data: { logsState, at: minute(minutes) },
    });
    const collected: HostEvent = {
      type: 'HostLogsCollected',
      data: { body: { digest: 'sha256:0', bytes: 1 }, at: minute(5) },
    };
    const failed = day1('error', 'report');
    expect(deadlines([...failed, logs('requested', 1)])).toEqual([{ name: 'logs', atMs: at(11) }]);
    expect(deadlines([...failed, logs('requested', 1), collected])).toEqual([{ name: 'logs', atMs: at(15) }]);
    expect(deadlines([...failed, logs('requested', 1), collected, logs('collecting', 6)])).toEqual([
      { name: 'logs', atMs: at(7) },
    ]);
    // The agent of a host that failed at a deadline reports the collection first. It may end before it sends anything.
    expect(deadlines([...failed, logs('collecting', 1)])).toEqual([{ name: 'logs', atMs: at(10) }]);
    expect(deadlines([...failed, logs('requested', 1), logs('collecting', 2)])).toEqual([
      { name: 'logs', atMs: at(11) },
    ]);
    expect(deadlines([...failed, logs('completed', 1)])).toEqual([]);
    expect(when(failed, pass('logs', minute(2))).state.logs.state).toBe('timeout');
  });
});

describe('passed deadline of a host', () => {
  it('is stored before its effects', () => {
    const result = when(inStage('Installing'), pass('stage', minute(60)));
    expect(result.events[0]).toEqual({ type: 'HostDeadlinePassed', data: { deadline: 'stage' } });
  });

  it.each([
    ['installing', day1('installing'), 20, 'error', 'deadline'],
    ['stage', inStage('Installing'), 60, 'error', 'deadline'],
    ['stage', inStage('Rebooting'), 40, 'installing-pending-user-action', ''],
    ['reclaim', given('reclaiming'), 60, 'unbinding-pending-user-action', ''],
    ['resetting', day1('resetting'), 3, 'resetting-pending-user-action', ''],
  ] as const)('%s changes the status', (name, history, minutes, status, failedBy) => {
    expect(when(history, pass(name, minute(minutes))).state).toMatchObject({ status, failedBy });
  });

  it('during the preparation names the checks without a result', () => {
    const surroundings = { conditions: { ...GOOD, images: 'unknown' }, cluster: cluster('preparing-for-installation') };
    const result = when(day1('preparing-for-installation'), pass('preparing', minute(8), surroundings));
    expect(result.state.status).toBe('preparing-failed');
    expect(infoOf(result.state)).toMatch(/: container-images-available$/);
  });

  it('changes nothing when it is early, repeated, or for another status', () => {
    expect(when(inStage('Installing'), pass('stage', minute(59))).events).toEqual([]);
    expect(when(day1('known'), pass('stage', minute(600))).events).toEqual([]);
    expect(when(day1('known'), pass('nonsense', minute(600))).events).toEqual([]);
    expect(when(day1('installing'), pass('stage', minute(600))).events).toEqual([]);
    const once = when(inStage('Installing'), pass('stage', minute(60), { softTimeouts: true }));
    expect(
      when([...inStage('Installing'), ...once.events], pass('stage', minute(61), { softTimeouts: true })).events,
    ).toEqual([]);
  });

  it('of an earlier stage changes nothing after progress', () => {
    const moved = [...inStage('Installing'), progressed('Writing image to disk', minute(59))];
    expect(when(moved, pass('stage', minute(60))).events).toEqual([]);
  });

  it('of a user action takes effect when the cluster can complete without the host', () => {
    const history = day1('installing-pending-user-action');
    const first = when(
      history,
      pass('pending-user-action', minute(60), { cluster: cluster('installing-pending-user-action') }),
    );
    expect(first.state.status).toBe('installing-pending-user-action');
    const later = when([...history, ...first.events], refresh({}, cluster('installing-pending-user-action', true)));
    expect(later.state).toMatchObject({ status: 'error', failedBy: 'deadline' });
  });

  it('with soft timeouts stores one warning and has no further deadline', () => {
    const result = when(inStage('Writing image to disk'), pass('stage', minute(30), { softTimeouts: true }));
    expect(result.types).toEqual(['HostDeadlinePassed', 'HostStageTimedOut', 'HostStatusExplained']);
    expect(result.state).toMatchObject({ status: 'installing-in-progress', progress: { isOverdue: true } });
    expect(infoOf(result.state)).toContain('30m0s');
    expect(deadlines([...inStage('Writing image to disk'), ...result.events])).toEqual([]);
  });
});

describe('success of a host after its deadline', () => {
  const timedOut = (stage: string, minutes: number) => [
    ...inStage(stage),
    ...when(inStage(stage), pass('stage', minute(minutes))).events,
  ];

  it('moves the host from error through Joined to installed', () => {
    const history = timedOut('Configuring', 60);
    expect(stateAfter(history).status).toBe('error');
    const joined = when(history, command('ReportProgress', { stage: 'Joined', at: minute(70) }));
    expect(joined.state).toMatchObject({ status: 'installing-in-progress', failedBy: '' });
    expect(deadlines([...history, ...joined.events])).toEqual([{ name: 'stage', atMs: at(130) }]);
    const done = when([...history, ...joined.events], command('ReportProgress', { stage: 'Done', at: minute(71) }));
    expect(done.state.status).toBe('installed');
  });

  it('is refused for a machine that was stopped before its reboot', () => {
    const result = when(timedOut('Installing', 60), command('ReportProgress', { stage: 'Writing image to disk' }));
    expect(result.refusal).toBe('not-allowed-in-state');
  });

  it('is refused after a failure that the installer reported', () => {
    const history = [...day1('error', 'report'), progressed('Configuring')];
    expect(when(history, command('ReportProgress', { stage: 'Done' })).refusal).toBe('not-allowed-in-state');
  });

  it('of its cluster continues the host with a new stage deadline', () => {
    const fallen = when(inStage('Joined'), refresh({}, cluster('error'))).events;
    const back = when([...inStage('Joined'), ...fallen], refresh({}, cluster('finalizing'), { at: minute(200) }));
    expect(back.state).toMatchObject({ status: 'installing-in-progress', failedBy: '' });
    expect(timesOf(back.state)).toEqual([{ name: 'stage', atMs: at(260) }]);
  });
});

describe('stage timer while another host waits for a user action', () => {
  const waiting = cluster('installing-pending-user-action');

  it.each(['Waiting for control plane', 'Waiting for controller', 'Waiting for bootkube', 'Rebooting'])(
    'stops in stage %s and restarts afterwards, with one event each',
    (stage) => {
      const paused = when(inStage(stage), refresh({}, waiting));
      expect(paused.types).toEqual(['HostStageClockPaused']);
      const history = [...inStage(stage), ...paused.events];
      expect(deadlines(history)).toEqual([]);
      expect(when(history, refresh({}, waiting)).events).toEqual([]);
      const resumed = when(history, refresh({}, installing, { at: minute(50) }));
      expect(resumed.types).toEqual(['HostStageClockResumed']);
      expect(resumed.state.progress.stageUpdatedAt).toBe(minute(50));
    },
  );

  it('continues in a stage that does not depend on other hosts', () => {
    expect(when(inStage('Writing image to disk'), refresh({}, waiting)).events).toEqual([]);
  });

  it('is stopped instead of failing the host when the deadline passed meanwhile', () => {
    const result = when(inStage('Waiting for controller'), pass('stage', minute(60), { cluster: waiting }));
    expect(result.types).toEqual(['HostDeadlinePassed', 'HostStageClockPaused']);
    expect(result.state).toMatchObject({ status: 'installing-in-progress', passedDeadlines: [] });
  });
});

describe('silence during the installation with soft timeouts', () => {
  it('is reported once, and withdrawn when the host reports again', () => {
    const soft = { softTimeouts: true };
    const silent = [...inStage('Installing'), fellSilent];
    const lost = when(silent, refresh({ connected: false }, installing, soft));
    expect(lost.types).toEqual(['HostConnectionTimedOut', 'HostStatusExplained']);
    const history = [...silent, ...lost.events];
    expect(when(history, refresh({ connected: false }, installing, soft)).events).toEqual([]);
    const returned = [...history, { type: 'HostReturned' as const, data: {} }];
    expect(when(returned, refresh({}, installing, soft)).types).toEqual([
      'HostConnectionRecovered',
      'HostStatusExplained',
    ]);
  });
});

describe('host timeouts', () => {
  it('can be changed by environment names, except those without a name', () => {
    const changed = hostTimeouts({ HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT: 5, HOST_LOG_PENDING_TIMEOUT: 6 });
    expect(changed.stageMs['Waiting for control plane']).toBe(5);
    expect(changed.logPendingMs).toBe(6);
    expect(hostTimeouts().stageMs['Waiting for control plane']).toBe(60 * 60_000);
    expect(HOST_TIMEOUT_TABLE.filter(({ env }) => env === undefined).map(({ name }) => name)).toEqual([
      'installingMs',
      'reclaimMs',
    ]);
  });

  it('clears passed deadlines when the status changes', () => {
    const history = [
      ...day1('installing'),
      { type: 'HostDeadlinePassed' as const, data: { deadline: 'installing' } },
      entered('error', 'deadline'),
    ];
    expect(stateAfter(history).passedDeadlines).toEqual([]);
  });
});
