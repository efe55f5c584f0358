import { type HostKey, hostKeyOf, parseHostKey } from '@muster/contracts';
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
import { clusterKind } from './entry-kinds';
import { FactsView } from './facts-view';

const NETWORK = '192.168.128.0/24';
const OTHER_CLUSTER_ID = '33333333-3333-4333-8333-444444444444';
const HOSTS = [hostKey(1), hostKey(2), hostKey(3)];
const [live] = HOSTS;
const idOf = (key: HostKey): string => parseHostKey(key).hostId;
/** The same machine in other infra-envs, whose key comes before or after the live one. */
const [first, last] = ['00000000-1111-4111-8111-111111111111', 'ffffffff-1111-4111-8111-111111111111'].map((id) =>
  hostKeyOf(id, idOf(hostKey(1))),
);

const address = (key: HostKey): string => `192.168.128.1${key.slice(-1)}`;
const connected = (key: HostKey): readonly SampleEvent[] => [
  hostRegistered(key),
  inventoryReported(key, { nics: [{ name: 'ens3', ipv4Addresses: [`${address(key)}/24`] }] }),
  reportEvent(key, 'ConnectivityReported', {
    peers: HOSTS.filter((other) => idOf(other) !== idOf(key)).map((other) => ({
      hostId: idOf(other),
      nearAddresses: [address(other)],
      farAddresses: [address(other)],
      latencyMs: 1,
    })),
  }),
];
const unreached = (key: HostKey): readonly SampleEvent[] => [
  hostRegistered(key),
  inventoryReported(key, { nics: [] }),
  hostEvent(key, 'HostFellSilent', { lastSeenAt: '' }),
];
const SETUP = [infraEnvRegistered(), clusterRegistered()];

const viewOf = (...facts: readonly SampleEvent[]): FactsView => {
  const view = new FactsView();
  for (const event of recorded(facts)) view.observe(event);
  return view;
};
const clusterOf = (view: FactsView) => {
  const cluster = view.cluster(CLUSTER_ID);
  if (!cluster) throw new Error('no cluster');
  return cluster;
};
const groupOf = (view: FactsView) => view.groupsOf(clusterOf(view))?.get(NETWORK);

describe.each([
  ['before', first],
  ['after', last],
])('a machine that is also registered through an infra-env %s its own', (_, duplicate) => {
  if (!duplicate || !live) throw new Error('there are hosts');
  const all = HOSTS.map(idOf);

  it('keeps its connectivity when the other host is removed', () => {
    const facts = [...SETUP, ...connected(duplicate), ...HOSTS.flatMap(connected)];
    expect(groupOf(viewOf(...facts))).toEqual(all);
    expect(groupOf(viewOf(...facts, hostEvent(duplicate, 'HostDeregistered', {})))).toEqual(all);
    expect(groupOf(viewOf(...facts, hostEvent(duplicate, 'HostUnbound', { clusterId: CLUSTER_ID })))).toEqual(all);
  });

  it('loses it when both hosts are removed', () => {
    const removed = [live, duplicate].map((key) => hostEvent(key, 'HostDeregistered', {}));
    expect(groupOf(viewOf(...SETUP, ...connected(duplicate), ...HOSTS.flatMap(connected), ...removed))).toEqual([]);
  });

  it('has the connectivity of the connected host after its cluster is read from the saved state', () => {
    const view = viewOf(...SETUP, ...unreached(duplicate), ...HOSTS.flatMap(connected));
    const cluster = clusterOf(view);
    const kind = clusterKind({ hostKeysOf: () => cluster.hostKeys, prepare: () => [], forgotten: () => undefined });
    const loaded = kind.fromSaved(kind.toSaved(cluster), CLUSTER_ID);
    expect(view.combinedOf(loaded).connectivity.groups(3)?.get(NETWORK)).toEqual(all);
  });

  it('keeps its connectivity when its other host, which is silent, joins the cluster', () => {
    const silent = [hostRegistered(duplicate, { clusterId: '' }), ...unreached(duplicate).slice(1)];
    const bound = hostEvent(duplicate, 'HostBound', { clusterId: CLUSTER_ID });
    expect(groupOf(viewOf(...SETUP, ...HOSTS.flatMap(connected), ...silent, bound))).toEqual(all);
  });

  it('has the connectivity of the host that stays when the other one falls silent', () => {
    const silent = (key: HostKey): SampleEvent => hostEvent(key, 'HostFellSilent', { lastSeenAt: '' });
    const facts = [...SETUP, ...HOSTS.flatMap(connected), hostRegistered(duplicate), inventoryReported(duplicate)];
    expect(groupOf(viewOf(...facts, silent(duplicate)))).toEqual(all);
    expect(groupOf(viewOf(...facts, silent(live)))).toEqual([]);
  });

  it('is evaluated with both hosts when it joins a group', () => {
    const view = viewOf(...SETUP, ...connected(duplicate), ...HOSTS.flatMap(connected));
    const join = (hostId: string) =>
      view.observeGroups(CLUSTER_ID, { groups: [{ network: NETWORK, joinedHostIds: [hostId], leftHostIds: [] }] });
    join(idOf(hostKey(2)));
    expect([...join(idOf(live))].sort()).toEqual([`host:${live}`, `host:${duplicate}`].sort());
  });

  it('is evaluated in its cluster when its other host is in another cluster', () => {
    const elsewhere = hostEvent(duplicate, 'HostBound', { clusterId: OTHER_CLUSTER_ID });
    const unbound = hostRegistered(duplicate, { clusterId: '' });
    const view = viewOf(...SETUP, ...HOSTS.flatMap(connected), unbound, elsewhere);
    const join = (hostId: string) =>
      view.observeGroups(CLUSTER_ID, { groups: [{ network: NETWORK, joinedHostIds: [hostId], leftHostIds: [] }] });
    join(idOf(hostKey(2)));
    expect(join(idOf(live))).toEqual([`host:${live}`]);
  });
});
