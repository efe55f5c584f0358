import { type TurnLimits, TurnShare } from '@muster/ports';

/**
 * Maximum number of concurrent reactions. Each waits for the store or the bus for several turns of the event loop, so fewer reactions
 * could not use the time of a busy process.
 */
export const CONCURRENT_REACTIONS_MAX = 256;
/**
 * Maximum number of reactions of one queue that start in one turn of the event loop. Further reactions start in the next turn, after
 * requests that arrived meanwhile, and thus while the store writes the events of these requests. With eight per turn, the event loop
 * had nothing to do while the store wrote: 16 % of the time with 16 requests in flight.
 */
export const REACTIONS_PER_TURN_MAX = 1;
/** When a reaction has been due for longer, it starts in this turn while reactions have time left in it. */
export const REACTION_LATENESS_MS_MAX = 50;
/** Time in which reactions start in one turn, so that a turn ends before many hosts are evaluated. */
export const REACTION_TIME: TurnLimits = { minMs: 10, share: 0.3, maxMs: 20 };
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 30_000;

export interface ParkedKey {
  readonly reason: string;
  readonly failures: number;
}

/** A reaction that has to follow the reactions of other keys names them. It runs again when none of them is due or running. */
export interface RunAgain {
  readonly after: readonly string[];
}

/** Some of the keys of a queue. */
export interface Concern {
  /** The number of keys at most. When the queue has fewer keys, they are checked instead. */
  readonly size: number;
  keys(): Iterable<string>;
  has(key: string): boolean;
}

/** Resolves when no key is left. */
interface Waiter {
  left: number;
  readonly done: () => void;
}

/**
 * Keys that are due for a reaction. A key that becomes due several times before its turn is processed once. Requests have priority over
 * reactions, less so after `REACTION_LATENESS_MS_MAX`. A failing key is parked and retried while the others continue. A reason is
 * reported once while keys fail for it, because a full disk fails all keys, and each of them again and again.
 */
export class WorkQueue {
  /** Key → time at which it became due, in ms of a monotonic clock; oldest first. */
  private readonly due = new Map<string, number>();
  private startedInTurn = 0;
  private isNextTurnScheduled = false;
  private readonly time: TurnShare;
  private readonly running = new Set<string>();
  /** Key → the keys that it has to follow. */
  private readonly deferred = new Map<string, Set<string>>();
  private readonly failing = new Map<string, { reason: string; failures: number; timer: NodeJS.Timeout }>();
  /** Reason → the number of keys that fail for it. */
  private readonly reasons = new Map<string, number>();
  private idleWaiters: (() => void)[] = [];
  /** Key → the waiters that wait for it. */
  private readonly waiters = new Map<string, Waiter[]>();
  private closed = false;

  constructor(
    private readonly work: (key: string) => Promise<RunAgain | void>,
    private readonly onError: (error: Error, key: string) => void,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.time = new TurnShare(REACTION_TIME, nowMs);
  }

  add(key: string): void {
    if (this.closed) return;
    const parked = this.failing.get(key);
    if (parked) clearTimeout(parked.timer);
    this.makeDue(key);
    this.pump();
  }

  /** The keys that are due, running, or failing. */
  keys(): readonly string[] {
    return [...this.due.keys(), ...this.running, ...this.deferred.keys(), ...this.failing.keys()];
  }

  /** Returns true while the key is due or running. */
  isBusy(key: string): boolean {
    return this.due.has(key) || this.running.has(key);
  }

  /** Returns why the last reaction of the key failed; undefined when it did not. */
  parked(key: string): ParkedKey | undefined {
    return this.failing.get(key);
  }

