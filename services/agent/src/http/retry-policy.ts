import { HttpRefused, type ServiceUnreachable } from './http-failures';

/** How often a call is tried again after a failure; the wait is the same for all. */
export interface RetryPolicy {
  retriesMax(failure: HttpRefused | ServiceUnreachable): number;
}

export const NO_RETRIES: RetryPolicy = { retriesMax: () => 0 };

/** As today's agents: a service that is busy or restarting gets three more chances. */
export const AGENT_RETRIES: RetryPolicy = {
  retriesMax: (failure) => (!(failure instanceof HttpRefused) || [503, 504].includes(failure.status) ? 3 : 0),
};

/** As today's installers: an installation must outlive a service that is away for long. */
export const INSTALLER_RETRIES: RetryPolicy = patientRetries(360);
/** As today's in-cluster controllers, whose loops come round again anyway. */
export const CONTROLLER_RETRIES: RetryPolicy = patientRetries(15);

function patientRetries(whileAway: number): RetryPolicy {
  return {
    retriesMax: (failure) => {
      if (!(failure instanceof HttpRefused)) return whileAway;
      if ([404, 423, 425].includes(failure.status)) return Math.min(10, whileAway);
      return failure.status >= 500 || [408, 429].includes(failure.status) ? whileAway : 0;
    },
  };
}

const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 10_000;

/** Grows from 2 s to 10 s, spread at random so that machines that failed together do not come back together. */
export function retryDelayMs(attempt: number, random: () => number): number {
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** attempt, DELAY_MS_MAX);
  return FIRST_DELAY_MS + random() * (ceiling - FIRST_DELAY_MS);
}
