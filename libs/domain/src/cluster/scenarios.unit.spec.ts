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
  COMMAND_SEQUENCES,
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

describe('installation of a cluster', () => {
  it('shows 10 percent when hosts start, 80 when they are installed, 95 when the operators are available, and 100 when it is complete', () => {
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

  it('goes through finalizing to installed in one refresh when all conditions are met', () => {
    const early = { ...clusterIn('installing'), hasKubeconfig: true, operators: [] };
    const { state, events } = when(early, refresh(fiveHosts('installed')));
    const statuses = events
      .filter(({ type }) => type === 'ClusterEnteredStatus')
      .map(({ data }) => 'status' in data && data.status);
    expect(statuses).toEqual(['finalizing', 'installed']);
    expect(renderClusterStatus(state.statusReason)).toBe('Cluster is installed');
  });

  it('completes with the kubeconfig when no operator is monitored', () => {
    const bare = { ...clusterIn('finalizing'), operators: [] };
    expect(when(bare, refresh(fiveHosts('installed'))).state.status).toBe('finalizing');
    expect(when(when(bare, KUBECONFIG).state, refresh(fiveHosts('installed'))).state.status).toBe('installed');
  });

  it('waits for failed built-in operators, and completes with the names of failed optional operators', () => {
    const chosen = after(
      registration({}, { olmOperators: [operator('lvm', 'olm'), operator('mce', 'olm')] }),
      ...COMMAND_SEQUENCES.finalizing.slice(1),
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

  it('sets the address of a single node as its VIPs, and removes it at a reset', () => {
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

describe('installation attempt', () => {
  it.each([
    [
      'insufficient',
      '4 of 5 control plane hosts, without the bootstrap host',
      5,
      ['master', 'master', 'master', 'master'],
    ],
    ['insufficient', '2 of 3 control plane hosts', 3, ['bootstrap', 'master', 'worker']],
    ['insufficient', 'no arbiter', 2, ['bootstrap', 'master']],
    ['installing', '4 of 5 control plane hosts', 5, ['bootstrap', 'master', 'master', 'master']],
  ] as const)('is %s after hosts were removed during the preparation: %s', (status, _, controlPlaneCount, roles) => {
    const state = after(
      registration({ openshiftVersion: '4.20.1', controlPlaneCount }),
      ...COMMAND_SEQUENCES['preparing-for-installation'].slice(1),
      PREPARED,
    );
    const hosts = roles.map((role) =>
      role === 'bootstrap'
        ? host('preparing-successful', 'master', { isBootstrap: true })
        : host('preparing-successful', role),
    );
    expect(when(state, refresh(summarizeHosts(hosts))).state.status).toBe(status);
  });

  it('ignores the artifacts of an earlier attempt', () => {
    const second = after(
      ...COMMAND_SEQUENCES['preparing-for-installation'],
      { type: 'CancelInstallation', refusingHosts: [], at: at(2) },
      INSTALL,
    );
    expect(second).toMatchObject({ attempt: 2, preparation: 'pending' });
    expect(when(second, PREPARED).events).toEqual([]);
  });

  it('ignores a late result after it was cancelled', () => {
    const cancelled = after(...COMMAND_SEQUENCES['preparing-for-installation'], {
      type: 'CancelInstallation',
      refusingHosts: [],
      at: at(2),
    });
    expect(when(cancelled, PREPARED).events).toEqual([]);
  });

  it('clears operator reports, kubeconfig, progress and logs at a reset, and keeps settings and start time', () => {
    const reset = after(...COMMAND_SEQUENCES.installed.slice(0, -1), { type: 'Reset', refusingHosts: [], at: at(90) });
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

describe('success after the deadline', () => {
  it('completes a failed cluster and stores the transition complete-late', () => {
    const failed = after(...COMMAND_SEQUENCES.finalizing, pass('finalizing', 360));
    expect(failed).toMatchObject({ status: 'error', failedDeadline: 'finalizing' });
    const done = when(when(failed, KUBECONFIG).state, report('console', 'available')).state;
    const { state, events } = when(
      done,
      refresh(fiveHosts('error', 'error', { hasReachedDone: true }), { at: at(400) }),
    );
    expect(state).toMatchObject({ status: 'installed', failedDeadline: '', progress: { total: 100 } });
    const entered = events.at(-1)?.data as EventData<'ClusterEnteredStatus'>;
    expect(entered).toMatchObject({ from: 'error', transition: 'complete-late' });
  });

  it('of the hosts moves the cluster to finalizing and restarts its timers', () => {
    const failed = after(...COMMAND_SEQUENCES['installing-pending-user-action'], pass('installation', 1 + 24 * 60));
    const resumed = when(failed, refresh(fiveHosts('installed'), { at: at(2_000) })).state;
    expect(resumed.status).toBe('finalizing');
    const due = clusterDeadlines(resumed, SOFT).find(({ name }) => name === 'installation');
    expect(due?.atMs).toBe(Date.parse(at(2_000 + 24 * 60)));
  });

  it('does not change the status while operators of a cluster that failed in finalizing are missing', () => {
    const failed = after(...COMMAND_SEQUENCES.finalizing, pass('finalizing', 360));
    expect(when(failed, refresh(fiveHosts('installed'))).events).toEqual([]);
  });

  it('does not change a cluster whose hosts failed', () => {
    const failed = { ...clusterIn('error'), hasKubeconfig: true, operators: [] };
    expect(when(failed, refresh(fiveHosts('installed'))).events).toEqual([]);
  });
});

describe('cluster deadlines', () => {
  const names = (state: Parameters<typeof clusterDeadlines>[0], settings = HARD): readonly string[] =>
    clusterDeadlines(state, settings).map(({ name, atMs }) => `${name} ${(atMs - Date.parse(at(0))) / 60_000}`);

  it('of the preparation count from the install request', () =>
    expect(names(clusterIn('preparing-for-installation'))).toEqual(['preparation 11']));
  it('exist in status installing with soft timeouts only', () => {
    expect(names(clusterIn('installing'))).toEqual([]);
    expect(names(clusterIn('installing'), SOFT)).toEqual(['installation 1441']);
  });
  it('exist in status installing-pending-user-action', () =>
    expect(names(clusterIn('installing-pending-user-action'))).toEqual(['installation 1441']));
  it('of finalizing count from its start, those of its stages from the report of the stage', () => {
    const state = after(...COMMAND_SEQUENCES.finalizing, {
      type: 'ReachFinalizingStage',
      stage: 'Waiting for cluster operators',
      at: at(65),
    });
    expect(names(state)).toEqual(['finalizing 360', 'finalizing-stage 665']);
    expect(names(state, SOFT)).toEqual(['installation 1441', 'finalizing-stage 135']);
  });
  it('of stages for optional operators last as long as the longest operator timeout', () => {
    const state = after(
      registration({}, { olmOperators: [operator('odf', 'olm', '', 7_200)] }),
      ...COMMAND_SEQUENCES.finalizing.slice(1),
      { type: 'ReachFinalizingStage', stage: 'Waiting for olm operators csv', at: at(65) },
    );
    expect(names(state)).toContain('finalizing-stage 185');
  });
  it('of a stage pass once', () => {
    const state = after(
      ...COMMAND_SEQUENCES.finalizing,
      { type: 'ReachFinalizingStage', stage: 'Applying olm manifests', at: at(65) },
      pass('finalizing-stage', 75),
    );
    expect(state).toMatchObject({ status: 'finalizing', isFinalizingStageTimedOut: true });
    expect(names(state)).toEqual(['finalizing 360']);
  });
  it('of logs are ten minutes until the request and one hour after each report', () => {
    expect(names(clusterIn('error'))).toEqual(['log-request 40']);
    const logs = (logsState: string, minutes: number): ClusterCommand => ({
      type: 'RecordLogs',
      report: { kind: 'state', logsState },
      at: at(minutes),
    });
    const requested = after(...COMMAND_SEQUENCES.error, logs('requested', 35));
    expect(names(requested)).toEqual(['log-collection 95']);
    // The empty state of the v2 API reports nothing, as for a host.
    expect(when(requested, logs('', 40))).toMatchObject({ events: [], state: requested });
    const collected = when(requested, {
      type: 'RecordLogs',
      report: { kind: 'collected', logsType: 'controller', hostId: '', body: { digest: 'sha256:0', bytes: 1 } },
      at: at(50),
    }).state;
    expect(names(collected)).toEqual(['log-collection 110']);
    expect(names(when(collected, logs('completed', 51)).state)).toEqual([]);
  });
  it('of a deleted cluster end its retention after three days, once', () => {
    const deleted = clusterIn('deregistered');
    expect(names(deleted)).toEqual(['retention 4321']);
    expect(names(after(...COMMAND_SEQUENCES.deregistered, pass('retention', 4_321)))).toEqual([]);
  });
  it('do not exist for installed, ready and adding-hosts', () => {
    for (const status of ['installed', 'ready', 'adding-hosts'] as const) expect(names(clusterIn(status))).toEqual([]);
  });
});

describe('cluster that accepts hosts after its installation', () => {
  const open: ClusterCommand = { type: 'AllowAddHosts', at: at(100) };

  it('uses its first VIP as API address when the network is cluster-managed, otherwise its DNS name', () => {
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

describe('operator report', () => {
  it.each(['insufficient', 'ready', 'preparing-for-installation'] as const)(
    'in %s before the installation is accepted and does not change the progress',
    (status) => {
      const { events } = when(clusterIn(status), report('console', 'available'));
      expect(events.map(({ type }) => type)).toEqual(['OperatorStatusReported']);
    },
  );
});
