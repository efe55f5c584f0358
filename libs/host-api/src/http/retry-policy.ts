import { HttpRefused, type ServiceUnreachable } from './http-failures';

/** How often a call is retried after a failure. The wait between tries is the same for all policies. */
export interface RetryPolicy {
  retriesMax(failure: HttpRefused | ServiceUnreachable): number;
}

export const NO_RETRIES: RetryPolicy = { retriesMax: () => 0 };

/** As the agent of assisted-installer-agent: three retries while the service is busy or restarting. */
export const AGENT_RETRIES: RetryPolicy = {
  retriesMax: (failure) => (!(failure instanceof HttpRefused) || [503, 504].includes(failure.status) ? 3 : 0),
};

/** As assisted-installer: an installation must survive a long outage of the service. */
export const INSTALLER_RETRIES: RetryPolicy = retriesWhileUnavailable(360);
/** As assisted-installer-controller, whose loops repeat their calls. */
export const CONTROLLER_RETRIES: RetryPolicy = retriesWhileUnavailable(15);

function retriesWhileUnavailable(retries: number): RetryPolicy {
  return {
    retriesMax: (failure) => {
      if (!(failure instanceof HttpRefused)) return retries;
      if ([404, 423, 425].includes(failure.status)) return Math.min(10, retries);
      return failure.status >= 500 || [408, 429].includes(failure.status) ? retries : 0;
    },
  };
}

const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 10_000;

/** Returns milliseconds: from 2 s up to 10 s, spread at random so that machines that failed together do not retry together. */
export function retryDelayMs(attempt: number, random: () => number): number {
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** attempt, DELAY_MS_MAX);
  return FIRST_DELAY_MS + random() * (ceiling - FIRST_DELAY_MS);
}
