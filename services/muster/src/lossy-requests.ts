import { type Requests, RequestTimedOut } from '@muster/ports';

/** A real loss is noticed when the time is up; waiting that long would only make demonstrations slow. */
const LOSS_NOTICED_MS = 300;

/** A bus that loses a share of all messages, repeatably by seed: for tests and demonstrations of what loss does (nothing). */
export function lossyRequests(requests: Requests, share: number, seed: number): Requests {
  let state = seed >>> 0 || 1;
  const chance = (): number => {
    // xorshift32: enough to scatter losses, and the same on every run.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return {
    request: async (subject, body, headers, timeoutMs) => {
      const fate = chance();
      if (fate >= share) return requests.request(subject, body, headers, timeoutMs);
      // Half of the losses hit the question, half the answer: then the work was done and nobody knows.
      if (fate < share / 2) await requests.request(subject, body, headers, timeoutMs).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, Math.min(timeoutMs, LOSS_NOTICED_MS)));
      throw new RequestTimedOut(subject, timeoutMs);
    },
    publish: (subject, body, headers) => {
      if (chance() >= share) requests.publish(subject, body, headers);
    },
    subscribe: (subject, onMessage, options) => requests.subscribe(subject, onMessage, options),
    close: () => requests.close(),
  };
}
