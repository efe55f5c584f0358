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

/** Adds one to each number of the set from `number` on. The last number must not be in the set. */
export function insertNumber(row: BitSet, number: number): void {
  const first = number >>> 5;
  for (let at = row.length - 1; at > first; at -= 1) row[at] = ((row[at] ?? 0) << 1) | ((row[at - 1] ?? 0) >>> 31);
  const lower = (1 << (number & 31)) - 1;
  const word = row[first] ?? 0;
  row[first] = (word & lower) | ((word & ~lower) << 1);
}

/** Removes `number` from the set and subtracts one from each larger number. */
export function removeNumber(row: BitSet, number: number): void {
  const first = number >>> 5;
  const lower = (1 << (number & 31)) - 1;
  const word = row[first] ?? 0;
  row[first] = (word & lower) | ((word >>> 1) & ~lower);
  for (let at = first + 1; at < row.length; at += 1) {
    row[at - 1] = (row[at - 1] ?? 0) | ((row[at] ?? 0) << 31);
    row[at] = (row[at] ?? 0) >>> 1;
  }
}

/** Sets `target` to the numbers that are in both sets, from the integer `from` on. Returns it. */
export function intersect(target: BitSet, a: BitSet, b: BitSet, from = 0): BitSet {
  for (let at = from; at < target.length; at += 1) target[at] = (a[at] ?? 0) & (b[at] ?? 0);
  return target;
}

/** Calls `visit` with each number of the set from the integer `from` on, ascending. */
export function forEachBit(row: BitSet, visit: (number: number) => void, from = 0): void {
  for (let at = from; at < row.length; at += 1)
    for (let word = row[at] ?? 0; word !== 0; word &= word - 1) visit(at * 32 + 31 - Math.clz32(word & -word));
}

