/** Who reaches whom, both ways: for each host a bit per host, 32 to a word, by place in the list of hosts. */
export interface Mesh {
  /** Sorted; the place in this list is the number of the host. */
  readonly hosts: readonly string[];
  /** For each host the hosts it reaches both ways, itself included. */
  readonly neighbours: readonly Uint32Array[];
}

/** Branches looked at before the best mesh so far has to do. */
export const MAX_BRANCHES = 4_096;
/** Places that a greedy search starts from, best connected first. */
const GREEDY_STARTS = 32;

/** Hosts that reach, and are reached by, exactly the same hosts: one decision serves all of them. */
interface Kind {
  readonly members: readonly number[];
  readonly reach: Set<number>;
}

/**
 * The largest set of hosts of which each reaches each, sorted; among equally large ones the one with the smallest ids.
 *
 * To find it is hard in general (it is the maximum clique), but not in networks as they are: hosts on one switch reach the same hosts, so
 * they are merged into one kind first, and a sound network of any size is a single kind. Kinds are then searched by branch and
 * bound, at most MAX_BRANCHES branches: with patchy connectivity the answer is a full mesh nonetheless, the best of greedy
 * searches and of the branches seen, but may not be the largest one. The answer depends on the graph alone. Bound for n hosts of k
 * kinds: O(n²/32 + k²) to merge, O((MAX_BRANCHES + GREEDY_STARTS × k) × k) to search.
 */
export function largestFullMesh(mesh: Mesh): readonly string[] {
  const kinds = kindsOf(mesh);
  let best = greedyMesh(kinds);
  let bestSize = sizeOf(kinds, best) - 1;
  let branches = 0;
  const search = (chosen: readonly number[], size: number, candidates: readonly number[]): void => {
    branches += 1;
    if (size > bestSize) [best, bestSize] = [chosen, size];
    let open = sizeOf(kinds, candidates);
    for (const [at, candidate] of candidates.entries()) {
      if (size + open <= bestSize || branches >= MAX_BRANCHES) return;
      const kind = kinds[candidate];
      if (!kind) return;
      const rest = candidates.slice(at + 1).filter((other) => kind.reach.has(other));
      search([...chosen, candidate], size + kind.members.length, rest);
      open -= kind.members.length;
    }
  };
  search([], 0, [...kinds.keys()]);
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
    const reach = groups.flatMap(([other = 0], kind) => (row && hasBit(row, other) ? [kind] : []));
    return { members, reach: new Set(reach) };
  });
}

function greedyMesh(kinds: readonly Kind[]): readonly number[] {
  const weights = kinds.map(({ reach }) => sizeOf(kinds, [...reach]));
  const byWeight = [...kinds.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  let best: readonly number[] = [];
  for (const start of byWeight.slice(0, GREEDY_STARTS)) {
    const chosen = [start];
    for (const candidate of byWeight)
      if (candidate !== start && chosen.every((one) => kinds[one]?.reach.has(candidate))) chosen.push(candidate);
    if (sizeOf(kinds, chosen) > sizeOf(kinds, best)) best = chosen;
  }
  return best;
}

const sizeOf = (kinds: readonly Kind[], some: readonly number[]): number =>
  some.reduce((size, kind) => size + (kinds[kind]?.members.length ?? 0), 0);

export const hasBit = (row: Uint32Array, number: number): boolean =>
  (((row[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
export const setBit = (row: Uint32Array, number: number): void => {
  row[number >>> 5] = (row[number >>> 5] ?? 0) | (1 << (number & 31));
};
