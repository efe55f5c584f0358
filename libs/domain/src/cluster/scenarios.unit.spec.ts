import type { EventData } from '@muster/contracts';
import { summarizeHosts } from '../roles/host-summary';
import {
  after,
  at,
  clusterIn,
  conditions,
  fiveHosts,
  host,
  INSTALL,
  operator,
  PREPARED,
  refresh,
  registration,
  STORIES,
  when,
} from './cluster.fixture.spec';
import type { ClusterCommand } from './commands';
import { clusterDeadlines, DEFAULT_CLUSTER_TIMEOUTS } from './deadlines';
import { clusterReason, renderClusterStatus } from './messages';

const HARD = { timeouts: DEFAULT_CLUSTER_TIMEOUTS, softTimeouts: false };
const SOFT = { timeouts: DEFAULT_CLUSTER_TIMEOUTS, softTimeouts: true };
const report = (name: string, status: string): ClusterCommand => ({
  type: 'ReportOperatorStatus',
  name,
  status,
  statusInfo: '',
  version: '',
  at: at(70),
});
const KUBECONFIG: ClusterCommand = { type: 'CompleteKubeconfig', at: at(70) };
const pass = (
  deadline: 'installation' | 'finalizing' | 'finalizing-stage' | 'retention',
  minutes: number,
): ClusterCommand => ({
  type: 'PassDeadline',
  deadline,
  softTimeouts: false,
  at: at(minutes),
});

describe('an installation', () => {
  it('shows 10 percent when hosts start, 80 when they are installed, 95 when operators settled, 100 at the end', () => {
    let state = clusterIn('installing');
    expect(state.progress).toEqual({ total: 10, preparing: 100, installing: 0, finalizing: 0 });
    state = when(state, { type: 'RecordProgress', stagesReached: 21, stagesTotal: 42, at: at(10) }).state;
    expect(state.progress).toMatchObject({ total: 45, installing: 50 });
    state = when(state, { type: 'RecordProgress', stagesReached: 42, stagesTotal: 42, at: at(50) }).state;
    expect(state.progress.total).toBe(80);
    state = when(when(state, refresh(fiveHosts('installed'))).state, report('console', 'available')).state;
    expect(state.progress).toMatchObject({ total: 95, finalizing: 100 });
    state = when(when(state, KUBECONFIG).state, refresh(fiveHosts('installed'))).state;
    expect(state.progress.total).toBe(100);
  });

  it('goes through finalizing to installed in one refresh, when everything is there already', () => {
    const early = { ...clusterIn('installing'), hasKubeconfig: true, operators: [] };
    const { state, events } = when(early, refresh(fiveHosts('installed')));
    const statuses = events
      .filter(({ type }) => type === 'ClusterEnteredStatus')
      .map(({ data }) => 'status' in data && data.status);
    expect(statuses).toEqual(['finalizing', 'installed']);
    expect(renderClusterStatus(state.statusReason)).toBe('Cluster is installed');
  });

  it('is finished by the kubeconfig alone when nothing is monitored', () => {
    const bare = { ...clusterIn('finalizing'), operators: [] };
    expect(when(bare, refresh(fiveHosts('installed'))).state.status).toBe('finalizing');
    expect(when(when(bare, KUBECONFIG).state, refresh(fiveHosts('installed'))).state.status).toBe('installed');
  });

  it('names optional operators that failed, and does not wait for built-in ones that did', () => {
    const chosen = after(
      registration({}, { olmOperators: [operator('lvm', 'olm'), operator('mce', 'olm')] }),
      ...STORIES.finalizing.slice(1),
      KUBECONFIG,
      report('lvm', 'failed'),
      report('mce', 'failed'),
    );
    expect(when(chosen, report('console', 'failed')).state.status).toBe('finalizing');
    const failing = when(chosen, report('console', 'failed')).state;
    expect(when(failing, refresh(fiveHosts('installed'))).state.status).toBe('finalizing');
    const settled = when(chosen, report('console', 'available')).state;
    expect(renderClusterStatus(when(settled, refresh(fiveHosts('installed'))).state.statusReason)).toContain(
      'lvm, mce',
    );
  });

  it('of a single node takes the node’s address as VIPs, and gives it back at a reset', () => {
    const node = summarizeHosts([host('known', 'master', { isBootstrap: true })]);
    const prepared = summarizeHosts([host('preparing-successful', 'master', { isBootstrap: true })]);
    const waiting = after(
      registration({ controlPlaneCount: 1 }),
      refresh(node, { conditions: conditions() }),
      { ...INSTALL, hosts: node } as ClusterCommand,
      PREPARED,
      refresh(prepared),
    );
    expect(waiting.status).toBe('preparing-for-installation');
    const { state } = when(waiting, refresh(prepared, { singleNodeAddress: '192.168.1.10' }));
    expect(state).toMatchObject({
      status: 'installing',
      settings: { apiVips: { items: ['192.168.1.10'] }, ingressVips: { items: ['192.168.1.10'] } },
    });
    const reset = when(state, { type: 'Reset', refusingHosts: [], at: at(9) }).state;
    expect(reset.settings).toMatchObject({ apiVips: { items: [] }, ingressVips: { items: [] } });
  });
});

