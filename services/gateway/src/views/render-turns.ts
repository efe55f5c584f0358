import { type TurnLimits, TurnShare } from '@muster/ports';

/** Time in which texts are rendered in one turn of the event loop. */
export const RENDERING_TIME: TurnLimits = { minMs: 5, share: 0.25, maxMs: 40 };

/**
 * Divides the rendering of large responses among turns of the event loop, so that other requests are answered in between.
 * Texts of all requests share the time of a turn.
 */
export class RenderTurns {
  private readonly time: TurnShare;
  private readonly waiting: (() => void)[] = [];

  constructor(nowMs?: () => number) {
    this.time = new TurnShare(RENDERING_TIME, nowMs);
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
      if (this.waiting.length === 1) void this.renderWaiting();
    });
  }

  /** Every turn begins with time, so at least one waiting text is rendered in it. */
  private async renderWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.time.nextTurn();
      while (this.waiting.length > 0 && this.time.hasTime()) this.waiting.shift()?.();
    }
  }
}
