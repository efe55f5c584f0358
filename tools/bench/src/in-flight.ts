/** Keeps `inFlight` calls running until `until` says stop; how many ended, and how long all of it took. */
export async function keepInFlight(
  inFlight: number,
  until: (started: number) => boolean,
  call: (n: number) => Promise<void>,
): Promise<{ readonly calls: number; readonly ms: number }> {
  let started = 0;
  const startedMs = performance.now();
  const worker = async (): Promise<void> => {
    while (!until(started)) await call(started++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { calls: started, ms: performance.now() - startedMs };
}

/** Stops after a time. */
export const forMs = (ms: number): (() => boolean) => {
  const endMs = performance.now() + ms;
  return () => performance.now() >= endMs;
};

/** Stops after a number of calls. */
export const forCalls =
  (calls: number): ((started: number) => boolean) =>
  (started) =>
    started >= calls;
