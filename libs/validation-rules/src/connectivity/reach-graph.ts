import {
  type BitSet,
  clearBit,
  emptyBits,
  forEachBit,
  hasBit,
  insertNumber,
  isSame,
  largestFullMesh,
  MAX_BRANCHES,
  type MeshEffort,
  noEffort,
  removeNumber,
  setBit,
} from './largest-full-mesh';

const FIRST_SLOTS = 32;

/** A host of the graph. Its slot is its index in the order of ids and in the bits of all other hosts. */
interface Vertex {
  readonly host: string;
  slot: number;
  isPresent: boolean;
  /** Slots of the hosts that it reports as reached. */
  reached: BitSet;
  /** Slots of those that also report it as reached while both are present, and its own. */
  both: BitSet;
  /** The number of other slots in `both`. */
  degree: number;
}

/**
 * The reachability of hosts in one network, updated edge by edge. An edge counts when both ends report it and are present. A change of
 * one direction costs O(1), a present or absent host O(n), a new or removed host O(n²/32). The group is computed on demand after a
 * change. No search is necessary while every host with an edge reaches every other such host, which two counters show.
 */
export class ReachGraph {
  private readonly vertices = new Map<string, Vertex>();
  /** In the order of their ids, so that a search reads their bits as they are. */
  private readonly bySlot: Vertex[] = [];
  private slots = FIRST_SLOTS;
  private edges = 0;
  private connected = 0;
  private known: readonly string[] = [];
  private isStale = false;
  private branchesMax = MAX_BRANCHES;

  addHost(host: string, isPresent = true): void {
    if (this.vertices.has(host)) return;
    if (this.bySlot.length === this.slots) this.grow();
    const slot = this.bySlot.findLastIndex((other) => other.host < host) + 1;
    if (slot < this.bySlot.length) this.changeRows((row) => insertNumber(row, slot));
    const [reached, both] = [emptyBits(this.slots), emptyBits(this.slots)];
    const vertex = { host, slot, isPresent, reached, both, degree: 0 };
    setBit(vertex.both, slot);
    this.vertices.set(host, vertex);
    this.bySlot.splice(slot, 0, vertex);
    this.numberFrom(slot);
  }

  removeHost(host: string): void {
    const vertex = this.vertices.get(host);
    if (!vertex) return;
    this.setPresent(host, false);
    this.vertices.delete(host);
    this.bySlot.splice(vertex.slot, 1);
    this.changeRows((row) => removeNumber(row, vertex.slot));
    this.numberFrom(vertex.slot);
  }

  has(host: string): boolean {
    return this.vertices.has(host);
  }

  /** An absent host has no edges, and is in no group. What it reaches, and by which hosts it is reached, is kept. */
  setPresent(host: string, isPresent: boolean): void {
    const vertex = this.vertices.get(host);
    if (!vertex || vertex.isPresent === isPresent) return;
    vertex.isPresent = isPresent;
    forEachBit(isPresent ? vertex.reached : vertex.both, (slot) => {
      const other = this.bySlot[slot];
      if (!other || other === vertex) return;
      if (!isPresent) this.setEdge(vertex, other, false);
      else if (other.isPresent && hasBit(other.reached, vertex.slot)) this.setEdge(vertex, other, true);
    });
  }

  /** Applies to hosts in the graph only, because other hosts have no edges. */
  setReached(from: string, to: string, isReached: boolean): void {
    const [a, b] = [this.vertices.get(from), this.vertices.get(to)];
    if (!a || !b || a === b || hasBit(a.reached, b.slot) === isReached) return;
    (isReached ? setBit : clearBit)(a.reached, b.slot);
    if (a.isPresent && b.isPresent && hasBit(b.reached, a.slot)) this.setEdge(a, b, isReached);
  }

  private setEdge(a: Vertex, b: Vertex, isEdge: boolean): void {
    this.isStale = true;
    const change = isEdge ? setBit : clearBit;
    change(a.both, b.slot);
    change(b.both, a.slot);
    this.edges += isEdge ? 1 : -1;
    for (const vertex of [a, b]) {
      if (vertex.degree === 0) this.connected += 1;
      vertex.degree += isEdge ? 1 : -1;
      if (vertex.degree === 0) this.connected -= 1;
    }
  }

