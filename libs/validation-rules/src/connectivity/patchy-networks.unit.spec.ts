import {
  emptyBits,
  largestFullMesh,
  MAX_BRANCHES,
  type Mesh,
  type MeshEffort,
  meshStepsMax,
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
