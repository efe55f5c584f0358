import { ClusterConnectivity, type Reach } from './cluster-connectivity';
import {
  emptyBits,
  largestFullMesh,
  MAX_BRANCHES,
  type Mesh,
  type MeshEffort,
  meshStepsMax,
  noEffort,
  setBit,
} from './largest-full-mesh';
import { ReachGraph } from './reach-graph';

const HOSTS = 1_000;
/** Limits for the search of connectivity groups in a cluster of 1,000 hosts with a bad network. */
const STEPS_MAX = 6_000_000;

type Reaches = (a: number, b: number) => boolean;

/** Returns `percent` of all pairs, the same pairs each time. */
const atRandom =
  (percent: number): Reaches =>
  (a, b) => {
    let mixed = Math.imul(Math.min(a, b) * HOSTS + Math.max(a, b) + 1, 2_654_435_761);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 2_246_822_519);
    return ((mixed ^ (mixed >>> 13)) >>> 0) % 100 < percent;
  };
/** Racks whose hosts do not reach each other. With racks of `size` hosts there are size ^ racks largest meshes. */
const acrossRacks =
  (size: number): Reaches =>
  (a, b) =>
    Math.floor(a / size) !== Math.floor(b / size);
/** Each host reaches its neighbours in a ring. */
const inRing =
  (width: number): Reaches =>
  (a, b) =>
    Math.min(Math.abs(a - b), HOSTS - Math.abs(a - b)) <= width;

const NETWORKS: readonly (readonly [string, Reaches])[] = [
  ...[50, 70, 95].map((percent) => [`${percent} % of all edges exist`, atRandom(percent)] as const),
  ...[2, 3].map((size) => [`${size} hosts of each rack do not reach each other`, acrossRacks(size)] as const),
  [
    'hosts of a rack do not reach each other, and some other edges are missing',
    (a, b) => a % 7 === b % 7 && atRandom(80)(a, b),
  ],
  ['each host reaches only its neighbours', inRing(40)],
];

const idOf = (number: number): string => String(number).padStart(4, '0');
const ids = Array.from({ length: HOSTS }, (_, number) => idOf(number));

function meshOf(reaches: Reaches): Mesh {
  const neighbours = ids.map((_, a) => {
    const row = emptyBits(HOSTS);
    for (let b = 0; b < HOSTS; b += 1) if (a === b || reaches(a, b)) setBit(row, b);
    return row;
  });
  return { hosts: ids, neighbours, searched: [...ids.keys()] };
}

const isMesh = (found: readonly string[], reaches: Reaches): boolean =>
  found.every((a) => found.every((b) => a === b || reaches(Number(a), Number(b))));

describe('cluster with many patchy networks', () => {
  const HOSTS_OF_CLUSTER = 120;
  const cluster = (networks: number): ClusterConnectivity => {
    const connectivity = new ClusterConnectivity();
    const all = Array.from({ length: networks }, (_, number) => number);
    connectivity.setNetworks(all.map((network) => `10.0.${network}.0/24`));
    const hosts = ids.slice(0, HOSTS_OF_CLUSTER);
    for (const host of hosts)
      connectivity.setHost(
        host,
        all.map((network) => `10.0.${network}.${Number(host)}/24`),
      );
    hosts.forEach((host, a) => {
      const reaches = new Map<string, Reach>();
      hosts.forEach((hostId, b) => {
        const offset = (network: number): number => network * HOSTS_OF_CLUSTER;
        const inside = all.filter((network) => a !== b && atRandom(80)(a + offset(network), b + offset(network)));
        const nearAddresses = inside.map((network) => `10.0.${network}.${b}`);
        reaches.set(hostId, { hostId, nearAddresses, farAddresses: [], latencyMs: 1, packetLossPercent: 0 });
      });
      connectivity.setHost(
        host,
        all.map((network) => `10.0.${network}.${a}/24`),
        reaches,
      );
    });
    return connectivity;
  };

  it.each([2, 8])('is searched within the limit of four networks: %d machine networks', (networks) => {
    const effort = noEffort();
    const groups = cluster(networks).groups(3, effort) ?? new Map<string, readonly string[]>();
    expect(effort.branches).toBeGreaterThanOrEqual(2 * MAX_BRANCHES);
    expect(effort.branches).toBeLessThanOrEqual(4 * MAX_BRANCHES);
    for (const [network, group] of groups) if (network.includes('/')) expect(group.length).toBeGreaterThan(10);
  });

  it('has the same groups after a network was added as when it was there from the beginning', () => {
    const [before, whole] = [cluster(3), cluster(4)];
    const machineNetworks = [0, 1, 2, 3].map((network) => `10.0.${network}.0/24`);
    whole.setNetworks(machineNetworks.slice(0, 3));
    expect(whole.groups(3)).toEqual(before.groups(3));
    whole.setNetworks(machineNetworks);
    expect(whole.groups(3)).toEqual(cluster(4).groups(3));
  });
});