describe('an attempt', () => {
  it('ignores what an earlier attempt made', () => {
    const second = after(
      ...STORIES['preparing-for-installation'],
      { type: 'CancelInstallation', refusingHosts: [], at: at(2) },
      INSTALL,
    );
    expect(second).toMatchObject({ attempt: 2, preparation: 'pending' });
    expect(when(second, PREPARED).events).toEqual([]);
  });

  it('that was cancelled takes no late outcome, so that the next one starts clean', () => {
    const cancelled = after(...STORIES['preparing-for-installation'], {
      type: 'CancelInstallation',
      refusingHosts: [],
      at: at(2),
    });
    expect(when(cancelled, PREPARED).events).toEqual([]);
  });

  it('after a reset forgets reports of operators, kubeconfig, progress and logs, and keeps settings and times', () => {
    const reset = after(...STORIES.installed.slice(0, -1), { type: 'Reset', refusingHosts: [], at: at(90) });
    expect(reset).toMatchObject({
      status: 'insufficient',
      hasKubeconfig: false,
      openshiftClusterId: '',
      preparation: 'none',
      logsState: '',
      progress: { total: 0 },
      installStartedAt: at(1),
      settings: { name: 'prod' },
    });
    expect(reset.operators.map(({ status }) => status)).toEqual(['']);
  });
});

describe('a success after the deadline', () => {
  it('makes a failed cluster installed, and says which deadline had passed', () => {
    const failed = after(...STORIES.finalizing, pass('finalizing', 360));
    expect(failed).toMatchObject({ status: 'error', failedDeadline: 'finalizing' });
    const done = when(when(failed, KUBECONFIG).state, report('console', 'available')).state;
    const { state, events } = when(done, refresh(fiveHosts('error', 'error', { hasArrived: true }), { at: at(400) }));
    expect(state).toMatchObject({ status: 'installed', failedDeadline: '', progress: { total: 100 } });
    const entered = events.at(-1)?.data as EventData<'ClusterEnteredStatus'>;
    expect(entered).toMatchObject({ from: 'error', transition: 'complete-late' });
  });

  it('of hosts lets the cluster finalize, with its timers restarted', () => {
    const failed = after(...STORIES['installing-pending-user-action'], pass('installation', 1 + 24 * 60));
    const resumed = when(failed, refresh(fiveHosts('installed'), { at: at(2_000) })).state;
    expect(resumed.status).toBe('finalizing');
    const due = clusterDeadlines(resumed, SOFT).find(({ name }) => name === 'installation');
    expect(due?.atMs).toBe(Date.parse(at(2_000 + 24 * 60)));
  });

  it('does not bounce: a cluster that ran out of time while settling waits for its operators', () => {
    const failed = after(...STORIES.finalizing, pass('finalizing', 360));
    expect(when(failed, refresh(fiveHosts('installed'))).events).toEqual([]);
  });

  it('does not revive a cluster whose hosts failed', () => {
    const failed = { ...clusterIn('error'), hasKubeconfig: true, operators: [] };
    expect(when(failed, refresh(fiveHosts('installed'))).events).toEqual([]);
  });
});

