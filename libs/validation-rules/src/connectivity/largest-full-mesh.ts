/** A set of small numbers as bits, 32 per integer. */
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

/** Removes from `a` the numbers that are not in `b`. Both have the same size. */
export function keepCommon(a: BitSet, b: BitSet): void {
  for (let at = 0; at < a.length; at += 1) a[at] = (a[at] ?? 0) & (b[at] ?? 0);
}

/** Calls `visit` with each number of the set, ascending. */
export function forEachBit(row: BitSet, visit: (number: number) => void): void {
  for (let at = 0; at < row.length; at += 1)
    for (let word = row[at] ?? 0; word !== 0; word &= word - 1) visit(at * 32 + 31 - Math.clz32(word & -word));
}

/** Returns the count of numbers in the set. */
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

/** Returns true when both sets contain the same numbers. */
export const isSame = (a: BitSet, b: BitSet): boolean => a.length === b.length && a.every((word, at) => word === b[at]);

/** Reachability in both directions: for each host one bit per host, by index in the list of hosts. */
export interface Mesh {
  /** Sorted ids. The index in this list is the number of the host. */
  readonly hosts: readonly string[];
  /** For each host, the hosts that it reaches in both directions, including itself. */
  readonly neighbours: readonly BitSet[];
}

/** Maximum number of branches. Then the best mesh so far is returned. */
export const MAX_BRANCHES = 4_096;
/** Number of hosts from which a greedy search starts, best connected first. */
const GREEDY_STARTS = 32;

/** The cost of a search: one step for each kind of host that was examined. */
export interface MeshEffort {
  branches: number;
  steps: number;
}

/**
 * Returns the maximum number of steps of a search among this many kinds of hosts: each kind compares the others, is a
 * greedy start, and is bounded in each branch.
 */
export const meshStepsMax = (kinds: number): number => kinds * (kinds + GREEDY_STARTS + MAX_BRANCHES);

/** Hosts with equal neighbours. They are included or excluded together. */
interface Kind {
  readonly members: readonly number[];
  /** Numbers of the reached kinds, including its own. */
  readonly reach: BitSet;
}

/**
 * Returns the largest set of hosts in which each reaches each (a maximum clique), sorted. Of equally large ones,
 * returns the one with the smallest ids.
 * The problem is hard in general, but not in usual networks: hosts on one switch have equal neighbours, so they are
 * merged into one kind first. A healthy network of any size is a single kind. Kinds are then searched by branch and
 * bound with at most MAX_BRANCHES branches. With patchy connectivity, the result is always a full mesh, but possibly
 * not the largest one. The result depends on the graph alone. Cost for n hosts of k kinds: O(n²/32 + k²) to merge,
 * `meshStepsMax` to search. `effort` counts the steps.
 */
export function largestFullMesh(mesh: Mesh, effort: MeshEffort = { branches: 0, steps: 0 }): readonly string[] {
  const kinds = kindsOf(mesh);
  const sizeOf = weigher(kinds, effort);
  let { best, size: bestSize } = greedyMesh(kinds, sizeOf, effort);
  // Of meshes with equal size, the one that is found first has the smaller ids.
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

/** Ordered by their first members, so that the first of equal results is the one with the smallest ids. */
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
