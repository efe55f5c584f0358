import { type TurnLimits, TurnQueue } from '@muster/ports';

/** Time in which texts are rendered in one turn of the event loop. */
export const RENDERING_TIME: TurnLimits = { minMs: 5, share: 0.25, maxMs: 20 };

/**
 * Divides the rendering of large responses among turns of the event loop, so that other requests are answered in between.
 * Texts of all requests share the time of a turn.
 */
export class RenderTurns extends TurnQueue {
  constructor(nowMs?: () => number) {
    super(RENDERING_TIME, nowMs);
  }
}