  /**
   * Returns the largest set of at least two hosts in which each reaches each, sorted. Empty when there is none.
   * `others` are graphs whose group with this limit is known: a graph with equal edges has the same group.
   */
  group(others: readonly ReachGraph[] = [], branchesMax = MAX_BRANCHES, effort = noEffort()): readonly string[] {
    if (this.isStale || this.branchesMax !== branchesMax) {
      this.branchesMax = branchesMax;
      const isComplete = this.edges === (this.connected * (this.connected - 1)) / 2;
      this.known = isComplete
        ? this.connectedHosts().map(({ host }) => host)
        : (others.find((other) => other.hasSameEdges(this))?.known ?? this.search(effort));
      this.isStale = false;
    }
    return this.known;
  }

  /** May return false for graphs with the same edges, of which one had more hosts before. */
  private hasSameEdges(other: ReachGraph): boolean {
    if (this.isStale || this.edges !== other.edges || this.vertices.size !== other.vertices.size) return false;
    return this.bySlot.every((vertex, slot) => {
      const equal = other.bySlot[slot];
      return vertex.host === equal?.host && isSame(vertex.both, equal.both);
    });
  }

  /** Returns the hosts that reach another host, sorted by id. */
  private connectedHosts(): readonly Vertex[] {
    return this.bySlot.filter(({ degree }) => degree > 0);
  }

  /**
   * Searches the parts of the graph that have no edge to each other one by one, the largest first. In a cluster with many silent hosts,
   * these are one part, and the connected hosts another one.
   */
  private search(effort: MeshEffort): readonly string[] {
    const until = effort.branches + this.branchesMax;
    let best: readonly string[] = [];
    for (const part of this.parts().toSorted((one, other) => other.length - one.length)) {
      if (part.length < best.length) break;
      const found = this.searchPart(part, effort, until);
      const isFirst = (found[0] ?? '') < (best[0] ?? '');
      if (found.length > best.length || (found.length === best.length && isFirst)) best = found;
    }
    return best;
  }

  /** Returns the parts of the graph that have no edge to each other, each in the order of ids. */
  private parts(): readonly (readonly Vertex[])[] {
    const parts: Vertex[][] = [];
    const all = this.connectedHosts();
    const open = new Remaining(all, this.slots);
    for (const first of all) {
      if (!open.has(first.slot)) continue;
      const part: Vertex[] = [];
      const next = [first];
      for (let vertex = next.pop(); vertex !== undefined; vertex = next.pop()) {
        part.push(vertex);
        open.takeWith(vertex, (slot) => {
          const other = this.bySlot[slot];
          if (other) next.push(other);
        });
      }
      parts.push(part.sort((one, other) => one.slot - other.slot));
    }
    return parts;
  }

  /**
   * Removing the worst connected hosts one by one results in a mesh, whose size is a lower bound of the result. A host
   * that reaches fewer hosts is not in the result, and a host that reaches all other hosts is. The remaining hosts are
   * searched: none in a network with a few bad hosts or edges, all in a patchy network. Cost before the search: one
   * step per removed host and edge. `all` are in the order of their ids.
   */
  private searchPart(all: readonly Vertex[], effort: MeshEffort, until: number): readonly string[] {
    const mesh = this.withoutWorst(all);
    const core = new Remaining(all, this.slots);
    const tooFew = all.filter(({ degree }) => degree + 1 < mesh.length);
    for (let vertex = tooFew.pop(); vertex !== undefined; vertex = tooFew.pop())
      core.takeOut(vertex, (slot, degree) => {
        const other = this.bySlot[slot];
        if (other && degree + 2 === mesh.length) tooFew.push(other);
      });
    const left = all.filter(({ slot }) => core.has(slot));
    const reachesAll = ({ slot }: Vertex): boolean => core.degreeOf(slot) === left.length - 1;
    const [hosts, neighbours] = [this.bySlot.map(({ host }) => host), this.bySlot.map(({ both }) => both)];
    const searched = left.filter((vertex) => !reachesAll(vertex)).map(({ slot }) => slot);
    const found = [
      ...left.filter(reachesAll).map(({ host }) => host),
      ...largestFullMesh({ hosts, neighbours, searched }, effort, until),
    ];
    return (found.length < mesh.length ? mesh.map(({ host }) => host) : found).sort();
  }

