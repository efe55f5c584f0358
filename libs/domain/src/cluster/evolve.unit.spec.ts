import type { ClusterEvent } from '@muster/contracts';
import {
  after,
  at,
  clusterIn,
  COMMAND_SEQUENCES,
  conditions,
  evolveAll,
  fiveHosts,
  host,
  INSTALL,
  PREPARED,
  refresh,
  refusalOf,
  registration,
  when,
} from './cluster.fixture.spec';
import { summarizeHosts } from '../roles/host-summary';
import type { AcceptVipLeases, ClusterCommand } from './commands';
import { clusterDeadlines, DEFAULT_CLUSTER_TIMEOUTS } from './deadlines';
import { renderClusterStatus } from './messages';
import type { ClusterState } from './state';

const revise = (changes: object, pullSecretReplaced = false): ClusterCommand => ({
  type: 'Revise',
  changes,
  pullSecretReplaced,
  at: at(3),
});
const stage = (name: string, minutes: number): ClusterCommand => ({
  type: 'ReachFinalizingStage',
  stage: name,
  at: at(minutes),
});
const stageDeadline = (minutes: number): ClusterCommand => ({
  type: 'PassDeadline',
  deadline: 'finalizing-stage',
  softTimeouts: false,
  at: at(minutes),
});
const minutesOf = (state: ClusterState): readonly string[] =>
  clusterDeadlines(state, { timeouts: DEFAULT_CLUSTER_TIMEOUTS, softTimeouts: false }).map(
    ({ name, atMs }) => `${name} ${(atMs - Date.parse(at(0))) / 60_000}`,
  );

describe('the finalizing stage of a cluster', () => {
  const waiting = after(
    ...COMMAND_SEQUENCES.finalizing,
    stage('Applying olm manifests', 65),
    stageDeadline(75),
    refresh(fiveHosts('installed', 'installing-pending-user-action'), { at: at(80) }),
  );

  it('starts again when the cluster returns to finalizing after the action of a user', () => {
    expect(waiting).toMatchObject({ status: 'installing-pending-user-action', isFinalizingStageTimedOut: true });
    const { state } = when(waiting, refresh(fiveHosts('installed'), { at: at(100) }));
    expect(state).toMatchObject({ status: 'finalizing', isFinalizingStageTimedOut: false });
    expect(minutesOf(state)).toEqual(['finalizing 400', 'finalizing-stage 110']);
  });

  it('has no deadline before its first report', () => {
    expect(minutesOf(clusterIn('finalizing'))).toEqual(['finalizing 360']);
  });

  it('that times out is named with its duration', () => {
    const failing = after(...COMMAND_SEQUENCES.finalizing, stage('Adding router ca', 65));
    const { state, events } = when(failing, stageDeadline(135));
    expect(events).toContainEqual({
      type: 'FinalizingStageTimedOut',
      data: { stage: 'Adding router ca', minutes: 70 },
    });
    expect(state.status).toBe('error');
    expect(renderClusterStatus(state.statusReason)).toBe(
      "Cluster finalizing stage 'Adding router ca' has been timed out after timeout duration of 70 minutes",
    );
  });

  it.each([
    ['Waiting for cluster operators', 600, 'error'],
    ['Adding router ca', 70, 'error'],
    ['Applying olm manifests', 10, 'finalizing'],
    ['Waiting for olm operators csv initialization', 70, 'finalizing'],
    ['Waiting for olm operators csv', 70, 'finalizing'],
    ['Waiting for OLM operator setup jobs', 10, 'error'],
    ['Done', 70, 'error'],
  ])('%s has %i minutes, and the cluster is then %s', (name, minutes, status) => {
    const timeouts = { ...DEFAULT_CLUSTER_TIMEOUTS, finalizingMs: 900 * 60_000 };
    const settings = { timeouts, monitorsClusterVersion: false };
    const state = after(...COMMAND_SEQUENCES.finalizing, stage(name, 65));
    expect(when(state, stageDeadline(64 + minutes), settings).events).toEqual([]);
    expect(when(state, stageDeadline(65 + minutes), settings).state.status).toBe(status);
  });
});

