/** Limits for the time that one kind of work has in a turn of the event loop, in ms. */
export interface TurnLimits {
  readonly minMs: number;
  /**
   * Share of the last turn in which the work ran. With the same time in every turn, long work would take minutes in a busy process,
   * whose turns take hundreds of ms.
   */
  readonly share: number;
  /** A turn of a saturated process is about as long as the sum of the maxima of all kinds of work, plus its requests. */
  readonly maxMs: number;
}

/** Divides one kind of work among turns of the event loop, so that other work of the process runs in between. */
export class TurnShare {
  private timeMs: number;
  private beganAtMs = 0;
  private endsAtMs = 0;
  private isTurnMeasured = false;
  /** Resolves at the end of the turn; undefined while nothing waits for it. */
  private turn: Promise<void> | undefined;
  private endTurn: () => void = () => undefined;

  constructor(
    private readonly limits: TurnLimits,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.timeMs = limits.minMs;
  }

  /** Returns whether the work has time left in this turn. The first call of a turn returns true. */
  hasTime(): boolean {
    if (this.isTurnMeasured) return this.nowMs() < this.endsAtMs;
    this.begin();
    return true;
  }

  /** Resolves at the beginning of the next turn. */
  nextTurn(): Promise<void> {
    if (!this.isTurnMeasured) this.begin();
    this.turn ??= new Promise((resolve) => (this.endTurn = resolve));
    return this.turn;
  }

  private begin(): void {
    this.isTurnMeasured = true;
    this.beganAtMs = this.nowMs();
    this.endsAtMs = this.beganAtMs + this.timeMs;
    setImmediate(() => this.end());
  }

  private end(): void {
    const { minMs, share, maxMs } = this.limits;
    this.timeMs = Math.min(maxMs, Math.max(minMs, share * (this.nowMs() - this.beganAtMs)));
    this.isTurnMeasured = false;
    this.turn = undefined;
    this.endTurn();
    this.endTurn = () => undefined;
  }
}

/** Runs work in the order of its arrival, as much in each turn of the event loop as its share allows. */
export class TurnQueue {
  private readonly time: TurnShare;
  private readonly waiting: (() => void)[] = [];

  constructor(limits: TurnLimits, nowMs?: () => number) {
    this.time = new TurnShare(limits, nowMs);
  }

  /** Returns the result of the work immediately while the turn has time left, otherwise in a later turn, in order. */
  run<Result>(work: () => Result): Result | Promise<Result> {
    if (this.waiting.length === 0 && this.time.hasTime()) return work();
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (this.waiting.length === 1) void this.runWaiting();
    });
  }

  /** Every turn begins with time, so at least one waiting piece of work runs in it. */
  private async runWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.time.nextTurn();
      while (this.waiting.length > 0 && this.time.hasTime()) this.waiting.shift()?.();
    }
  }
}
