/** Time for which texts are rendered in one turn of the event loop, in ms. */
export const RENDERING_MS = 20;
/**
 * After a long turn, rendering has this share of its length. Otherwise the responses of a busy process, whose turns take
 * hundreds of ms, would wait for minutes.
 */
const RENDERING_SHARE = 0.25;
export const RENDERING_MS_MAX = 80;

/**
 * Divides the rendering of large responses among turns of the event loop, so that other requests are answered in between.
 * Texts of all requests share the time of a turn.
 */
export class RenderTurns {
  /** End of the time for rendering in this turn; undefined before the first text of the turn. */
  private endsAtMs: number | undefined;
  private beganAtMs = 0;
  private timeMs = RENDERING_MS;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Returns the result of the work immediately while the turn has time left, otherwise in a later turn, in order. */
  run<Result>(work: () => Result): Result | Promise<Result> {
    if (this.waiting.length === 0 && this.hasTime()) return work();
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }

  private hasTime(): boolean {
    if (this.endsAtMs === undefined) {
      this.beganAtMs = this.nowMs();
      this.endsAtMs = this.beganAtMs + this.timeMs;
      setImmediate(() => this.beginTurn());
    }
    return this.nowMs() < this.endsAtMs;
  }

  /** A turn begins with all its time, so at least one waiting text is rendered in it. */
  private beginTurn(): void {
    this.endsAtMs = undefined;
    const share = RENDERING_SHARE * (this.nowMs() - this.beganAtMs);
    this.timeMs = Math.min(RENDERING_MS_MAX, Math.max(RENDERING_MS, share));
    while (this.waiting.length > 0 && this.hasTime()) this.waiting.shift()?.();
  }
}
