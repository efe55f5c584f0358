import fc from 'fast-check';
import {
  emptyBits,
  forEachBit,
  insertNumber,
  isSame,
  largestFullMesh,
  removeNumber,
  setBit,
} from './largest-full-mesh';
import { ReachGraph } from './reach-graph';

/** More than two integers of 32 bits. */
const HOSTS = 70;
const idOf = (number: number): string => `host-${String(number).padStart(2, '0')}`;
const anyNumber = fc.integer({ min: 0, max: HOSTS - 1 });
const anyPair = fc.tuple(anyNumber, anyNumber);

function bitsOf(numbers: Iterable<number>, size = HOSTS + 1) {
  const row = emptyBits(size);
  for (const number of numbers) setBit(row, number);
  return row;
}

function numbersIn(row: ReturnType<typeof emptyBits>): readonly number[] {
  const numbers: number[] = [];
  forEachBit(row, (number) => numbers.push(number));
  return numbers;
}

describe('set of numbers', () => {
  it('makes room for a number, and closes the gap of a removed one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyNumber), anyNumber, (members, number) => {
        const sorted = members.toSorted((a, b) => a - b);
        const row = bitsOf(members);
        insertNumber(row, number);
        expect(numbersIn(row)).toEqual(sorted.map((one) => (one >= number ? one + 1 : one)));
        setBit(row, number);
        removeNumber(row, number);
        expect(numbersIn(row)).toEqual(sorted);
      }),
    );
  });

  it('is the same as another set with the same numbers only', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyNumber), fc.uniqueArray(anyNumber), (a, b) => {
        expect(isSame(bitsOf(a), bitsOf(a.toReversed()))).toBe(true);
        expect(isSame(bitsOf(a), bitsOf(b))).toBe(a.length === b.length && a.every((one) => b.includes(one)));
      }),
    );
    expect(isSame(bitsOf([1]), bitsOf([1], 2 * HOSTS))).toBe(false);
  });
});

describe('largest full mesh of some hosts', () => {
  it('equals the one of a mesh without the other hosts', () => {
    const meshOf = (numbers: readonly number[], pairs: readonly (readonly [number, number])[]) => {
      const places = new Map(numbers.map((number, place) => [number, place]));
      const rows = numbers.map((_, place) => bitsOf([place], numbers.length));
      for (const [a, b] of pairs) {
        const [from, to] = [places.get(a), places.get(b)];
        if (from === undefined || to === undefined) continue;
        setBit(rows[from] ?? emptyBits(0), to);
        setBit(rows[to] ?? emptyBits(0), from);
      }
      return { hosts: numbers.map(idOf), neighbours: rows };
    };
    const all = Array.from({ length: HOSTS }, (_, number) => number);
    fc.assert(
      fc.property(fc.array(anyPair, { maxLength: 2_000 }), fc.uniqueArray(anyNumber), (pairs, some) => {
        const searched = some.toSorted((a, b) => a - b);
        expect(largestFullMesh({ ...meshOf(all, pairs), searched })).toEqual(
          largestFullMesh({ ...meshOf(searched, pairs), searched: [...searched.keys()] }),
        );
      }),
    );
  });
});

describe('graph of several parts without an edge between them', () => {
  const graphOf = (hosts: readonly number[], pairs: readonly (readonly [number, number])[]): ReachGraph => {
    const graph = new ReachGraph();
    for (const host of hosts) graph.addHost(idOf(host));
    for (const [a, b] of pairs) {
      graph.setReached(idOf(a), idOf(b), true);
      graph.setReached(idOf(b), idOf(a), true);
    }
    return graph;
  };

  it('has the largest group of all parts, and of equal ones the one with the smallest ids', () => {
    fc.assert(
      fc.property(fc.array(anyPair, { maxLength: 300 }), (pairs) => {
        const all = Array.from({ length: HOSTS }, (_, number) => number);
        const [whole, ...parts] = [
          pairs.filter(([a, b]) => a % 3 === b % 3),
          ...[0, 1, 2].map((part) => pairs.filter(([a, b]) => a % 3 === part && b % 3 === part)),
        ];
        const groups = parts.map((part) => graphOf(all, part).group());
        const largest = Math.max(...groups.map(({ length }) => length));
        const [expected] = groups
          .filter(({ length }) => length === largest)
          .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
        expect(graphOf(all, whole ?? []).group()).toEqual(expected);
      }),
    );
  });
});