describe('patchy network of 1,000 hosts', () => {
  it.each(NETWORKS)('is searched within the limit, and the result is a full mesh: %s', (_, reaches) => {
    const mesh = meshOf(reaches);
    const effort: MeshEffort = { branches: 0, steps: 0 };
    const found = largestFullMesh(mesh, effort);
    expect(effort.branches).toBeLessThanOrEqual(MAX_BRANCHES);
    expect(effort.steps).toBeLessThanOrEqual(meshStepsMax(HOSTS));
    expect(found.length).toBeGreaterThan(1);
    expect(isMesh(found, reaches)).toBe(true);
    const isLarger = ids.some(
      (id, number) => !found.includes(id) && found.every((one) => reaches(number, Number(one))),
    );
    expect(isLarger).toBe(false);
  });

  it('has a limit of steps that a service can execute', () => {
    expect(meshStepsMax(HOSTS)).toBeLessThan(STEPS_MAX);
  });

  it('is searched in one step per kind of host when only racks are disconnected', () => {
    const effort: MeshEffort = { branches: 0, steps: 0 };
    expect(
      largestFullMesh(
        meshOf((a, b) => a % 10 === b % 10),
        effort,
      ),
    ).toHaveLength(HOSTS / 10);
    expect(effort.steps).toBeLessThanOrEqual(1_000);
  });

  it('has the same group in any order of its hosts and edges', () => {
    const reaches = atRandom(70);
    const groupOf = (order: readonly number[]): readonly string[] => {
      const graph = new ReachGraph();
      for (const number of order) graph.addHost(idOf(number));
      for (const a of order)
        for (const b of order) if (a !== b && reaches(a, b)) graph.setReached(idOf(a), idOf(b), true);
      return graph.group();
    };
    const forwards = ids.map(Number);
    const group = groupOf(forwards);
    expect(groupOf(forwards.map((number) => (number * 387) % HOSTS))).toEqual(group);
    expect(isMesh(group, reaches)).toBe(true);
  });

  it('shares the limit of one network among its parts', () => {
    const [parts, size] = [4, 100];
    const hosts = ids.slice(0, parts * size);
    const graph = new ReachGraph();
    for (const host of hosts) graph.addHost(host);
    const isInPart = (a: number, b: number): boolean => Math.floor(a / size) === Math.floor(b / size);
    hosts.forEach((from, a) => {
      hosts.forEach((to, b) => graph.setReached(from, to, isInPart(a, b) && atRandom(80)(a, b)));
    });
    const effort = noEffort();
    expect(graph.group([], MAX_BRANCHES, effort).length).toBeGreaterThan(10);
    expect(effort.branches).toBeGreaterThanOrEqual(MAX_BRANCHES);
    // A part that is searched after the limit has one branch.
    expect(effort.branches).toBeLessThan(MAX_BRANCHES + parts);
  });

  it('is searched once for two graphs with equal edges, and again for other edges', () => {
    const graphOf = (reaches: Reaches): ReachGraph => {
      const graph = new ReachGraph();
      for (const id of ids) graph.addHost(id);
      ids.forEach((from, a) => ids.forEach((to, b) => a !== b && reaches(a, b) && graph.setReached(from, to, true)));
      return graph;
    };
    const first = graphOf(atRandom(70));
    const other = graphOf((a, b) => (a + b === 1 ? !atRandom(70)(a, b) : atRandom(70)(a, b)));
    const group = first.group();
    expect(graphOf(atRandom(70)).group([other, first])).toBe(group);
    expect(other.group([first])).not.toBe(group);
  });
});
