import { largestFullMesh, type Mesh, setBit } from './largest-full-mesh';

/**
 * Who reaches whom in one network, kept up to date edge by edge. An edge counts once both ends report it. A change of one direction
 * costs O(1); the group is computed when it is asked for after an edge came or went, and while every host that reaches anyone
 * reaches everyone, which two counters tell, there is nothing to search for.
 */
export class ReachGraph {
  /** Host → the hosts it says it reaches. */
  private readonly reached = new Map<string, Set<string>>();
  /** Host → how many hosts it reaches both ways; hosts with none are left out. */
  private readonly degrees = new Map<string, number>();
  private edges = 0;
  private known: readonly string[] = [];
  private isStale = false;

  addHost(host: string): void {
    if (!this.reached.has(host)) this.reached.set(host, new Set());
  }

  removeHost(host: string): void {
    for (const other of this.reached.keys()) {
      this.setReached(host, other, false);
      this.setReached(other, host, false);
    }
    this.reached.delete(host);
  }

  has(host: string): boolean {
    return this.reached.has(host);
  }

  setReached(from: string, to: string, isReached: boolean): void {
    const others = this.reached.get(from);
    if (!others || from === to || others.has(to) === isReached) return;
    if (isReached) others.add(to);
    else others.delete(to);
    if (!this.reached.get(to)?.has(from)) return;
    this.isStale = true;
    this.edges += isReached ? 1 : -1;
    for (const host of [from, to]) {
      const degree = (this.degrees.get(host) ?? 0) + (isReached ? 1 : -1);
      if (degree > 0) this.degrees.set(host, degree);
      else this.degrees.delete(host);
    }
  }

  /** The largest set of at least two hosts of which each reaches each, sorted; empty when there is none. */
  group(): readonly string[] {
    if (this.isStale) {
      const hosts = this.degrees.size;
      const isComplete = this.edges === (hosts * (hosts - 1)) / 2;
      this.known = isComplete ? [...this.degrees.keys()].sort() : largestFullMesh(this.toMesh());
      this.isStale = false;
    }
    return this.known;
  }

  private toMesh(): Mesh {
    const hosts = [...this.degrees.keys()].sort();
    const places = new Map(hosts.map((host, place) => [host, place]));
    const neighbours = hosts.map((host, place) => {
      const row = new Uint32Array(Math.ceil(hosts.length / 32));
      setBit(row, place);
      for (const other of this.reached.get(host) ?? []) {
        const otherPlace = places.get(other);
        if (otherPlace !== undefined && this.reached.get(other)?.has(host)) setBit(row, otherPlace);
      }
      return row;
    });
    return { hosts, neighbours };
  }
}