describe('the end of an installation', () => {
  it.each([
    ['installed', 80],
    ['error', 30],
    ['cancelled', 30],
  ] as const)('is recorded in %s', (status, minutes) => {
    expect(clusterIn('finalizing').installCompletedAt).toBe('');
    expect(clusterIn(status).installCompletedAt).toBe(at(minutes));
  });

  it('is kept after a reset', () => {
    const reset = when(clusterIn('error'), { type: 'Reset', refusingHosts: [], at: at(90) }).state;
    expect(reset).toMatchObject({ status: 'insufficient', installCompletedAt: at(30) });
  });
});

describe('the pull secret of a cluster', () => {
  it('is set by a later change, and stays set', () => {
    const bare = after(registration({}, { pullSecretSet: false }));
    expect(when(bare, revise({ name: 'other' })).state.pullSecretSet).toBe(false);
    const set = when(bare, revise({}, true)).state;
    expect(set.pullSecretSet).toBe(true);
    expect(when(set, revise({ name: 'other' })).state.pullSecretSet).toBe(true);
  });
});

describe('the VIPs of a cluster with DHCP', () => {
  const open = after(
    registration({
      vipDhcpAllocation: true,
      openshiftVersion: '4.14.71',
      apiVips: { items: [] },
      ingressVips: { items: [] },
      machineNetworks: { items: ['192.168.1.0/24'] },
    }),
  );
  const leases = (more: Partial<AcceptVipLeases> = {}): AcceptVipLeases => ({
    type: 'AcceptVipLeases',
    apiVip: '192.168.1.100',
    ingressVip: '192.168.1.101',
    apiVipLease: 'api lease',
    ingressVipLease: 'ingress lease',
    at: at(1),
    ...more,
  });
  const leased = when(open, leases()).state;

  it('have the leases that the installation uses', () => {
    expect(leased).toMatchObject({
      settings: { apiVips: { items: ['192.168.1.100'] }, ingressVips: { items: ['192.168.1.101'] } },
      vipLeases: { api: 'api lease', ingress: 'ingress lease' },
    });
  });

  it('lose their leases when a user sets other VIPs, and not with another change', () => {
    expect(when(leased, revise({ name: 'other' })).state.vipLeases.api).toBe('api lease');
    const named = revise({ vipDhcpAllocation: false, apiVips: { items: ['192.168.1.120'] } });
    expect(when(leased, named).state.vipLeases).toEqual({ api: '', ingress: '' });
  });

  it('end with the machine network that contains them', () => {
    const derive = (cidr: string): ClusterCommand => ({ type: 'DeriveMachineNetworks', cidrs: [cidr], at: at(2) });
    const ended = {
      settings: { apiVips: { items: [] }, ingressVips: { items: [] } },
      vipLeases: { api: '', ingress: '' },
    };
    expect(when(leased, derive('10.0.0.0/24')).state).toMatchObject(ended);
    expect(when(leased, revise({ machineNetworks: { items: ['10.0.0.0/24'] } })).state).toMatchObject(ended);
    expect(when(leased, derive('192.168.0.0/16')).state.vipLeases.api).toBe('api lease');
    const wider = revise({ machineNetworks: { items: ['192.168.0.0/16'] } });
    expect(when(leased, wider).state.vipLeases.api).toBe('api lease');
    const manual = { ...leased, settings: { ...leased.settings, vipDhcpAllocation: false } };
    expect(when(manual, derive('10.0.0.0/24')).state.settings.apiVips?.items).toEqual(['192.168.1.100']);
  });

  it('change with each of the two addresses, and not with the text of a lease', () => {
    expect(when(leased, leases({ apiVipLease: 'renewed' })).events).toEqual([]);
    expect(when(leased, leases({ apiVip: '192.168.1.110' })).state.settings.apiVips?.items).toEqual(['192.168.1.110']);
    expect(when(leased, leases({ ingressVip: '192.168.1.111' })).state.settings.ingressVips?.items).toEqual([
      '192.168.1.111',
    ]);
  });

  it('receive a lease that an earlier report did not contain', () => {
    const bare = when(open, leases({ apiVipLease: '', ingressVipLease: '' })).state;
    expect(when(bare, leases({ apiVipLease: '' })).events).toEqual([]);
    expect(when(bare, leases()).state.vipLeases.api).toBe('api lease');
  });

  it.each([
    ['the API VIP is outside', { apiVip: '10.0.0.1' }],
    ['the ingress VIP is outside', { ingressVip: '10.0.0.1' }],
    ['an address is missing', { apiVip: '' }],
  ])('are refused when %s', (_, more) => {
    expect(refusalOf(open, leases(more)).code).toBe('invalid-input');
  });
});

