import {
  after,
  at,
  clusterIn,
  COMMAND_SEQUENCES,
  conditions,
  fiveHosts,
  operator,
  refresh,
  registration,
  revise,
  START,
  when,
} from './cluster.fixture.spec';

const VIPS = { apiVips: { items: ['192.0.2.100'] }, ingressVips: { items: ['192.0.2.101'] } };
const reset = { type: 'Reset', refusingHosts: [], at: at(40) } as const;

describe('the state of a cluster', () => {
  it('has its owner and the reason of its status', () => {
    const { owner, statusReason } = after(registration());
    expect(owner).toEqual({ userName: 'admin', orgId: 'org', emailDomain: 'example.com' });
    expect(statusReason.code).toBe('not-ready');
  });

  it('has the present reason when only that changes', () => {
    const explained = refresh(fiveHosts('known'), {
      conditions: conditions({ requiredPassed: false, failingIds: ['ntp-server-configured'] }),
    });
    const { events, state } = when(clusterIn('insufficient'), explained);
    expect(events.map(({ type }) => type)).toEqual(['ClusterStatusExplained']);
    expect(state.statusReason).toMatchObject({ code: 'not-ready', failing: ['ntp-server-configured'] });
  });

  it('has the operators of the last revision that contains some', () => {
    const lvm = { olmOperators: [operator('lvm', 'olm')] };
    const chosen = when(clusterIn('insufficient'), revise({}, lvm)).state;
    expect(chosen.operators.map(({ name }) => name)).toEqual(['console', 'lvm']);
    expect(when(chosen, revise({ name: 'other' })).state.operators).toEqual(chosen.operators);
  });

  it('has derived machine networks until there are none', () => {
    const derive = (...cidrs: string[]) => ({ type: 'DeriveMachineNetworks', cidrs, at: START }) as const;
    const derived = when(clusterIn('insufficient'), derive('192.0.2.0/24')).state;
    expect(derived.areNetworksDerived).toBe(true);
    expect(when(derived, derive()).state).toMatchObject({
      areNetworksDerived: false,
      settings: { machineNetworks: { items: [] } },
    });
  });

  it('keeps everything but its kind when hosts may be added', () => {
    const installed = clusterIn('installed');
    const { state } = when(installed, { type: 'AllowAddHosts', at: at(90) });
    expect(state).toMatchObject({
      clusterId: installed.clusterId,
      owner: installed.owner,
      settings: { name: 'prod', openshiftVersion: '4.18.3', apiVipDnsName: 'api.prod.example.com' },
      operators: installed.operators,
      kind: 'AddHostsCluster',
    });
  });

  it('keeps the VIPs of several nodes at a reset, and not those of a single node', () => {
    const failed = (settings: object) => {
      const [, ...rest] = COMMAND_SEQUENCES.error;
      const state = after(registration({ ...VIPS, ...settings }), ...rest);
      return when({ ...state, status: 'error' }, reset).state.settings;
    };
    expect(failed({})).toMatchObject(VIPS);
    expect(failed({ controlPlaneCount: 1 })).toMatchObject({ apiVips: { items: [] }, ingressVips: { items: [] } });
  });
});
