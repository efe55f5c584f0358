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

/** Keeps in `a` what is also in `b`. Both have the same size. */
export function keepCommon(a: BitSet, b: BitSet): void {
  for (let at = 0; at < a.length; at += 1) a[at] = (a[at] ?? 0) & (b[at] ?? 0);
}

/** Calls `visit` with each number of the set, ascending. */
export function forEachBit(row: BitSet, visit: (number: number) => void): void {
  for (let at = 0; at < row.length; at += 1)
    for (let word = row[at] ?? 0; word !== 0; word &= word - 1) visit(at * 32 + 31 - Math.clz32(word & -word));
}

/** Returns how many numbers the set has. */
export function countBits(row: BitSet): number {
  let count = 0;
  for (let at = 0; at < row.length; at += 1) {
    let word = row[at] ?? 0;
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return count;
}

/** True for the same numbers. */
export const isSame = (a: BitSet, b: BitSet): boolean => a.length === b.length && a.every((word, at) => word === b[at]);

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
  const sizeOf = weigher(kinds, effort);
  let { best, size: bestSize } = greedyMesh(kinds, sizeOf, effort);
  // One of the same size that the search finds first has the smaller ids.
  bestSize -= 1;
  const chosen: number[] = [];
  const search = (size: number, candidates: BitSet): void => {
    effort.branches += 1;
    if (size > bestSize) [best, bestSize] = [[...chosen], size];
    let open = sizeOf(candidates);
    for (let at = 0; at < candidates.length; at += 1) {
      for (let word = candidates[at] ?? 0; word !== 0; word = candidates[at] ?? 0) {
        if (size + open <= bestSize || effort.branches >= MAX_BRANCHES) return;
        const candidate = at * 32 + 31 - Math.clz32(word & -word);
        const kind = kinds[candidate];
        if (!kind) return;
        clearBit(candidates, candidate);
        const common = candidates.slice();
        keepCommon(common, kind.reach);
        chosen.push(candidate);
        search(size + kind.members.length, common);
        chosen.pop();
        open -= kind.members.length;
      }
    }
  };
  const all = emptyBits(kinds.length);
  for (const kind of kinds.keys()) setBit(all, kind);
  search(0, all);
  return best
    .flatMap((kind) => kinds[kind]?.members ?? [])
    .sort((a, b) => a - b)
    .map((number) => mesh.hosts[number] ?? '');
}

/** Returns a function that counts the hosts of a set of kinds. */
function weigher(kinds: readonly Kind[], effort: MeshEffort): (set: BitSet) => number {
  const isSingle = kinds.every(({ members }) => members.length === 1);
  return (set) => {
    const count = countBits(set);
    effort.steps += count;
    if (isSingle) return count;
    let size = 0;
    forEachBit(set, (kind) => (size += kinds[kind]?.members.length ?? 0));
    return size;
  };
}

/** In the order of their first members, so that the first of equal answers is the one with the smallest ids. */
function kindsOf({ neighbours }: Mesh): readonly Kind[] {
  const byHash = new Map<number, number[][]>();
  const groups: number[][] = [];
  neighbours.forEach((row, number) => {
    let hash = 0;
    for (let at = 0; at < row.length; at += 1) hash = Math.imul(hash ^ (row[at] ?? 0), 0x0100_0193);
    const alike = byHash.get(hash) ?? [];
    byHash.set(hash, alike);
    const group = alike.find(([first = 0]) => isSame(neighbours[first] ?? emptyBits(0), row));
    if (group) group.push(number);
    else {
      const members = [number];
      alike.push(members);
      groups.push(members);
    }
  });
  if (groups.length === neighbours.length) return neighbours.map((reach, number) => ({ members: [number], reach }));
  const kindOfFirst = new Int32Array(neighbours.length).fill(-1);
  groups.forEach(([first = 0], kind) => (kindOfFirst[first] = kind));
  return groups.map((members) => {
    const reach = emptyBits(groups.length);
    forEachBit(neighbours[members[0] ?? 0] ?? emptyBits(0), (other) => {
      const kind = kindOfFirst[other] ?? -1;
      if (kind >= 0) setBit(reach, kind);
    });
    return { members, reach };
  });
}

function greedyMesh(
  kinds: readonly Kind[],
  sizeOf: (set: BitSet) => number,
  effort: MeshEffort,
): { best: readonly number[]; size: number } {
  const weights = kinds.map(({ reach }) => sizeOf(reach));
  const byWeight = [...kinds.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  let [best, size]: [readonly number[], number] = [[], 0];
  for (const start of byWeight.slice(0, GREEDY_STARTS)) {
    const chosen = [start];
    const common = kinds[start]?.reach.slice() ?? emptyBits(0);
    effort.steps += byWeight.length;
    for (const candidate of byWeight) {
      const kind = kinds[candidate];
      if (candidate === start || !kind || !hasBit(common, candidate)) continue;
      chosen.push(candidate);
      keepCommon(common, kind.reach);
    }
    const found = chosen.reduce((sum, kind) => sum + (kinds[kind]?.members.length ?? 0), 0);
    if (found > size) [best, size] = [chosen, found];
  }
  return { best, size };
}
