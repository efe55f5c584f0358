import { manualClock, type ManualClock } from '@muster/testing';
import fc from 'fast-check';
import { type Deadline, DEADLINES_PER_TURN_MAX, DeadlineHeap, DeadlineScheduler } from './deadlines';

const byTimeThenKey = (a: Deadline, b: Deadline): number =>
  a.atMs - b.atMs || a.key.localeCompare(b.key) || a.name.localeCompare(b.name);

/** The same contract, implemented with a sorted list. */
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

describe('DeadlineHeap', () => {
  it('returns the same deadlines as a sorted list after any calls', () => {
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

  it('returns no deadline before its time, and all deadlines at their time', () => {
    const heap = new DeadlineHeap();
    heap.set('host', [{ name: 'silent', atMs: 100 }]);
    expect(heap.popDue(99)).toBeUndefined();
    expect(heap.popDue(100)).toEqual({ key: 'host', name: 'silent', atMs: 100 });
    expect(heap.popDue(1_000)).toBeUndefined();
  });

  it('is bounded when one key sets distant deadlines repeatedly', () => {
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

const START_MS = 1_000_000;
const DAY_MS = 86_400_000;

describe('DeadlineScheduler', () => {
  let clock: ManualClock;
  let due: Deadline[];
  let scheduler: DeadlineScheduler;

  beforeEach(() => {
    jest.useFakeTimers();
    clock = manualClock(START_MS);
    due = [];
    scheduler = new DeadlineScheduler(clock, (deadline) => due.push(deadline));
  });
  afterEach(() => {
    scheduler.close();
    jest.useRealTimers();
  });

  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await jest.advanceTimersByTimeAsync(ms);
  };
  const names = (): string[] => due.map(({ name }) => name);

  it('processes each deadline at its time, in order', async () => {
    scheduler.start();
    scheduler.set('b', [{ name: 'second', atMs: START_MS + 200 }]);
    scheduler.set('a', [
      { name: 'first', atMs: START_MS + 100 },
      { name: 'third', atMs: START_MS + 300 },
    ]);
    await pass(99);
    expect(names()).toEqual([]);
    await pass(1);
    expect(due).toEqual([{ key: 'a', name: 'first', atMs: START_MS + 100 }]);
    await pass(200);
    expect(names()).toEqual(['first', 'second', 'third']);
    expect(scheduler.size).toBe(0);
  });

  it('waits until it is started and then processes overdue deadlines immediately', async () => {
    scheduler.set('a', [{ name: 'overdue', atMs: START_MS - DAY_MS }]);
    await pass(DAY_MS);
    expect(names()).toEqual([]);
    scheduler.start();
    await pass(0);
    expect(names()).toEqual(['overdue']);
  });

  it('uses the last deadlines of a key', async () => {
    scheduler.start();
    scheduler.set('a', [{ name: 'early', atMs: START_MS + 10 }]);
    scheduler.set('a', [{ name: 'late', atMs: START_MS + 50 }]);
    scheduler.set('b', [{ name: 'cleared', atMs: START_MS + 20 }]);
    scheduler.set('b', []);
    await pass(100);
    expect(names()).toEqual(['late']);
  });

  it('restarts its timer for a deadline before the others', async () => {
    scheduler.start();
    scheduler.set('a', [{ name: 'far', atMs: START_MS + DAY_MS }]);
    scheduler.set('b', [{ name: 'near', atMs: START_MS + 5 }]);
    await pass(5);
    expect(names()).toEqual(['near']);
  });

  it('waits for a deadline beyond the maximum delay of a timer', async () => {
    const months = 60 * DAY_MS;
    scheduler.start();
    scheduler.set('a', [{ name: 'far', atMs: START_MS + months }]);
    await pass(2 ** 31 - 1);
    expect(names()).toEqual([]);
    await pass(months - (2 ** 31 - 1));
    expect(names()).toEqual(['far']);
  });

  it('processes a deadline soon after the clock was set forward to its time', async () => {
    scheduler.start();
    scheduler.set('a', [{ name: 'due', atMs: START_MS + DAY_MS }]);
    clock.advance(DAY_MS);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(names()).toEqual(['due']);
  });

  it('waits again when its timer fired before the time of the clock', async () => {
    scheduler.start();
    scheduler.set('a', [{ name: 'on time', atMs: START_MS + 100 }]);
    await jest.advanceTimersByTimeAsync(100);
    expect(names()).toEqual([]);
    await pass(100);
    expect(names()).toEqual(['on time']);
  });

  it('processes a deadline that is set while another is being processed', async () => {
    const chained = new DeadlineScheduler(clock, (deadline) => {
      due.push(deadline);
      if (due.length < 3) chained.set('a', [{ name: `next ${due.length}`, atMs: deadline.atMs + 10 }]);
    });
    chained.start();
    chained.set('a', [{ name: 'first', atMs: START_MS + 10 }]);
    await pass(10);
    expect(names()).toEqual(['first']);
    await pass(20);
    expect(names()).toEqual(['first', 'next 1', 'next 2']);
    chained.close();
  });

  it('processes nothing after it was closed', async () => {
    scheduler.start();
    scheduler.set('a', [{ name: 'too late', atMs: START_MS + 10 }]);
    scheduler.close();
    scheduler.set('b', [{ name: 'too late', atMs: START_MS + 10 }]);
    await pass(DAY_MS);
    expect(names()).toEqual([]);
  });

  it('processes many deadlines of the same time in several turns of the event loop', () => {
    scheduler.start();
    const count = 2 * DEADLINES_PER_TURN_MAX + 1;
    for (let n = 0; n < count; n += 1) scheduler.set(`host-${n}`, [{ name: 'silent', atMs: START_MS + 10 }]);
    clock.advance(10);
    const processed: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const before = due.length;
      jest.advanceTimersToNextTimer();
      processed.push(due.length - before);
      // Another key does not start a second timer for the rest.
      scheduler.set('later', [{ name: 'later', atMs: START_MS + DAY_MS }]);
    }
    expect(processed).toEqual([DEADLINES_PER_TURN_MAX, DEADLINES_PER_TURN_MAX, 1, 0]);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('processes nothing more when it is closed between the turns of many deadlines', () => {
    scheduler.start();
    const count = 2 * DEADLINES_PER_TURN_MAX;
    for (let n = 0; n < count; n += 1) scheduler.set(`host-${n}`, [{ name: 'silent', atMs: START_MS }]);
    jest.advanceTimersToNextTimer();
    scheduler.close();
    jest.runAllTimers();
    expect(due).toHaveLength(DEADLINES_PER_TURN_MAX);
  });

  it('has one timer regardless of the number of deadlines', () => {
    scheduler.start();
    for (let n = 0; n < 1_000; n += 1) scheduler.set(`host-${n}`, [{ name: 'silent', atMs: START_MS + 1_000 + n }]);
    expect(jest.getTimerCount()).toBe(1);
  });
});
