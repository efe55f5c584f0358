import { hostKeyOf, type MusterEvent } from '@muster/contracts';
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
const boundImage = (infraEnv: string, clusterId: string) =>
  inStream(`infraEnv-${infraEnv}`, {
    type: 'InfraEnvSettingsRevised',
    data: { changes: { clusterId }, pullSecretReplaced: false },
  });

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

  it('lists the infra-envs of the hosts separately from the infra-envs that are bound', () => {
    const membership = after(boundImage('env', 'one'), boundImage('spare', 'one'), registered('a', 'one'));
    expect([...membership.infraEnvsOf('one')]).toEqual(['env']);
    expect(membership.infraEnvsBoundTo('one')).toEqual(['env', 'spare']);
    membership.observe(boundImage('spare', ''));
    expect(membership.infraEnvsBoundTo('one')).toEqual(['env']);
    membership.observe(inStream('infraEnv-env', { type: 'InfraEnvDeregistered', data: {} }));
    expect(membership.infraEnvsBoundTo('one')).toEqual([]);
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