describe('deadlines', () => {
  const names = (state: Parameters<typeof clusterDeadlines>[0], settings = HARD): readonly string[] =>
    clusterDeadlines(state, settings).map(({ name, atMs }) => `${name} ${(atMs - Date.parse(at(0))) / 60_000}`);

  it('of a preparation count from the install request', () =>
    expect(names(clusterIn('preparing-for-installation'))).toEqual(['preparation 11']));
  it('do not run while hosts install, unless timeouts are soft', () => {
    expect(names(clusterIn('installing'))).toEqual([]);
    expect(names(clusterIn('installing'), SOFT)).toEqual(['installation 1441']);
  });
  it('run while a user is waited for', () =>
    expect(names(clusterIn('installing-pending-user-action'))).toEqual(['installation 1441']));
  it('of finalizing count from its start, and of its stage from the report', () => {
    const state = after(...STORIES.finalizing, {
      type: 'ReachFinalizingStage',
      stage: 'Waiting for cluster operators',
      at: at(65),
    });
    expect(names(state)).toEqual(['finalizing 360', 'finalizing-stage 665']);
    expect(names(state, SOFT)).toEqual(['installation 1441', 'finalizing-stage 135']);
  });
  it('give stages of optional operators as long as the slowest of them asks for', () => {
    const state = after(
      registration({}, { olmOperators: [operator('odf', 'olm', '', 7_200)] }),
      ...STORIES.finalizing.slice(1),
      { type: 'ReachFinalizingStage', stage: 'Waiting for olm operators csv', at: at(65) },
    );
    expect(names(state)).toContain('finalizing-stage 185');
  });
  it('of a stage are reported once', () => {
    const state = after(
      ...STORIES.finalizing,
      { type: 'ReachFinalizingStage', stage: 'Applying olm manifests', at: at(65) },
      pass('finalizing-stage', 75),
    );
    expect(state).toMatchObject({ status: 'finalizing', isFinalizingStageTimedOut: true });
    expect(names(state)).toEqual(['finalizing 360']);
  });
  it('of logs: ten minutes to be asked for, an hour from each sign of them', () => {
    expect(names(clusterIn('error'))).toEqual(['log-request 40']);
    const logs = (logsState: string, minutes: number): ClusterCommand => ({
      type: 'RecordLogs',
      report: { kind: 'state', logsState },
      at: at(minutes),
    });
    const requested = after(...STORIES.error, logs('requested', 35));
    expect(names(requested)).toEqual(['log-collection 95']);
    const collected = when(requested, {
      type: 'RecordLogs',
      report: { kind: 'collected', logsType: 'controller', hostId: '', body: { digest: 'sha256:0', bytes: 1 } },
      at: at(50),
    }).state;
    expect(names(collected)).toEqual(['log-collection 110']);
    expect(names(when(collected, logs('completed', 51)).state)).toEqual([]);
  });
  it('of a deleted cluster: it can be looked at for three days, and not again', () => {
    const deleted = clusterIn('deregistered');
    expect(names(deleted)).toEqual(['retention 4321']);
    expect(names(after(...STORIES.deregistered, pass('retention', 4_321)))).toEqual([]);
  });
  it('none are left in a cluster that is installed or ready', () => {
    for (const status of ['installed', 'ready', 'adding-hosts'] as const) expect(names(clusterIn(status))).toEqual([]);
  });
});

describe('a cluster that is opened for hosts', () => {
  const open: ClusterCommand = { type: 'AllowAddHosts', at: at(100) };

  it('is reached through its first VIP when the VIPs are ours, else by name', () => {
    const managed = { ...clusterIn('installed') };
    const withVip = { ...managed, settings: { ...managed.settings, apiVips: { items: ['192.168.1.5'] } } };
    expect(when(withVip, open).state).toMatchObject({
      status: 'adding-hosts',
      kind: 'AddHostsCluster',
      statusReason: clusterReason('adding-hosts'),
      settings: { apiVipDnsName: '192.168.1.5' },
    });
    const own = { ...withVip, settings: { ...withVip.settings, userManagedNetworking: true } };
    expect(when(own, open).state.settings.apiVipDnsName).toBe('api.prod.example.com');
  });
});

describe('a report about an operator', () => {
  it.each(['insufficient', 'ready', 'preparing-for-installation'] as const)(
    'is accepted in %s, before the installation, and moves no progress',
    (status) => {
      const { events } = when(clusterIn(status), report('console', 'available'));
      expect(events.map(({ type }) => type)).toEqual(['OperatorStatusReported']);
    },
  );
});
