import fc from 'fast-check';
import { type Deadline, DeadlineHeap } from './deadline-heap';

const byTimeThenKey = (a: Deadline, b: Deadline): number =>
  a.atMs - b.atMs || a.key.localeCompare(b.key) || a.name.localeCompare(b.name);

/** The same promises, kept by sorting a list. */
class SortedList {
  private entries: Deadline[] = [];
  set(key: string, deadlines: readonly { readonly name: string; readonly atMs: number }[]): void {
    this.entries = [
      ...this.entries.filter((entry) => entry.key !== key),
      ...deadlines.map((deadline) => ({ key, ...deadline })),
    ].sort(byTimeThenKey);
  }
  takeDue(nowMs: number): Deadline[] {
    const due = this.entries.filter(({ atMs }) => atMs <= nowMs);
    this.entries = this.entries.filter(({ atMs }) => atMs > nowMs);
    return due;
  }
  get nextAtMs(): number | undefined {
    return this.entries[0]?.atMs;
  }
  get keys(): number {
    return new Set(this.entries.map(({ key }) => key)).size;
  }
}

const takeDue = (heap: DeadlineHeap, nowMs: number): Deadline[] => {
  const due: Deadline[] = [];
  for (let next = heap.popDue(nowMs); next; next = heap.popDue(nowMs)) due.push(next);
  return due;
};

const deadlines = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), atMs: fc.nat({ max: 1_000 }) }), {
  maxLength: 3,
});
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ set: fc.nat({ max: 12 }).map(String), deadlines }) },
  { weight: 1, arbitrary: fc.record({ takeDueAt: fc.nat({ max: 1_000 }) }) },
);

describe('the heap of deadlines', () => {
  it('hands out what a sorted list would, after any calls', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
        const heap = new DeadlineHeap();
        const list = new SortedList();
        for (const step of actions) {
          if ('set' in step) {
            heap.set(step.set, step.deadlines);
            list.set(step.set, step.deadlines);
          } else {
            const due = takeDue(heap, step.takeDueAt);
            expect(due.map(({ atMs }) => atMs)).toEqual(due.map(({ atMs }) => atMs).sort((a, b) => a - b));
            expect([...due].sort(byTimeThenKey)).toEqual(list.takeDue(step.takeDueAt));
          }
          expect(heap.nextAtMs()).toBe(list.nextAtMs);
          expect(heap.size).toBe(list.keys);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('hands out nothing before its time, and everything at it', () => {
    const heap = new DeadlineHeap();
    heap.set('host', [{ name: 'silent', atMs: 100 }]);
    expect(heap.popDue(99)).toBeUndefined();
    expect(heap.popDue(100)).toEqual({ key: 'host', name: 'silent', atMs: 100 });
    expect(heap.popDue(1_000)).toBeUndefined();
  });

  it('stays small when one key sets far deadlines again and again', () => {
    const heap = new DeadlineHeap();
    heap.set('other', [{ name: 'far', atMs: 5 }]);
    for (let n = 0; n < 100_000; n += 1) heap.set('host', [{ name: 'day', atMs: 86_400_000 + n }]);
    expect(heap.heldEntries).toBeLessThan(3_000);
    expect(takeDue(heap, 10 ** 9).map(({ key, atMs }) => [key, atMs])).toEqual([
      ['other', 5],
      ['host', 86_499_999],
    ]);
  });
});
