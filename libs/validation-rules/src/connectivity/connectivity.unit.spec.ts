import { parseAddressRanges, toRanges, verifyByFreeAddresses } from '@muster/addresses';
import fc from 'fast-check';
import { ClusterConnectivity, type Reach } from './cluster-connectivity';
import { largestFullMesh, MAX_BRANCHES, type Mesh, setBit } from './largest-full-mesh';
import { ReachGraph } from './reach-graph';

const NETWORK = '10.0.0.0/24';
const SECOND = 'fd00::/64';
const idOf = (number: number): string => `host-${String(number).padStart(4, '0')}`;
const ipOf = (number: number): string => `10.0.${number >> 8}.${number & 255}`;
const reachOf = (number: number, changes: Partial<Reach> = {}): Reach => ({
  hostId: idOf(number),
  nearAddresses: [ipOf(number)],
  farAddresses: [ipOf(number), `fd00::${number}`],
  latencyMs: 1,
  packetLossPercent: 0,
  ...changes,
});
const reaches = (...numbers: readonly number[]) => new Map(numbers.map((number) => [idOf(number), reachOf(number)]));
const addresses = (number: number) => [`${ipOf(number)}/24`, `fd00::${number}/64`];
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);
const others = (count: number, number: number) => upTo(count).filter((other) => other !== number);
const ids = (numbers: readonly number[]) => numbers.map(idOf);

function connected(count: number): ClusterConnectivity {
  const connectivity = new ClusterConnectivity();
  connectivity.setNetworks([NETWORK, SECOND]);
  for (const number of upTo(count))
    connectivity.setHost(idOf(number), addresses(number), reaches(...others(count, number)));
  return connectivity;
}

function meshOf(count: number, edges: ReadonlySet<string>): Mesh {
  const hosts = ids(upTo(count));
  const neighbours = hosts.map((_, a) => {
    const row = new Uint32Array(Math.ceil(count / 32));
    hosts.forEach((_other, b) => {
      if (a === b || edges.has(`${Math.min(a, b)}-${Math.max(a, b)}`)) setBit(row, b);
    });
    return row;
  });
  return { hosts, neighbours, searched: [...hosts.keys()] };
}

/**
 * Returns the largest full mesh by testing every set of hosts. Of equally large ones, the one with the smallest ids.
 */
function largestByTrying(count: number, edges: ReadonlySet<string>): readonly string[] {
  let best: readonly number[] = [];
  for (let set = 1; set < 2 ** count; set += 1) {
    const members = upTo(count).flatMap((_, at) => ((set >> at) & 1 ? [at] : []));
    const isMesh = members.every((a) => members.every((b) => a >= b || edges.has(`${a}-${b}`)));
    const isBetter = members.length > best.length || (members.length === best.length && members.join() < best.join());
    if (isMesh && isBetter) best = members;
  }
  return best.map((at) => idOf(at + 1));
}

const anyEdges = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 })), { maxLength: 28 })
  .map((pairs) => new Set(pairs.filter(([a, b]) => a !== b).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)));

describe('largest full mesh', () => {
  it('equals the result of testing every set of hosts', () => {
    fc.assert(
      fc.property(anyEdges, (edges) => {
        expect(largestFullMesh(meshOf(8, edges))).toEqual(largestByTrying(8, edges));
      }),
    );
  });

  it('is the same for a graph that was changed edge by edge', () => {
    fc.assert(
      fc.property(fc.array(anyEdges, { minLength: 1, maxLength: 4 }), (history) => {
        const graph = new ReachGraph();
        for (const host of ids(upTo(8))) graph.addHost(host);
        for (const edges of history) {
          for (const a of upTo(8))
            for (const b of upTo(8))
              graph.setReached(idOf(a), idOf(b), edges.has(`${Math.min(a, b) - 1}-${Math.max(a, b) - 1}`));
          const largest = largestByTrying(8, edges);
          expect(graph.group()).toEqual(largest.length > 1 ? largest : []);
        }
      }),
    );
  });

  it('is a full mesh and found within the step limit for 300 hosts with random edges', () => {
    const edges = new Set<string>();
    let seed = 7;
    for (let a = 0; a < 300; a += 1)
      for (let b = a + 1; b < 300; b += 1) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        if (seed / 2_147_483_648 < 0.7) edges.add(`${a}-${b}`);
      }
    const found = largestFullMesh(meshOf(300, edges)).map((id) => Number(id.slice(5)) - 1);
    expect(found.every((a) => found.every((b) => a >= b || edges.has(`${a}-${b}`)))).toBe(true);
    // Random graphs of this density have full meshes of about twenty hosts.
    expect(found.length).toBeGreaterThan(12);
    expect(MAX_BRANCHES).toBeLessThan(10_000);
  });
});

