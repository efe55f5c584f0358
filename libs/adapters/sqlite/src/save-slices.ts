import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** Time in ms after which a save lets other work of the process run. A request takes many turns, and a save adds this time to each. */
const SLICE_MS = 1;
/**
 * After a long turn a slice is longer, so that a save has this share of the time of a busy process. With slices of fixed
 * length a save would need hundreds of long turns, and consumers with many unsaved changes wait for it.
 */
const SLICE_SHARE = 0.2;
const SLICE_MS_MAX = 25;

/** Divides a save into slices with other work in between. */
export class SaveSlices {
  private endsAtMs: number;

  constructor(
    private readonly nowMs: () => number = () => performance.now(),
    private readonly nextTurn: () => Promise<unknown> = turnOfEventLoop,
  ) {
    this.endsAtMs = nowMs() + SLICE_MS;
  }

  isOver(): boolean {
    return this.nowMs() >= this.endsAtMs;
  }

  /** Resolves at the beginning of the next slice. */
  async next(): Promise<void> {
    const endedMs = this.nowMs();
    await this.nextTurn();
    const begunMs = this.nowMs();
    const share = SLICE_SHARE * (begunMs - endedMs);
    this.endsAtMs = begunMs + Math.min(SLICE_MS_MAX, Math.max(SLICE_MS, share));
  }
}
