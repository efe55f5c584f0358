import { type HostKey, hostKeyOf, type MusterEvent } from '@muster/contracts';
import { hostDecider } from './host/decider';
import { Membership } from './membership';

const at = '2026-01-01T00:00:00.000Z';
const key = (host: string, infraEnv = 'env') => hostKeyOf(infraEnv, host);
const inStream = (streamId: string, event: MusterEvent) => ({ ...event, streamId });
const registered = (host: string, clusterId: string, infraEnv = 'env') =>
  inStream(`host-${key(host, infraEnv)}`, {
    type: 'HostRegistered',
    data: {
      infraEnvId: infraEnv,
      hostId: host,
      clusterId,
      kind: 'Host',
      role: 'auto-assign',
      bootstrap: false,
      discoveryAgentVersion: '',
      machineConfigPoolName: '',
      owner: undefined,
      at,
    },
  });
const bound = (host: string, clusterId: string) =>
  inStream(`host-${key(host)}`, { type: 'HostBound', data: { clusterId } });
const unbound = (host: string, clusterId: string) =>
  inStream(`host-${key(host)}`, { type: 'HostUnbound', data: { clusterId } });
const deregistered = (host: string) => inStream(`host-${key(host)}`, { type: 'HostDeregistered', data: { at } });
const reregistered = (host: string, clusterId: string) =>
  inStream(`host-${key(host)}`, {
    type: 'HostReregistered',
    data: { discoveryAgentVersion: '', kind: 'Host', clusterId, inventoryKept: false, at },
  });
const REGISTERED_CLUSTER = {
  clusterId: 'new',
  kind: 'Cluster',
  settings: {},
  owner: undefined,
  pullSecretSet: true,
  monitoredOperators: [],
  openshiftClusterId: '',
  imported: false,
  status: 'insufficient',
  statusReason: undefined,
  at,
};
const REGISTERED_INFRA_ENV = { infraEnvId: 'env', settings: {}, owner: undefined, pullSecretSet: true, at };
function after(...events: readonly ReturnType<typeof inStream>[]): Membership {
  const membership = new Membership();
  for (const event of events) membership.observe(event);
  return membership;
}