describe('graph whose hosts join and leave', () => {
  const anyStep = fc.oneof(
    fc.record({ kind: fc.constant('join' as const), host: anyNumber }),
    fc.record({ kind: fc.constant('leave' as const), host: anyNumber }),
    fc.record({ kind: fc.constant('lose' as const), pairs: fc.array(anyPair, { maxLength: 20 }) }),
  );
  const edgeOf = (a: number, b: number): string => `${Math.min(a, b)}-${Math.max(a, b)}`;

  function graphOf(hosts: readonly number[], edges: ReadonlySet<string>): ReachGraph {
    const graph = new ReachGraph();
    for (const host of hosts) graph.addHost(idOf(host));
    for (const a of hosts) for (const b of hosts) if (edges.has(edgeOf(a, b))) graph.setReached(idOf(a), idOf(b), true);
    return graph;
  }

  it('has and shares the group of a graph with the same hosts and edges, in any order of hosts', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyNumber, { minLength: 30 }), fc.array(anyStep), (first, steps) => {
        const graph = new ReachGraph();
        const edges = new Set<string>();
        const present = new Set<number>();
        const join = (host: number): void => {
          graph.addHost(idOf(host));
          if (present.has(host)) return;
          // Some hosts do not reach each other.
          for (const other of [...present].filter((one) => (host + one) % 7 !== 0)) {
            edges.add(edgeOf(host, other));
            graph.setReached(idOf(host), idOf(other), true);
            graph.setReached(idOf(other), idOf(host), true);
          }
          present.add(host);
        };
        const lose = (a: number, b: number): void => {
          graph.setReached(idOf(a), idOf(b), false);
          edges.delete(edgeOf(a, b));
        };
        first.forEach(join);
        for (const step of steps) {
          if (step.kind === 'join') join(step.host);
          else if (step.kind === 'lose') for (const [a, b] of step.pairs) lose(a, b);
          else {
            graph.removeHost(idOf(step.host));
            present.delete(step.host);
            for (const other of present) edges.delete(edgeOf(step.host, other));
          }
          graph.group();
        }
        const group = graph.group();
        const same = graphOf([...present], edges);
        expect(same.group()).toEqual(group);
        const backwards = graphOf([...present].reverse(), edges);
        expect(backwards.group([same])).toEqual(group);
        // A complete graph is not searched, so it does not need the group of another one.
        const isComplete = group.length * (group.length - 1) === 2 * edges.size;
        expect(backwards.group() === same.group()).toBe(!isComplete);
      }),
    );
  });

  it('has the group of a graph without its absent hosts', () => {
    const hosts = Array.from({ length: HOSTS }, (_, number) => number);
    const anyChange = fc.record({
      host: anyNumber,
      isPresent: fc.boolean(),
      pairs: fc.array(anyPair, { maxLength: 60 }),
      isReached: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 20 }), (changes) => {
        const graph = new ReachGraph();
        for (const host of hosts) graph.addHost(idOf(host));
        const present = new Set(hosts);
        const reached = new Map<string, readonly [number, number]>();
        for (const { host, isPresent, pairs, isReached } of changes) {
          graph.setPresent(idOf(host), isPresent);
          if (isPresent) present.add(host);
          else present.delete(host);
          for (const [a, b] of pairs) {
            graph.setReached(idOf(a), idOf(b), isReached);
            if (isReached) reached.set(`${a} ${b}`, [a, b]);
            else reached.delete(`${a} ${b}`);
          }
          const other = new ReachGraph();
          for (const one of present) other.addHost(idOf(one));
          for (const [a, b] of reached.values()) other.setReached(idOf(a), idOf(b), true);
          expect(graph.group()).toEqual(other.group());
        }
      }),
    );
  });
});
