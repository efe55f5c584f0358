const LOOK_EVERY_MS = 20;

/** Runs `work` and returns the peak of additional memory of the process, in bytes. */
export async function withResidentPeak<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly bytes: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  try {
    const result = await work();
    look();
    return { result, bytes: peak - before };
  } finally {
    clearInterval(looking);
  }
}