describe('connectivity of a cluster', () => {
  it('is undefined before any host reports', () => {
    const connectivity = new ClusterConnectivity();
    connectivity.setHost(idOf(1), addresses(1));
    expect(connectivity.groups(3)).toBeUndefined();
  });

  it('contains all hosts that reach each other in one group per network and family', () => {
    const groups = connected(4).groups(3);
    for (const network of [NETWORK, SECOND, 'IPv4', 'IPv6']) expect(groups?.get(network)).toEqual(ids(upTo(4)));
    expect(connected(2).groups(3)?.get(NETWORK)).toEqual([]);
    expect(connected(2).groups(2)?.get(NETWORK)).toEqual(ids([1, 2]));
  });

  it('requires an edge in both directions', () => {
    const connectivity = connected(4);
    connectivity.setHost(idOf(4), addresses(4), reaches(1, 2));
    expect(connectivity.groups(3)?.get(NETWORK)).toEqual(ids([1, 2, 3]));
    connectivity.setHost(idOf(4), addresses(4), reaches(1, 2, 3));
    expect(connectivity.groups(3)?.get(NETWORK)).toEqual(ids([1, 2, 3, 4]));
  });

  it('lists the families in which a host is reached by all others', () => {
    const connectivity = connected(3);
    expect(connectivity.reachedFamilies(idOf(1))).toEqual([4, 6]);
    const reach = new Map([
      [idOf(1), reachOf(1, { farAddresses: [ipOf(1)] })],
      [idOf(3), reachOf(3)],
    ]);
    connectivity.setHost(idOf(2), addresses(2), reach);
    expect(connectivity.reachedFamilies(idOf(1))).toEqual([4]);
  });

  it('lists the hosts that are reached in other families than before', () => {
    const connectivity = connected(3);
    expect([...connectivity.changedFamilies()].sort()).toEqual(ids([1, 2, 3]));
    connectivity.setHost(idOf(4), addresses(4));
    expect([...connectivity.changedFamilies()].sort()).toEqual(ids([1, 2, 3, 4]));
    connectivity.setHost(idOf(5), addresses(5));
    expect(connectivity.changedFamilies()).toEqual(ids([5]));
    connectivity.setHost(idOf(1), addresses(1), reaches(2, 3, 5));
    expect(connectivity.changedFamilies()).toEqual([]);
    connectivity.removeHost(idOf(4));
    connectivity.setHost(idOf(5), addresses(5), reaches(1));
    expect(connectivity.changedFamilies()).toEqual(ids([1]));
  });

  it('lists the families in which one of those that have reported on a host does not reach it', () => {
    const connectivity = connected(4);
    connectivity.setHost(idOf(5), addresses(5), reaches(1, 2, 3, 4));
    expect(connectivity.reachedFamilies(idOf(5))).toEqual([]);
    expect(connectivity.unreachedFamilies(idOf(5))).toEqual([]);
    const only4 = new Map([[idOf(5), reachOf(5, { farAddresses: [ipOf(5)] })]]);
    connectivity.setHost(idOf(1), addresses(1), new Map([...reaches(2, 3, 4), ...only4]));
    expect(connectivity.unreachedFamilies(idOf(5))).toEqual([6]);
    connectivity.setOutdated(idOf(1), true);
    expect(connectivity.unreachedFamilies(idOf(5))).toEqual([]);
    connectivity.setOutdated(idOf(1), false);
    connectivity.setHost(idOf(1), addresses(1), reaches(2, 3, 4));
    expect(connectivity.unreachedFamilies(idOf(5))).toEqual([]);
    connectivity.setHost(idOf(5), ['10.0.0.5/24'], reaches(1, 2, 3, 4));
    expect(connectivity.unreachedFamilies(idOf(5))).toEqual([6]);
  });

  it('counts the outdated and absent hosts on which a host has reported', () => {
    const connectivity = connected(4);
    for (const number of [1, 4, 5]) connectivity.setOutdated(idOf(number), true);
    expect(upTo(4).map((number) => connectivity.outdatedReportsBy(idOf(number)))).toEqual([1, 2, 2, 1]);
    connectivity.setHost(idOf(2), addresses(2), reaches(1, 3, 5));
    connectivity.setOutdated(idOf(4), false);
    expect(upTo(4).map((number) => connectivity.outdatedReportsBy(idOf(number)))).toEqual([0, 2, 1, 1]);
    connectivity.removeHost(idOf(4));
    expect(upTo(3).map((number) => connectivity.outdatedReportsBy(idOf(number)))).toEqual([1, 2, 2]);
    connectivity.setHost(idOf(4), addresses(4));
    expect(upTo(4).map((number) => connectivity.outdatedReportsBy(idOf(number)))).toEqual([0, 2, 1, 0]);
  });

  it('expects nothing of a host without addresses', () => {
    const connectivity = connected(3);
    connectivity.setHost(idOf(4), []);
    expect(connectivity.reachedFamilies(idOf(1))).toEqual([4, 6]);
    connectivity.setHost(idOf(4), addresses(4));
    expect(connectivity.reachedFamilies(idOf(1))).toEqual([]);
    connectivity.removeHost(idOf(4));
    expect(connectivity.reachedFamilies(idOf(1))).toEqual([4, 6]);
  });

  type Step =
    | { readonly kind: 'report'; readonly host: number; readonly reached: readonly number[] }
    | { readonly kind: 'leave'; readonly host: number }
    | { readonly kind: 'forget'; readonly host: number }
    | { readonly kind: 'networks'; readonly networks: readonly string[] }
    | { readonly kind: 'move'; readonly host: number; readonly isInside: boolean }
    | { readonly kind: 'outdate'; readonly host: number; readonly isOutdated: boolean };
  const host = fc.integer({ min: 1, max: 6 });
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('report' as const), host, reached: fc.uniqueArray(host) }),
    fc.record({ kind: fc.constant('leave' as const), host }),
    fc.record({ kind: fc.constant('networks' as const), networks: fc.subarray([NETWORK, SECOND]) }),
    fc.record({ kind: fc.constant('move' as const), host, isInside: fc.boolean() }),
    fc.record({ kind: fc.constant('forget' as const), host }),
    fc.record({ kind: fc.constant('outdate' as const), host, isOutdated: fc.boolean() }),
  );

  const familiesOf = (one: ClusterConnectivity, id: string) => [one.reachedFamilies(id), one.unreachedFamilies(id)];

  it('is the same after incremental changes as when computed again, in any order of hosts', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), fc.boolean(), fc.boolean(), (steps, backwards, isRead) => {
        const stepped = new ClusterConnectivity();
        const state = new Map<string, { addresses: readonly string[]; reaches: ReturnType<typeof reaches> }>();
        const outdated = new Set<string>();
        const shown = new Map<string, string>();
        let networks: readonly string[] = [];
        for (const step of steps) {
          if (step.kind === 'networks') stepped.setNetworks((networks = step.networks));
          else if (step.kind === 'leave') {
            stepped.removeHost(idOf(step.host));
            state.delete(idOf(step.host));
            shown.delete(idOf(step.host));
          } else if (step.kind === 'outdate') {
            stepped.setOutdated(idOf(step.host), step.isOutdated);
            outdated.delete(idOf(step.host));
            if (step.isOutdated) outdated.add(idOf(step.host));
          } else {
            const id = idOf(step.host);
            const known = state.get(id) ?? { addresses: addresses(step.host), reaches: reaches() };
            const after =
              step.kind === 'report'
                ? { ...known, reaches: reaches(...step.reached.filter((other) => other !== step.host)) }
                : {
                    ...known,
                    addresses: step.kind === 'forget' ? [] : step.isInside ? addresses(step.host) : ['172.16.0.1/16'],
                  };
            state.set(id, after);
            stepped.setHost(id, after.addresses, after.reaches);
          }
          stepped.groups(2);
          if (!isRead) continue;
          const changed = stepped.changedFamilies();
          for (const id of state.keys()) {
            const families = JSON.stringify(familiesOf(stepped, id));
            expect(changed.includes(id)).toBe(shown.get(id) !== families);
            shown.set(id, families);
          }
        }
        const scratch = new ClusterConnectivity();
        for (const id of outdated) scratch.setOutdated(id, true);
        const all = [...state];
        for (const [id, one] of backwards ? all.reverse() : all) scratch.setHost(id, one.addresses, one.reaches);
        scratch.setNetworks(networks);
        const table = (one: ClusterConnectivity) => [...(one.groups(2) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
        if (state.size > 0) expect(table(stepped)).toEqual(table(scratch));
        for (const [id, { reaches: reported }] of state) {
          expect(familiesOf(stepped, id)).toEqual(familiesOf(scratch, id));
          const counted = [...reported.keys()].filter((other) => outdated.has(other) || !state.has(other)).length;
          expect([stepped, scratch].map((one) => one.outdatedReportsBy(id))).toEqual([counted, counted]);
        }
      }),
    );
  });
});

describe('lists of free addresses', () => {
  it('are formatted as ranges', () => {
    expect(toRanges(['10.0.0.9', '10.0.0.2', '10.0.0.1', '10.0.0.2', 'x'])).toEqual(['10.0.0.1-10.0.0.2', '10.0.0.9']);
  });

  it('determine whether all hosts report an address as free', () => {
    const lists = [['10.0.0.1-10.0.0.9'], ['10.0.0.5-10.0.0.20', '10.0.0.30']].map(parseAddressRanges);
    expect(verifyByFreeAddresses(lists, '10.0.0.5')).toBe('succeeded');
    expect(verifyByFreeAddresses(lists, '10.0.0.10')).toBe('failed');
    expect(verifyByFreeAddresses([['10.0.0.1'], ['10.0.0.2']].map(parseAddressRanges), '10.0.0.1')).toBe('unverified');
    expect(verifyByFreeAddresses([], '10.0.0.1')).toBe('unverified');
  });
});
