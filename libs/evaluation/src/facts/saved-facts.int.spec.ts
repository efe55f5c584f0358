import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { type HostKey, parseHostKey } from '@muster/contracts';
import { keptEntries, SavedStates, viewFold } from '@muster/event-sourcing';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
  type SampleEvent,
  temporaryDirectory,
} from '@muster/testing';
import { expectInfraEnvKeptWithHosts, expectSavedAsReplayed } from '@muster/testing/platform';
import { ClusterConnectivity } from '@muster/validation-rules';
import { FACTS_SHAPES, hostKind } from './entry-kinds';
import { FactsView } from './facts-view';
import type { HostEntry } from './view-entries';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

describe('the view of the rules', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    await expectSavedAsReplayed(directory.path, FACTS_SHAPES, (make) => new FactsView(make));
  });

  it('keeps an infra-env in memory as long as one of its hosts', async () => {
    await expectInfraEnvKeptWithHosts(directory.path, FACTS_SHAPES, (make) => new FactsView(make));
  });
});

describe('a saved host of a large cluster', () => {
  const PEERS = 1_000;
  const BYTES_PER_PEER_MAX = 80;
  const kind = hostKind({ clusterOf: () => undefined, forgotten: () => undefined });
  const bytesOf = (host: HostEntry): Uint8Array => {
    const saved = kind.toSaved(host);
    return serialize(kind.compacted?.(saved) ?? saved);
  };
  const loaded = (bytes: Uint8Array, key: HostKey): HostEntry =>
    kind.fromSaved(deserialize(bytes) as ReturnType<typeof kind.toSaved>, key);

  const peerOf = (number: number, latencyMs: number) => {
    const addresses = [`192.168.${128 + (number >> 8)}.${number & 255}`];
    const hostId = parseHostKey(hostKey(number)).hostId;
    return { hostId, nearAddresses: addresses, farAddresses: addresses, latencyMs, packetLossPercent: 0 };
  };
  const hostReaching = (number: number, changes: readonly object[] = []): HostEntry => {
    const key = hostKey(number);
    const peers = Array.from({ length: PEERS }, (_, other) => peerOf(other + 10, 0.1 * number));
    const view = new FactsView();
    const report = reportEvent(key, 'ConnectivityReported', { peers: [...peers, ...changes] });
    for (const event of recorded([clusterRegistered(), hostRegistered(key), report])) view.observe(event);
    const host = view.host(key);
    if (!host) throw new Error('no host');
    return host;
  };

  it('takes few bytes per reached host', () => {
    expect(bytesOf(hostReaching(1)).length).toBeLessThan(PEERS * BYTES_PER_PEER_MAX);
  });

  it('is the same after it was loaded, also with weak connections and unusual addresses', () => {
    const host = hostReaching(1, [
      { ...peerOf(3, 500), packetLossPercent: 2.5 },
      { ...peerOf(4, 1), nearAddresses: [], farAddresses: ['a,b', '', '"\n'] },
      { ...peerOf(5, 1), nearAddresses: ['a', 'b'], farAddresses: [] },
    ]);
    const { reports } = loaded(bytesOf(host), host.key);
    expect(reports).toEqual(host.reports);
    expect([...(reports.reaches ?? [])]).toEqual([...(host.reports.reaches ?? [])]);
    expect(reports.weakReaches).toHaveLength(1);
    expect(Object.keys(reports)).toEqual(Object.keys(host.reports));
  });

  it('shares ids and addresses with the other hosts that reach the same hosts', () => {
    const hosts = [1, 2].map((number) => hostReaching(number));
    const [first, second] = hosts.map((host) => loaded(bytesOf(host), host.key).reports.reaches);
    expect(first?.size).toBe(PEERS);
    for (const [hostId, { nearAddresses, farAddresses }] of first ?? []) {
      expect(second?.get(hostId)?.nearAddresses).toBe(nearAddresses);
      expect(second?.get(hostId)?.farAddresses).toBe(farAddresses);
    }
  });

  it('does not share lists of addresses whose texts are equal when they are joined', () => {
    const addresses = (...nearAddresses: readonly string[]) => ({ ...peerOf(3, 1), nearAddresses });
    expect(hostReaching(1, [addresses('c,d')]).reports.reaches?.get(peerOf(3, 1).hostId)?.nearAddresses).toEqual([
      'c,d',
    ]);
    expect(hostReaching(2, [addresses('c', 'd')]).reports.reaches?.get(peerOf(3, 1).hostId)?.nearAddresses).toEqual([
      'c',
      'd',
    ]);
  });
});