/** Returns the count of numbers in the set from the integer `from` on. */
export function countBits(row: BitSet, from = 0): number {
  let count = 0;
  for (let at = from; at < row.length; at += 1) {
    let word = row[at] ?? 0;
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return count;
}

/** Returns true when both sets contain the same numbers. */
export function isSame(a: BitSet, b: BitSet): boolean {
  if (a.length !== b.length) return false;
  // A loop, because a call for each integer costs ten times as much.
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** Reachability in both directions: for each host one bit per host, by index in the list of hosts. */
export interface Mesh {
  /** Sorted ids. The index in this list is the number of the host. */
  readonly hosts: readonly string[];
  /** For each host, the hosts that it reaches in both directions, including itself. */
  readonly neighbours: readonly BitSet[];
  /** The numbers of the hosts to search, ascending. */
  readonly searched: readonly number[];
}

/** Maximum number of branches in one network. Then the best mesh so far is returned. */
export const MAX_BRANCHES = 4_096;
/** Maximum number of branches in all networks of a cluster, which are searched in one turn of the event loop. */
const BRANCHES_OF_CLUSTER_MAX = 4 * MAX_BRANCHES;

/** Returns the maximum number of branches in each network of a cluster with this many. */
export const branchesOfEach = (networks: number): number =>
  Math.min(MAX_BRANCHES, Math.floor(BRANCHES_OF_CLUSTER_MAX / networks));

/** Number of hosts from which a greedy search starts, best connected first. */
const GREEDY_STARTS = 32;

/** The cost of searches: one step for each kind of host that was examined. */
export interface MeshEffort {
  branches: number;
  steps: number;
}

export const noEffort = (): MeshEffort => ({ branches: 0, steps: 0 });

/**
 * Returns the maximum number of steps of a search among this many kinds of hosts: each kind compares the others, is a
 * greedy start, and is bounded in each branch.
 */
export const meshStepsMax = (kinds: number): number => kinds * (kinds + GREEDY_STARTS + MAX_BRANCHES);

/** Hosts with equal neighbours. They are included or excluded together. */
interface Kind {
  readonly members: number[];
  /** Numbers of the reached hosts, including its own. */
  readonly reach: BitSet;
}

interface Kinds {
  /** By the number of the first member, so that the first of equal results is the one with the smallest ids. */
  readonly byNumber: readonly (Kind | undefined)[];
  /** Ascending. */
  readonly numbers: readonly number[];
  readonly all: BitSet;
}

/** Counts the hosts of a set of kinds from the integer `from` on. */
type SizeOf = (set: BitSet, from?: number) => number;

/**
 * Returns the largest set of hosts in which each reaches each (a maximum clique), sorted. Of equally large ones,
 * returns the one with the smallest ids.
 * The problem is hard in general, but not in usual networks: hosts on one switch have equal neighbours, so they are
 * merged into one kind first. A healthy network of any size is a single kind. Kinds are then searched by branch and
 * bound until `effort` has `until` branches. With patchy connectivity, the result is always a full mesh, but possibly
 * not the largest one. The result depends on the graph and the limit alone. Cost for n hosts of k kinds: O(n²/32 + k²)
 * to merge, `meshStepsMax` to search. `effort` counts the steps.
 */
export function largestFullMesh(
  mesh: Mesh,
  effort: MeshEffort = noEffort(),
  until = effort.branches + MAX_BRANCHES,
): readonly string[] {
  const kinds = kindsOf(mesh);
  const { byNumber } = kinds;
  const sizeOf = weigher(kinds, effort);
  let { best, size: bestSize } = greedyMesh(kinds, sizeOf, effort);
  // Of meshes with equal size, the one that is found first has the smaller ids.
  bestSize -= 1;
  const chosen: number[] = [];
  /** The candidates below each chosen kind. They are used again, because a new set costs more than its contents. */
  const below: BitSet[] = [];
  /** The integers of `candidates` before `from` are not read: no candidate is left there. */
  const search = (size: number, candidates: BitSet, from: number): void => {
    effort.branches += 1;
    if (size > bestSize) [best, bestSize] = [[...chosen], size];
    let open = sizeOf(candidates, from);
    for (let at = from; at < candidates.length; at += 1) {
      for (let word = candidates[at] ?? 0; word !== 0; word = candidates[at] ?? 0) {
        if (size + open <= bestSize || effort.branches >= until) return;
        const candidate = at * 32 + 31 - Math.clz32(word & -word);
        const kind = byNumber[candidate];
        if (!kind) return;
        clearBit(candidates, candidate);
        const common = (below[chosen.length] ??= new Uint32Array(candidates.length));
        intersect(common, candidates, kind.reach, at);
        chosen.push(candidate);
        search(size + kind.members.length, common, at);
        chosen.pop();
        open -= kind.members.length;
      }
    }
  };
  search(0, kinds.all.slice(), 0);
  return best
    .flatMap((kind) => byNumber[kind]?.members ?? [])
    .sort((a, b) => a - b)
    .map((number) => mesh.hosts[number] ?? '');
}

function setOf(numbers: readonly number[], size: number): BitSet {
  const set = emptyBits(size);
  for (const number of numbers) setBit(set, number);
  return set;
}

function weigher({ byNumber, numbers }: Kinds, effort: MeshEffort): SizeOf {
  const sizes = byNumber.map((kind) => kind?.members.length ?? 0);
  const isSingle = numbers.every((kind) => sizes[kind] === 1);
  return (set, from = 0) => {
    const count = countBits(set, from);
    effort.steps += count;
    if (isSingle) return count;
    let size = 0;
    forEachBit(set, (kind) => (size += sizes[kind] ?? 0), from);
    return size;
  };
}

function kindsOf({ hosts, neighbours, searched }: Mesh): Kinds {
  const present = setOf(searched, hosts.length);
  const [own, other] = [emptyBits(hosts.length), emptyBits(hosts.length)];
  const byHash = new Map<number, Kind[]>();
  const byNumber = hosts.map((): Kind | undefined => undefined);
  const numbers: number[] = [];
  for (const number of searched) {
    const reach = neighbours[number] ?? present;
    intersect(own, reach, present);
    let hash = 0;
    for (let at = 0; at < own.length; at += 1) hash = Math.imul(hash ^ (own[at] ?? 0), 0x0100_0193);
    const alike = byHash.get(hash) ?? [];
    byHash.set(hash, alike);
    const known = alike.find((kind) => isSame(own, intersect(other, kind.reach, present)));
    if (known) known.members.push(number);
    else {
      const kind = { members: [number], reach };
      alike.push(kind);
      byNumber[number] = kind;
      numbers.push(number);
    }
  }
  return { byNumber, numbers, all: setOf(numbers, hosts.length) };
}

function greedyMesh(
  { byNumber, numbers, all }: Kinds,
  sizeOf: SizeOf,
  effort: MeshEffort,
): { best: readonly number[]; size: number } {
  const common = emptyBits(byNumber.length);
  const weights = byNumber.map((kind) => (kind ? sizeOf(intersect(common, all, kind.reach)) : 0));
  const byWeight = numbers.toSorted((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  let [best, size]: [readonly number[], number] = [[], 0];
  for (const start of byWeight.slice(0, GREEDY_STARTS)) {
    const chosen = [start];
    intersect(common, all, byNumber[start]?.reach ?? all);
    effort.steps += byWeight.length;
    for (const candidate of byWeight) {
      const kind = byNumber[candidate];
      if (candidate === start || !kind || !hasBit(common, candidate)) continue;
      chosen.push(candidate);
      intersect(common, common, kind.reach);
    }
    const found = chosen.reduce((sum, kind) => sum + (byNumber[kind]?.members.length ?? 0), 0);
    if (found > size) [best, size] = [chosen, found];
  }
  return { best, size };
}
