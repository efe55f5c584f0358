import { type Requests, RequestTimedOut } from '@muster/ports';

/** A caller notices a real loss at its timeout; a shorter wait keeps demonstrations fast. */
const LOSS_NOTICED_MS = 300;

/** A bus that drops a share of all messages, the same ones for the same seed. Tests and demonstrations use it to show that no event is lost. */
export function lossyRequests(requests: Requests, share: number, seed: number): Requests {
  let state = seed >>> 0 || 1;
  const chance = (): number => {
    // xorshift32: repeatable and sufficiently random.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return {
    request: async (subject, body, headers, timeoutMs) => {
      const fate = chance();
      if (fate >= share) return requests.request(subject, body, headers, timeoutMs);
      // Half of the losses drop the request and half the answer: then the command was executed and the caller does not know.
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