describe('a single node', () => {
  const node = summarizeHosts([host('known', 'master', { isBootstrap: true })]);
  const prepared = summarizeHosts([host('preparing-successful', 'master', { isBootstrap: true })]);

  it('whose VIPs a user set starts without a derived address', () => {
    const vips = { apiVips: { items: ['192.168.1.10'] }, ingressVips: { items: ['192.168.1.10'] } };
    const waiting = after(
      registration({ controlPlaneCount: 1, ...vips }),
      refresh(node, { conditions: conditions() }),
      { ...INSTALL, hosts: node } as ClusterCommand,
      PREPARED,
    );
    const { state, events } = when(waiting, refresh(prepared));
    expect(state).toMatchObject({ status: 'installing', settings: vips });
    expect(events.map(({ type }) => type)).not.toContain('VipsDerived');
  });
});

describe('the logs of a cluster', () => {
  const reported = (logsState: string, minutes: number): ClusterCommand => ({
    type: 'RecordLogs',
    report: { kind: 'state', logsState },
    at: at(minutes),
  });
  const collected = (logsType: string, minutes: number): ClusterCommand => ({
    type: 'RecordLogs',
    report: { kind: 'collected', logsType, hostId: 'h1', body: { digest: 'sha256:0', bytes: 1 } },
    at: at(minutes),
  });

  it('are awaited from the last request, and not from later states', () => {
    const requested = after(...COMMAND_SEQUENCES.error, reported('requested', 35));
    const collecting = when(requested, reported('collecting', 40)).state;
    expect(minutesOf(collecting)).toEqual(['log-collection 95']);
    expect(minutesOf(when(collecting, reported('requested', 50)).state)).toEqual(['log-collection 110']);
    expect(minutesOf(after(...COMMAND_SEQUENCES.error, reported('collecting', 40)))).toEqual(['log-collection 100']);
  });

  it('of a host do not extend the time for those of the controller', () => {
    const requested = after(...COMMAND_SEQUENCES.error, reported('requested', 35));
    expect(minutesOf(when(requested, collected('host', 60)).state)).toEqual(['log-collection 95']);
    expect(minutesOf(when(requested, collected('controller', 60)).state)).toEqual(['log-collection 120']);
  });
});

describe('the inputs of the validations of a cluster', () => {
  const before = clusterIn('insufficient');
  const isCounted = (event: ClusterEvent): boolean => evolveAll(before, [event]).inputsRevision > before.inputsRevision;

  const INPUTS: readonly ClusterEvent[] = [
    { type: 'ClusterSettingsRevised', data: { changes: { name: 'x' }, pullSecretReplaced: false } },
    { type: 'MachineNetworksDerived', data: { cidrs: [] } },
    { type: 'VipsDerived', data: { apiVips: [], ingressVips: [] } },
    { type: 'ClusterReset', data: { reason: '' } },
    { type: 'ClusterOpenedForHosts', data: { apiVipDnsName: 'api' } },
  ];

  it.each(INPUTS.map((event) => [event.type, event] as const))('change with %s', (_, event) => {
    expect(isCounted(event)).toBe(true);
  });

  it('begin with the registration, and do not change with the status', () => {
    expect(before.inputsRevision).toBe(1);
    expect(clusterIn('installing').inputsRevision).toBe(1);
  });
});