describe('a cluster in the saved state', () => {
  /** More hosts than the cache for closed entries holds. */
  const HOSTS = Array.from({ length: 260 }, (_, number) => hostKey(number + 1));
  const [first] = HOSTS;
  if (!first) throw new Error('there are hosts');
  /** `LOAD_TIME` of the saved states. */
  const LOAD_MS_PER_TURN_MAX = 20;
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  const open = async (name: string) => {
    const onError = (error: Error): never => {
      throw error;
    };
    const file = join(directory.path, `${name}.sqlite`);
    const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), onError);
    const consumer = await states.open('sample', [viewFold('sample', 1, FACTS_SHAPES)]);
    const read = jest.spyOn(consumer.state, 'get');
    const hostsRead = () => read.mock.calls.flatMap(([table, key]) => (table === 'hosts' ? [key] : []));
    const view = new FactsView(keptEntries(consumer));
    const observe = (...facts: readonly SampleEvent[]) =>
      recorded(facts)
        .map((event) => view.observe(event))
        .at(-1);
    consumer.reached('sample', 0, undefined);
    return { view, states, consumer, observe, hostsRead };
  };

  it('is loaded without its hosts for events that change nothing that rules read of its hosts', async () => {
    const before = await open('installed');
    before.observe(infraEnvRegistered(), clusterRegistered());
    for (const key of HOSTS) before.observe(hostRegistered(key), inventoryReported(key), hostEntered(key, 'installed'));
    before.observe(clusterEvent('ClusterEnteredStatus', { status: 'installed', from: '', transition: 't', at: '' }));
    await before.states.close();

    const { view, states, observe, hostsRead } = await open('installed');
    expect(observe(clusterEvent('ClusterProgressed', { totalPercentage: 100 }))).toEqual([]);
    expect(observe(clusterEvent('ClusterSettingsRevised', { changes: { name: 'other' } }))).toHaveLength(261);
    expect(hostsRead()).toEqual([]);
    expect(observe(hostEvent(first, 'HostDeadlinePassed', { deadline: 'retention' }))).toEqual([]);
    expect(hostsRead()).toEqual([first]);
    expect(view.cluster(CLUSTER_ID)?.hostKeys.size).toBe(HOSTS.length);
    expect(observe(hostEvent(first, 'HostDeregistered', {}))).toContain(`cluster:${CLUSTER_ID}`);
    expect(hostsRead().length).toBeGreaterThanOrEqual(HOSTS.length);
    await states.close();
  });

  it('is loaded in steps before the first event that rules read, with hosts that stay in memory', async () => {
    const before = await open('extended');
    before.observe(infraEnvRegistered(), clusterRegistered());
    for (const key of HOSTS) before.observe(hostRegistered(key), inventoryReported(key), hostEntered(key, 'installed'));
    before.observe(clusterEvent('ClusterEnteredStatus', { status: 'installed', from: '', transition: 't', at: '' }));
    await before.states.close();

    const { view, states, observe, hostsRead } = await open('extended');
    observe(clusterEvent('ClusterEnteredStatus', { status: 'adding-hosts', from: '', transition: 't', at: '' }));
    expect(hostsRead()).toEqual([]);
    const [registered] = recorded([hostRegistered(hostKey(900))]);
    if (!registered) throw new Error('an event was recorded');
    let readInOneStep = 0;
    for (let earlier = 0, steps = view.prepare(registered)[Symbol.iterator](); !steps.next().done;) {
      readInOneStep = Math.max(readInOneStep, hostsRead().length - earlier);
      earlier = hostsRead().length;
    }
    // The first step also looks for the host of the event.
    expect(readInOneStep).toBe(2);
    const { length: read } = hostsRead();
    expect(read).toBe(HOSTS.length + 1);
    expect([...view.prepare(registered)]).toEqual([]);
    view.observe(registered);
    const cluster = view.cluster(CLUSTER_ID);
    expect(cluster && view.hostsOf(cluster)).toHaveLength(HOSTS.length + 1);
    expect(hostsRead().filter((key) => key !== hostKey(900))).toHaveLength(HOSTS.length);
    await states.close();
  });

  it('is read again when an event changes it between two steps', async () => {
    const before = await open('revised');
    const networks = (cidr: string) => clusterEvent('MachineNetworksDerived', { cidrs: [cidr] });
    before.observe(infraEnvRegistered(), clusterRegistered(), networks('192.168.0.0/16'));
    for (const key of HOSTS)
      before.observe(
        hostRegistered(key),
        inventoryReported(key),
        reportEvent(key, 'ConnectivityReported', { peers: [] }),
      );
    before.observe(clusterEvent('ClusterEnteredStatus', { status: 'installed', from: '', transition: 't', at: '' }));
    await before.states.close();

    const { view, states, observe } = await open('revised');
    const steps = view.loadHostsOf(CLUSTER_ID)[Symbol.iterator]();
    for (const _ of [...HOSTS, ...HOSTS]) steps.next();
    observe(networks('10.0.0.0/8'));
    while (!steps.next().done);
    const cluster = view.cluster(CLUSTER_ID);
    expect([...((cluster && view.groupsOf(cluster)) ?? [])].map(([network]) => network)).toEqual([
      'IPv4',
      'IPv6',
      '10.0.0.0/8',
    ]);
    await states.close();
  });

  it('reads no other host when the next ones leave it after the installation', async () => {
    const before = await open('reduced');
    before.observe(infraEnvRegistered(), clusterRegistered({ olmOperators: { items: [{ name: 'odf' }] } }));
    const peers = HOSTS.map((key) => ({ hostId: parseHostKey(key).hostId, latencyMs: 400 }));
    for (const key of HOSTS)
      before.observe(
        hostRegistered(key),
        inventoryReported(key),
        reportEvent(key, 'ConnectivityReported', { peers: peers.slice(0, 2) }),
        hostEntered(key, 'installed'),
      );
    before.observe(clusterEvent('ClusterEnteredStatus', { status: 'installed', from: '', transition: 't', at: '' }));
    await before.states.close();

    const { view, states, hostsRead } = await open('reduced');
    const cluster = view.cluster(CLUSTER_ID);
    expect(cluster?.shape).toMatchObject({ hosts: 4, unassigned: 4 });
    const removed = HOSTS.slice(0, HOSTS.length - 2);
    for (const event of recorded(removed.map((key) => hostEvent(key, 'HostDeregistered', {})))) {
      for (const _ of view.prepare(event));
      const { length } = hostsRead();
      expect(view.observe(event)).toContain(`cluster:${CLUSTER_ID}`);
      // The entry of the host itself may have left memory while the others were read.
      const others = hostsRead().slice(length);
      expect(others.filter((key) => event.streamId !== `host-${key}`)).toEqual([]);
    }
    expect(cluster?.shape).toMatchObject({ hosts: 2, unassigned: 2 });
    expect(cluster && view.combinedOf(cluster).members.size).toBe(2);
    await states.close();
  });

  it('is prepared after a start over several turns of the event loop, and its hosts stay in memory', async () => {
    const before = await open('open');
    before.observe(infraEnvRegistered(), clusterRegistered());
    for (const key of HOSTS) before.observe(hostRegistered(key), inventoryReported(key), hostEntered(key, 'installed'));
    await before.states.close();

    const { view, states, consumer, hostsRead } = await open('open');
    let turn = 0;
    const nextTurn = (): void => {
      turn += 1;
      immediate = setImmediate(nextTurn);
    };
    let immediate = setImmediate(nextTurn);
    const setInTurn = new Map<number, number>();
    // Only `setHost` takes time: a busy machine would divide the work among other turns.
    let nowMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { setHost } = ClusterConnectivity.prototype;
    const spy = jest.spyOn(ClusterConnectivity.prototype, 'setHost').mockImplementation(function (
      this: ClusterConnectivity,
      ...args
    ) {
      nowMs += 1;
      setInTurn.set(turn, (setInTurn.get(turn) ?? 0) + 1);
      return setHost.apply(this, args);
    });
    await consumer.loadOpen();
    clearImmediate(immediate);
    clock.mockRestore();
    const { length: setCalls } = spy.mock.calls;
    expect(setCalls).toBe(2 * HOSTS.length);
    expect(Math.max(...setInTurn.values())).toBeLessThanOrEqual(LOAD_MS_PER_TURN_MAX + 1);
    expect(hostsRead()).toHaveLength(HOSTS.length);

    const cluster = view.cluster(CLUSTER_ID);
    expect(cluster && [...view.combinedOf(cluster).names.values()].flatMap((keys) => [...keys]).toSorted()).toEqual(
      HOSTS,
    );
    expect(cluster && view.hostsOf(cluster)).toHaveLength(HOSTS.length);
    expect(spy).toHaveBeenCalledTimes(setCalls);
    expect(hostsRead()).toHaveLength(HOSTS.length);
    await states.close();
  });
});