  idle(): Promise<void> {
    if (this.due.size === 0 && this.running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  /**
   * Resolves when the keys that are due or running now were processed, or when the queue is closed before they start. @default all keys
   */
  worked(concern?: Concern): Promise<void> {
    const keys = [...new Set(this.pending(concern))];
    if (keys.length === 0) return Promise.resolve();
    return new Promise((done) => {
      const waiter = { left: keys.length, done };
      for (const key of keys) {
        const others = this.waiters.get(key);
        if (others) others.push(waiter);
        else this.waiters.set(key, [waiter]);
      }
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.due.clear();
    this.deferred.clear();
    for (const { timer } of this.failing.values()) clearTimeout(timer);
    for (const key of [...this.waiters.keys()]) if (!this.running.has(key)) this.resolveWaiters(key);
    await this.idle();
  }

  private pending(concern: Concern | undefined): readonly string[] {
    const { due, running, deferred } = this;
    if (concern && concern.size < due.size + running.size + deferred.size)
      return [...concern.keys()].filter((key) => due.has(key) || running.has(key) || deferred.has(key));
    const all = [...due.keys(), ...running, ...deferred.keys()];
    return concern ? all.filter((key) => concern.has(key)) : all;
  }

  private pump(): void {
    for (const [key, dueSinceMs] of this.due) {
      if (this.running.size >= CONCURRENT_REACTIONS_MAX) return;
      if (this.running.has(key)) continue;
      const mayStart = this.mayStart(dueSinceMs);
      // The next turn runs after waiting requests.
      this.continueInNextTurn();
      if (!mayStart) return;
      this.startedInTurn += 1;
      this.due.delete(key);
      this.running.add(key);
      void this.runOne(key);
    }
    if (this.due.size === 0 && this.running.size === 0) {
      this.idleWaiters.forEach((resolve) => resolve());
      this.idleWaiters = [];
    }
  }

  private mayStart(dueSinceMs: number): boolean {
    if (!this.time.hasTime()) return false;
    return this.startedInTurn < REACTIONS_PER_TURN_MAX || this.nowMs() - dueSinceMs > REACTION_LATENESS_MS_MAX;
  }

  private continueInNextTurn(): void {
    if (this.isNextTurnScheduled) return;
    this.isNextTurnScheduled = true;
    void this.time.nextTurn().then(() => {
      this.isNextTurnScheduled = false;
      this.startedInTurn = 0;
      this.pump();
    });
  }

  private async runOne(key: string): Promise<void> {
    let again: RunAgain | void = undefined;
    try {
      again = await this.work(key);
      this.unpark(key);
    } catch (error) {
      this.park(key, error instanceof Error ? error : new Error(String(error)));
    }
    this.running.delete(key);
    if (again && !this.closed && !this.due.has(key)) this.defer(key, again);
    else if (!this.due.has(key)) this.resolveWaiters(key);
    this.pump();
  }

  private defer(key: string, { after }: RunAgain): void {
    const awaited = new Set(after.filter((other) => other !== key && this.isBusy(other)));
    if (awaited.size > 0) this.deferred.set(key, awaited);
    else this.makeDue(key);
  }

  private makeDue(key: string): void {
    this.deferred.delete(key);
    if (!this.due.has(key)) this.due.set(key, this.nowMs());
  }

  private resolveWaiters(key: string): void {
    for (const [waiting, awaited] of this.deferred)
      if (awaited.delete(key) && awaited.size === 0) this.makeDue(waiting);
    const waiters = this.waiters.get(key) ?? [];
    this.waiters.delete(key);
    for (const waiter of waiters) {
      waiter.left -= 1;
      if (waiter.left === 0) waiter.done();
    }
  }

  private park(key: string, error: Error): void {
    const reason = error.message;
    const failures = (this.failing.get(key)?.failures ?? 0) + 1;
    const isReported = this.reasons.has(reason);
    this.unpark(key);
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
    const timer = setTimeout(() => this.add(key), wait);
    timer.unref();
    this.failing.set(key, { reason, failures, timer });
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    if (!isReported) this.onError(error, key);
  }

  private unpark(key: string): void {
    const parked = this.failing.get(key);
    if (!parked) return;
    this.failing.delete(key);
    const left = (this.reasons.get(parked.reason) ?? 0) - 1;
    if (left > 0) this.reasons.set(parked.reason, left);
    else this.reasons.delete(parked.reason);
  }
}
