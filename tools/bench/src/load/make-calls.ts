import type { Caller } from './caller';
import type { Load, LoadResult } from './load';

/** Makes the calls of a load, either so many at a time or so many per second whatever the answers take. */
export async function makeCalls(load: Load, caller: Caller): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const failures: { [what: string]: number } = {};
  let answerBytes = 0;
  let started = 0;
  const startedMs = performance.now();
  const { stop, pace, calls } = load;
  const isOver = (): boolean => ('calls' in stop ? started >= stop.calls : performance.now() - startedMs >= stop.ms);

  const callOnce = async (): Promise<void> => {
    const call = calls[started % calls.length];
    started += 1;
    if (!call) return;
    const sentMs = performance.now();
    try {
      answerBytes = await caller.call(call);
      latenciesMs.push(performance.now() - sentMs);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      failures[what] = (failures[what] ?? 0) + 1;
    }
  };

  if ('inFlight' in pace) {
    const worker = async (): Promise<void> => {
      while (!isOver()) await callOnce();
    };
    await Promise.all(Array.from({ length: pace.inFlight }, worker));
  } else {
    const running: Promise<void>[] = [];
    while (!isOver()) {
      running.push(callOnce());
      const nextMs = startedMs + (started / pace.perSecond) * 1_000;
      await new Promise((resolve) => setTimeout(resolve, Math.max(nextMs - performance.now(), 0)));
    }
    await Promise.all(running);
  }
  return { calls: latenciesMs.length, ms: performance.now() - startedMs, latenciesMs, failures, answerBytes };
}
