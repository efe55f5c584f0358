import type { HostKey } from '@muster/contracts';
import {
  CLUSTER_ID,
  clusterRegistered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
  type SampleEvent,
} from '@muster/testing';
import { FactsView } from './facts-view';
import { parseSubject } from './view-entries';

const HOSTS = [1, 2, 3, 4, 5];
const address = (number: number): string => `192.168.128.1${number}`;

/** Returns the numbers of the hosts that the last event affects. */
function affectedBy(...events: readonly SampleEvent[]): readonly number[] {
  const view = new FactsView();
  const affected = recorded(events).map((event) => view.observe(event));
  const keys = (affected.at(-1) ?? []).map((subject) => parseSubject(subject).id);
  return HOSTS.filter((number) => keys.includes(hostKey(number)));
}

const clusterOf = (settings: object): readonly SampleEvent[] => [
  infraEnvRegistered(),
  clusterRegistered(settings),
  ...HOSTS.flatMap((number) => [
    hostRegistered(hostKey(number)),
    inventoryReported(hostKey(number), { nics: [{ name: 'ens3', ipv4Addresses: [`${address(number)}/24`] }] }),
  ]),
];
const silent = (key: HostKey): SampleEvent => hostEvent(key, 'HostFellSilent', { lastSeenAt: '' });
const unbound = (key: HostKey): SampleEvent => hostEvent(key, 'HostUnbound', { clusterId: CLUSTER_ID });

describe('an address with two machines', () => {
  const seenBy = (number: number, ...addresses: readonly string[]): SampleEvent =>
    reportEvent(hostKey(number), 'ConnectivityReported', {
      peers: [],
      collisions: addresses.map((one) => ({ address: one, macAddresses: ['a', 'b'] })),
    });
  const events = [...clusterOf({}), seenBy(2), seenBy(3), seenBy(2, address(1))];

  it('affects all hosts when the first host reports it, and when the last one does not', () => {
    expect(affectedBy(...events)).toEqual(HOSTS);
    expect(affectedBy(...events, seenBy(3, address(1)))).toEqual([3]);
    expect(affectedBy(...events, seenBy(3, address(1)), seenBy(2))).toEqual([2]);
    expect(affectedBy(...events, seenBy(3, address(1)), seenBy(2), seenBy(3))).toEqual(HOSTS);
    expect(affectedBy(...events, seenBy(2, address(1), address(4)))).toEqual(HOSTS);
  });

  it('affects all hosts when the only host that reports it falls silent or leaves', () => {
    expect(affectedBy(...events, silent(hostKey(2)))).toEqual(HOSTS);
    expect(affectedBy(...events, unbound(hostKey(2)))).toEqual(HOSTS);
    const another = [...events, seenBy(3, address(1))];
    expect(affectedBy(...another, silent(hostKey(2)))).toEqual([2]);
    expect(affectedBy(...another, unbound(hostKey(2)))).toEqual([2]);
    expect(affectedBy(...another, unbound(hostKey(2)), silent(hostKey(3)))).toEqual([1, 3, 4, 5]);
  });
});

describe('a report in a routed cluster', () => {
  const routed = clusterOf({ platformType: 'none', userManagedNetworking: true, machineNetworks: { items: [] } });
  const reachOf = (number: number, isReached = true): SampleEvent =>
    reportEvent(hostKey(number), 'ConnectivityReported', {
      peers: HOSTS.filter((other) => other !== number).map((other) => ({
        hostId: hostKey(other).slice(37),
        nearAddresses: [],
        farAddresses: isReached ? [address(other)] : [],
        latencyMs: 1,
      })),
    });
  const events = [...routed, reachOf(1), reachOf(2)];

  it('affects the hosts that all others reach now, and no longer', () => {
    expect(affectedBy(...events, reachOf(3))).toEqual([3]);
    expect(affectedBy(...events, reachOf(3), reachOf(4))).toEqual([4, 5]);
    expect(affectedBy(...events, reachOf(3), reachOf(4), reachOf(5))).toEqual(HOSTS);
    expect(affectedBy(...events, reachOf(3), reachOf(4), reachOf(5), reachOf(5, false))).toEqual(HOSTS);
  });

  it('affects the hosts of which it is the first without a connection', () => {
    expect(affectedBy(...events, reachOf(3, false))).toEqual(HOSTS);
    expect(affectedBy(...events, reachOf(3, false), reachOf(4, false))).toEqual([3, 4]);
    expect(affectedBy(...events, reachOf(3, false), silent(hostKey(3)))).toEqual(HOSTS);
  });

  it('is expected of a new host by those that all others reached', () => {
    const [last] = routed.slice(-1);
    const others = [...routed.slice(0, -1), ...[1, 2, 3, 4].map((number) => reachOf(number))];
    expect(last && affectedBy(...others, last)).toEqual([1, 2, 3, 4, 5]);
    expect(affectedBy(...routed.slice(0, -1), reachOf(1), ...routed.slice(-1))).toEqual([5]);
  });
});