describe('membership', () => {
  it('lists the hosts of a cluster in ascending order and follows each move', () => {
    const membership = after(registered('b', 'one'), registered('a', 'one'), registered('c', ''));
    const members = membership.hostsOf('one');
    expect([...members]).toEqual([key('a'), key('b')]);
    expect(membership.observe(bound('a', 'two'))).toEqual({ left: 'one', joined: 'two' });
    expect(membership.observe(unbound('b', 'one'))).toEqual({ left: 'one', joined: '' });
    expect([...members]).toEqual([]);
    expect([...membership.hostsOf('two')]).toEqual([key('a')]);
  });

  it('keeps many hosts in ascending order, independent of the order in which they join and leave', () => {
    const names = Array.from({ length: 50 }, (_, index) => `host-${(index * 37) % 50}`);
    const membership = after(...names.map((name) => registered(name, 'one')));
    const members = membership.hostsOf('one');
    expect([...members]).toEqual(names.map((name) => key(name)).sort());
    const leaving = names.filter((_, index) => index % 3 === 0);
    for (const name of leaving) membership.observe(unbound(name, 'one'));
    const staying = names.filter((name) => !leaving.includes(name)).map((name) => key(name));
    expect([...members]).toEqual([...staying].sort());
    expect(members.size).toBe(staying.length);
    expect(names.map((name) => members.has(key(name)))).toEqual(names.map((name) => staying.includes(key(name))));
  });

  it('searches the known hosts for a cluster and an infra-env from before, not for new ones', () => {
    const searched: string[] = [];
    const search = (id: string) => {
      searched.push(id);
      return [key('b')];
    };
    const membership = new Membership({ clusterOf: () => '', hostsOfCluster: search, hostsOfInfraEnv: search });
    membership.observe(inStream('cluster-new', { type: 'ClusterRegistered', data: REGISTERED_CLUSTER }));
    membership.observe(inStream('infraEnv-env', { type: 'InfraEnvRegistered', data: REGISTERED_INFRA_ENV }));
    membership.observe(registered('a', 'new'));
    expect([...membership.hostsOf('new'), ...membership.hostsOfInfraEnv('env')]).toEqual([key('a'), key('a')]);
    expect(searched).toEqual([]);
    expect([...membership.hostsOf('old')]).toEqual([key('b')]);
    expect(searched).toEqual(['old']);
  });

  it('lists the hosts of a deleted cluster until each of them has left it', () => {
    const deleted = inStream('cluster-one', { type: 'ClusterDeregistered', data: { at } });
    const membership = after(registered('a', 'one'), registered('b', 'one'), unbound('b', 'one'), deleted);
    expect([...membership.hostsOf('one')]).toEqual([key('a')]);
  });

  it('returns the cluster that a removed host leaves', () => {
    const membership = after(registered('a', 'one'));
    expect(membership.observe(deregistered('a'))).toEqual({ left: 'one', joined: '' });
    expect([...membership.hostsOfInfraEnv('env')]).toEqual([]);
  });

  it('updates a host that registers again in another cluster or without one', () => {
    const membership = after(registered('a', 'one'));
    expect(membership.observe(reregistered('a', 'two'))).toEqual({ left: 'one', joined: 'two' });
    expect(membership.observe(reregistered('a', ''))).toEqual({ left: 'two', joined: '' });
  });

  it('lists the infra-envs of the hosts of a cluster', () => {
    const membership = after(registered('a', 'one'), registered('b', 'one', 'other'), registered('c', 'two', 'third'));
    const infraEnvs = () => [...membership.infraEnvsOf('one')].sort();
    expect(infraEnvs()).toEqual(['env', 'other']);
    membership.observe(unbound('a', 'one'));
    expect(infraEnvs()).toEqual(['other']);
    membership.observe(bound('a', 'one'));
    expect(infraEnvs()).toEqual(['env', 'other']);
  });

  it('reads from the known hosts what it has forgotten', () => {
    const known = new Map([
      [key('a'), 'one'],
      [key('b'), 'one'],
    ]);
    const membership = new Membership({
      clusterOf: (host) => known.get(host) ?? '',
      hostsOfCluster: (id) => [...known].flatMap(([host, clusterId]) => (clusterId === id ? [host] : [])),
      hostsOfInfraEnv: () => known.keys(),
    });
    expect([...membership.hostsOf('one')]).toEqual([key('a'), key('b')]);
    expect(membership.observe(bound('a', 'two'))).toEqual({ left: 'one', joined: 'two' });
    known.set(key('a'), 'two');
    membership.forgetCluster('one');
    membership.forgetHost(key('a'));
    expect([...membership.hostsOf('one')]).toEqual([key('b')]);
    expect(membership.observe(deregistered('a'))).toEqual({ left: 'two', joined: '' });
    expect([...membership.hostsOfInfraEnv('env')]).toEqual([key('b')]);
  });

  it.each([
    ['is removed', deregistered('a')],
    ['joins another one', bound('a', 'two')],
  ])('keeps nothing about a deleted cluster when its last host %s', (_, leaves) => {
    const searched: string[] = [];
    const hostsOfCluster = (id: string): HostKey[] => {
      searched.push(id);
      return [];
    };
    const membership = new Membership({ clusterOf: () => '', hostsOfCluster, hostsOfInfraEnv: () => [] });
    membership.observe(inStream('cluster-one', { type: 'ClusterRegistered', data: REGISTERED_CLUSTER }));
    membership.observe(registered('a', 'one'));
    membership.observe(inStream('cluster-one', { type: 'ClusterDeregistered', data: { at } }));
    membership.observe(leaves);
    // The known hosts contain the change after the event.
    expect([...membership.hostsOf('one')]).toEqual([]);
    expect(searched).not.toContain('one');
    membership.observe(registered('b', ''));
    expect([...membership.hostsOf('one')]).toEqual([]);
    expect(searched).toContain('one');
  });

  it('keeps nothing about a deleted infra-env when its last host is removed', () => {
    const searched: string[] = [];
    const hostsOfInfraEnv = (id: string): HostKey[] => {
      searched.push(id);
      return [];
    };
    const membership = new Membership({ clusterOf: () => '', hostsOfCluster: () => [], hostsOfInfraEnv });
    membership.observe(inStream('infraEnv-env', { type: 'InfraEnvRegistered', data: REGISTERED_INFRA_ENV }));
    membership.observe(registered('a', ''));
    membership.observe(inStream('infraEnv-env', { type: 'InfraEnvDeregistered', data: { at } }));
    membership.observe(deregistered('a'));
    // The known hosts contain the change after the event.
    expect([...membership.hostsOfInfraEnv('env')]).toEqual([]);
    const searchedBefore = searched.length;
    membership.observe(registered('b', '', 'other'));
    expect([...membership.hostsOfInfraEnv('env')]).toEqual([]);
    expect(searched.slice(searchedBefore)).toEqual(['other', 'env']);
  });

  it('agrees with the state of the host after every event', () => {
    const history = [
      registered('a', 'one'),
      bound('a', 'two'),
      reregistered('a', 'two'),
      unbound('a', 'two'),
      bound('a', 'one'),
      deregistered('a'),
      registered('a', 'three'),
    ];
    const membership = new Membership();
    let state = hostDecider.initialState();
    for (const event of history) {
      membership.observe(event);
      if (event.type.startsWith('Host')) state = hostDecider.evolve(state, event as never);
      const clusters = ['one', 'two', 'three'].filter((id) => membership.hostsOf(id).has(key('a')));
      expect(clusters).toEqual(state.clusterId ? [state.clusterId] : []);
    }
  });
});
