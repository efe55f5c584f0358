import type { Caller } from './caller';
import type { Load, LoadResult } from './load';

const TICK_MS = 5;

/** Makes the calls of a load, either so many at a time or so many per second whatever the answers take. */
export async function makeCalls(load: Load, caller: Caller): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const failures: { [what: string]: number } = {};
  let answerBytes = 0;
  let started = 0;
  const startedMs = performance.now();
  const { stop, pace, calls } = load;
  const isOver = (): boolean => ('calls' in stop ? started >= stop.calls : performance.now() - startedMs >= stop.ms);

  const callOnce = async (dueMs: number): Promise<void> => {
    const call = calls[started % calls.length];
    started += 1;
    if (!call) return;
    try {
      answerBytes = await caller.call(call);
      latenciesMs.push(performance.now() - dueMs);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      failures[what] = (failures[what] ?? 0) + 1;
    }
  };

  if ('inFlight' in pace) {
    const worker = async (): Promise<void> => {
      while (!isOver()) await callOnce(performance.now());
    };
    await Promise.all(Array.from({ length: pace.inFlight }, worker));
  } else {
    const running: Promise<void>[] = [];
    while (!isOver()) {
      const due = Math.floor(((performance.now() - startedMs) / 1_000) * pace.perSecond);
      while (started < due && !isOver()) running.push(callOnce(startedMs + (started / pace.perSecond) * 1_000));
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    await Promise.all(running);
  }
  return { calls: latenciesMs.length, ms: performance.now() - startedMs, latenciesMs, failures, answerBytes };
}
