/** A set of small numbers: a bit for each, 32 to an integer. */
export type BitSet = Uint32Array;

export const emptyBits = (size: number): BitSet => new Uint32Array(Math.ceil(size / 32));

export const hasBit = (row: BitSet, number: number): boolean =>
  (((row[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;

export const setBit = (row: BitSet, number: number): void => {
  row[number >>> 5] = (row[number >>> 5] ?? 0) | (1 << (number & 31));
};

export const clearBit = (row: BitSet, number: number): void => {
  row[number >>> 5] = (row[number >>> 5] ?? 0) & ~(1 << (number & 31));
};

/** Both of the same size. */
export const inBoth = (a: BitSet, b: BitSet): BitSet => a.map((word, at) => word & (b[at] ?? 0));

/** Its numbers, ascending. */
export function bitsOf(row: BitSet): number[] {
  const numbers: number[] = [];
  for (const [at, whole] of row.entries())
    for (let word = whole; word !== 0; word &= word - 1) numbers.push(at * 32 + 31 - Math.clz32(word & -word));
  return numbers;
}

/** Reachability in both directions: for each host a bit per host, by index in the list of hosts. */
export interface Mesh {
  /** Sorted; the place in this list is the number of the host. */
  readonly hosts: readonly string[];
  /** For each host the hosts it reaches both ways, itself included. */
  readonly neighbours: readonly BitSet[];
}

/** Branches looked at before the best mesh so far has to do. */
export const MAX_BRANCHES = 4_096;
/** Places that a greedy search starts from, best connected first. */
const GREEDY_STARTS = 32;

/** What a search took: one step for every kind of host that was looked at. */
export interface MeshEffort {
  branches: number;
  steps: number;
}

/** No search among so many kinds of hosts takes more steps, whatever the graph: each kind weighs the others, is tried from each start, and is sized up in each branch. */
export const meshStepsMax = (kinds: number): number => kinds * (kinds + GREEDY_STARTS + MAX_BRANCHES);

/** Hosts that reach, and are reached by, exactly the same hosts: one decision serves all of them. */
interface Kind {
  readonly members: readonly number[];
  /** Numbers of kinds, its own included. */
  readonly reach: BitSet;
}

/**
 * The largest set of hosts of which each reaches each, sorted; among equally large ones the one with the smallest ids.
 *
 * To find it is hard in general (it is the maximum clique), but not in networks as they are: hosts on one switch reach the same hosts, so
 * they are merged into one kind first, and a sound network of any size is a single kind. Kinds are then searched by branch and
 * bound, at most MAX_BRANCHES branches: with patchy connectivity the answer is a full mesh nonetheless, the best of greedy
 * searches and of the branches seen, but may not be the largest one. The answer depends on the graph alone. Bound for n hosts of k
 * kinds: O(n²/32 + k²) to merge, `meshStepsMax` to search; `effort` counts the steps.
 */
export function largestFullMesh(mesh: Mesh, effort: MeshEffort = { branches: 0, steps: 0 }): readonly string[] {
  const kinds = kindsOf(mesh);
  const sizeOf = (some: readonly number[]): number => {
    effort.steps += some.length;
    return some.reduce((size, kind) => size + (kinds[kind]?.members.length ?? 0), 0);
  };
  let { best, size: bestSize } = greedyMesh(kinds, sizeOf, effort);
  // One of the same size that the search finds first has the smaller ids.
  bestSize -= 1;
  const search = (chosen: readonly number[], size: number, candidates: BitSet): void => {
    effort.branches += 1;
    if (size > bestSize) [best, bestSize] = [chosen, size];
    const numbers = bitsOf(candidates);
    let open = sizeOf(numbers);
    for (const candidate of numbers) {
      if (size + open <= bestSize || effort.branches >= MAX_BRANCHES) return;
      const kind = kinds[candidate];
      if (!kind) return;
      clearBit(candidates, candidate);
      search([...chosen, candidate], size + kind.members.length, inBoth(candidates, kind.reach));
      open -= kind.members.length;
    }
  };
  const all = emptyBits(kinds.length);
  for (const kind of kinds.keys()) setBit(all, kind);
  search([], 0, all);
  return best
    .flatMap((kind) => kinds[kind]?.members ?? [])
    .sort((a, b) => a - b)
    .map((number) => mesh.hosts[number] ?? '');
}

/** In the order of their first members, so that the first of equal answers is the one with the smallest ids. */
function kindsOf({ neighbours }: Mesh): readonly Kind[] {
  const byReach = new Map<string, number[]>();
  neighbours.forEach((row, number) => {
    const key = row.join();
    const members = byReach.get(key);
    if (members) members.push(number);
    else byReach.set(key, [number]);
  });
  const groups = [...byReach.values()];
  return groups.map((members) => {
    const row = neighbours[members[0] ?? 0];
    const reach = emptyBits(groups.length);
    groups.forEach(([other = 0], kind) => {
      if (row && hasBit(row, other)) setBit(reach, kind);
    });
    return { members, reach };
  });
}

function greedyMesh(
  kinds: readonly Kind[],
  sizeOf: (some: readonly number[]) => number,
  effort: MeshEffort,
): { best: readonly number[]; size: number } {
  const weights = kinds.map(({ reach }) => sizeOf(bitsOf(reach)));
  const byWeight = [...kinds.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  let [best, size]: [readonly number[], number] = [[], 0];
  for (const start of byWeight.slice(0, GREEDY_STARTS)) {
    const chosen = [start];
    let common = kinds[start]?.reach ?? emptyBits(0);
    effort.steps += byWeight.length;
    for (const candidate of byWeight) {
      if (candidate === start || !hasBit(common, candidate)) continue;
      chosen.push(candidate);
      common = inBoth(common, kinds[candidate]?.reach ?? common);
    }
    const found = chosen.reduce((sum, kind) => sum + (kinds[kind]?.members.length ?? 0), 0);
    if (found > size) [best, size] = [chosen, found];
  }
  return { best, size };
}
