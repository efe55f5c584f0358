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
      this.known = isComplete ? [...this.degrees.keys()].sort() : this.search();
      this.isStale = false;
    }
    return this.known;
  }

  /**
   * A mesh found by leaving out the worst connected hosts one by one tells how large the answer is at least: who reaches fewer hosts than
   * that is not in it, who reaches all of the others is. What is left to be searched is nobody in a network with a few bad
   * hosts or edges, and everybody in a patchy one.
   */
  private search(): readonly string[] {
    const mesh = this.withoutWorst();
    const core = new Map(this.degrees);
    const tooFew = [...core].filter(([, degree]) => degree + 1 < mesh.length).map(([host]) => host);
    for (let host = tooFew.pop(); host !== undefined; host = tooFew.pop())
      for (const other of this.takeOut(core, host)) if ((core.get(other) ?? 0) + 2 === mesh.length) tooFew.push(other);
    const reachesAll = (host: string): boolean => core.get(host) === core.size - 1;
    const hosts = [...core.keys()];
    const found = [
      ...hosts.filter(reachesAll),
      ...largestFullMesh(this.toMesh(hosts.filter((host) => !reachesAll(host)).sort())),
    ];
    return (found.length < mesh.length ? mesh : found).sort();
  }

  private withoutWorst(): string[] {
    const left = new Map(this.degrees);
    let { edges } = this;
    while (edges < (left.size * (left.size - 1)) / 2) {
      let [worst, least] = ['', Infinity];
      for (const [host, degree] of left)
        if (degree < least || (degree === least && host > worst)) [worst, least] = [host, degree];
      edges -= least;
      this.takeOut(left, worst);
    }
    return [...left.keys()];
  }

  /** Answers the hosts that reach one less by that. */
  private takeOut(degrees: Map<string, number>, host: string): readonly string[] {
    if (!degrees.delete(host)) return [];
    const others = [...(this.reached.get(host) ?? [])].filter(
      (other) => degrees.has(other) && this.reached.get(other)?.has(host),
    );
    for (const other of others) degrees.set(other, (degrees.get(other) ?? 0) - 1);
    return others;
  }

  /** `hosts` sorted. */
  private toMesh(hosts: readonly string[]): Mesh {
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
