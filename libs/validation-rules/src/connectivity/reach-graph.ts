import {
  type BitSet,
  bitsOf,
  clearBit,
  emptyBits,
  hasBit,
  largestFullMesh,
  type Mesh,
  setBit,
} from './largest-full-mesh';

const FIRST_SLOTS = 32;

/** A host of the graph; its slot is its place in the bits of all others. */
interface Vertex {
  readonly host: string;
  readonly slot: number;
  /** Slots of the hosts it says it reaches. */
  reached: BitSet;
  /** Slots of those that say so of it as well. */
  both: BitSet;
  /** How many these are. */
  degree: number;
}

/**
 * The reachability of hosts in one network, updated edge by edge. An edge counts once both ends report it. A change of one direction
 * costs O(1); the group is computed when it is asked for after an edge came or went, and while every host that reaches anyone
 * reaches everyone, which two counters tell, there is nothing to search for.
 */
export class ReachGraph {
  private readonly vertices = new Map<string, Vertex>();
  private readonly bySlot: (Vertex | undefined)[] = [];
  private readonly freeSlots: number[] = [];
  private slots = FIRST_SLOTS;
  private edges = 0;
  private connected = 0;
  private known: readonly string[] = [];
  private isStale = false;

  addHost(host: string): void {
    if (this.vertices.has(host)) return;
    const slot = this.freeSlots.pop() ?? this.bySlot.length;
    if (slot >= this.slots) this.grow();
    const vertex = { host, slot, reached: emptyBits(this.slots), both: emptyBits(this.slots), degree: 0 };
    this.vertices.set(host, vertex);
    this.bySlot[slot] = vertex;
  }

  removeHost(host: string): void {
    const vertex = this.vertices.get(host);
    if (!vertex) return;
    for (const other of this.vertices.keys()) {
      this.setReached(host, other, false);
      this.setReached(other, host, false);
    }
    this.vertices.delete(host);
    this.bySlot[vertex.slot] = undefined;
    this.freeSlots.push(vertex.slot);
  }

  has(host: string): boolean {
    return this.vertices.has(host);
  }

  /** Applies to hosts in the graph only: other hosts have no edges. */
  setReached(from: string, to: string, isReached: boolean): void {
    const [a, b] = [this.vertices.get(from), this.vertices.get(to)];
    if (!a || !b || a === b || hasBit(a.reached, b.slot) === isReached) return;
    const change = isReached ? setBit : clearBit;
    change(a.reached, b.slot);
    if (!hasBit(b.reached, a.slot)) return;
    this.isStale = true;
    change(a.both, b.slot);
    change(b.both, a.slot);
    this.edges += isReached ? 1 : -1;
    for (const vertex of [a, b]) {
      if (vertex.degree === 0) this.connected += 1;
      vertex.degree += isReached ? 1 : -1;
      if (vertex.degree === 0) this.connected -= 1;
    }
  }

  /** The largest set of at least two hosts of which each reaches each, sorted; empty when there is none. */
  group(): readonly string[] {
    if (this.isStale) {
      const isComplete = this.edges === (this.connected * (this.connected - 1)) / 2;
      this.known = isComplete ? this.inTouch().map(({ host }) => host) : this.search();
      this.isStale = false;
    }
    return this.known;
  }

  /** Returns the hosts that reach another host, sorted by id. */
  private inTouch(): readonly Vertex[] {
    return [...this.vertices.values()].filter(({ degree }) => degree > 0).sort((a, b) => (a.host < b.host ? -1 : 1));
  }

  /**
   * Leaving out the worst connected hosts one by one finds a mesh, which is a lower bound of the answer. A host that reaches fewer hosts
   * than that is not in the answer, and a host that reaches all other hosts is. The remaining hosts are searched: none in a network with a
   * few bad hosts or edges, all in a patchy network. Before the search, the cost is a step per host left out and edge.
   */
  private search(): readonly string[] {
    const all = this.inTouch();
    const mesh = this.withoutWorst(all);
    const core = new Map(all.map((vertex) => [vertex, vertex.degree]));
    const tooFew = all.filter(({ degree }) => degree + 1 < mesh.length);
    for (let vertex = tooFew.pop(); vertex !== undefined; vertex = tooFew.pop())
      for (const other of this.takeOut(core, vertex))
        if ((core.get(other) ?? 0) + 2 === mesh.length) tooFew.push(other);
    const reachesAll = (vertex: Vertex): boolean => core.get(vertex) === core.size - 1;
    const left = [...core.keys()];
    const found = [
      ...left.filter(reachesAll).map(({ host }) => host),
      ...largestFullMesh(toMesh(left.filter((vertex) => !reachesAll(vertex)))),
    ];
    return (found.length < mesh.length ? mesh.map(({ host }) => host) : found).sort();
  }

  private withoutWorst(all: readonly Vertex[]): readonly Vertex[] {
    const left = new Map(all.map((vertex) => [vertex, vertex.degree]));
    let { edges } = this;
    while (edges < (left.size * (left.size - 1)) / 2) {
      let [worst, least]: [Vertex | undefined, number] = [undefined, Infinity];
      // They come by id: of equally bad ones the last.
      for (const [vertex, degree] of left) if (degree <= least) [worst, least] = [vertex, degree];
      if (!worst) break;
      edges -= least;
      this.takeOut(left, worst);
    }
    return [...left.keys()];
  }

  /** Answers the hosts that reach one less by that. */
  private takeOut(degrees: Map<Vertex, number>, vertex: Vertex): readonly Vertex[] {
    if (!degrees.delete(vertex)) return [];
    const others: Vertex[] = [];
    for (const slot of bitsOf(vertex.both)) {
      const other = this.bySlot[slot];
      const degree = other && degrees.get(other);
      if (!other || degree === undefined) continue;
      degrees.set(other, degree - 1);
      others.push(other);
    }
    return others;
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

/** `vertices` by id. */
function toMesh(vertices: readonly Vertex[]): Mesh {
  const places = new Map(vertices.map(({ slot }, place) => [slot, place]));
  const neighbours = vertices.map(({ both }, own) => {
    const row = emptyBits(vertices.length);
    setBit(row, own);
    for (const slot of bitsOf(both)) {
      const place = places.get(slot);
      if (place !== undefined) setBit(row, place);
    }
    return row;
  });
  return { hosts: vertices.map(({ host }) => host), neighbours };
}