  /** `all` are in the order of their ids. */
  private withoutWorst(all: readonly Vertex[]): readonly Vertex[] {
    const remaining = new Remaining(all, this.slots);
    const left = Int32Array.from(all, ({ slot }) => slot);
    let size = left.length;
    let edges = all.reduce((sum, { degree }) => sum + degree, 0) / 2;
    while (edges < (size * (size - 1)) / 2) {
      let worst = -1;
      let least = Infinity;
      // Of equally connected hosts, the last.
      for (let at = 0; at < size; at += 1) {
        const degree = remaining.degreeOf(left[at] ?? 0);
        if (degree > least) continue;
        worst = at;
        least = degree;
      }
      const vertex = this.bySlot[left[worst] ?? -1];
      if (!vertex) break;
      left.copyWithin(worst, worst + 1, size);
      size -= 1;
      edges -= least;
      remaining.takeOut(vertex);
    }
    return all.filter(({ slot }) => remaining.has(slot));
  }

  private changeRows(change: (row: BitSet) => void): void {
    for (const { reached, both } of this.bySlot) for (const row of [reached, both]) change(row);
  }

  private numberFrom(first: number): void {
    for (let slot = first; slot < this.bySlot.length; slot += 1) {
      const vertex = this.bySlot[slot];
      if (vertex) vertex.slot = slot;
    }
  }

  private grow(): void {
    this.slots *= 2;
    for (const vertex of this.vertices.values()) {
      vertex.reached = wider(vertex.reached, this.slots);
      vertex.both = wider(vertex.both, this.slots);
    }
  }
}

function wider(row: BitSet, size: number): BitSet {
  const wide = emptyBits(size);
  wide.set(row);
  return wide;
}

/** Vertices that remain while others are removed, and how many of the remaining ones each reaches. */
class Remaining {
  private readonly slots: BitSet;
  private readonly degrees: Int32Array;

  constructor(vertices: readonly Vertex[], slots: number) {
    this.slots = emptyBits(slots);
    this.degrees = new Int32Array(slots);
    for (const { slot, degree } of vertices) {
      setBit(this.slots, slot);
      this.degrees[slot] = degree;
    }
  }

  has(slot: number): boolean {
    return hasBit(this.slots, slot);
  }

  degreeOf(slot: number): number {
    return this.degrees[slot] ?? 0;
  }

  /** Removes the vertex and those that it reaches. Calls `onRemoved` with the slot of each of the others. */
  takeWith({ slot, both }: Vertex, onRemoved: (slot: number) => void): void {
    clearBit(this.slots, slot);
    for (let at = 0; at < both.length; at += 1)
      for (let word = (both[at] ?? 0) & (this.slots[at] ?? 0); word !== 0; word &= word - 1) {
        const other = at * 32 + 31 - Math.clz32(word & -word);
        clearBit(this.slots, other);
        onRemoved(other);
      }
  }

  /** Removes a vertex. Calls `onLess` with the new degree of each remaining vertex that loses an edge. */
  takeOut({ slot, both }: Vertex, onLess?: (slot: number, degree: number) => void): void {
    if (!this.has(slot)) return;
    clearBit(this.slots, slot);
    const { degrees, slots } = this;
    for (let at = 0; at < both.length; at += 1)
      for (let word = (both[at] ?? 0) & (slots[at] ?? 0); word !== 0; word &= word - 1) {
        const other = at * 32 + 31 - Math.clz32(word & -word);
        const degree = (degrees[other] ?? 0) - 1;
        degrees[other] = degree;
        if (onLess) onLess(other, degree);
      }
  }
}
