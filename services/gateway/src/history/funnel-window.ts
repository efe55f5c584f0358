import { RefusalError } from '@muster/problems';

const DAY_MS = 86_400_000;
/** Default length of the window. */
export const FUNNEL_DEFAULT_DAYS = 90;
export const FUNNEL_MAX_DAYS = 366;

export interface FunnelWindow {
  /** ISO 8601 UTC; the first moment that counts, and the first that no longer does. */
  readonly from: string;
  readonly to: string;
  /** Every date in it, `YYYY-MM-DD`. */
  readonly days: readonly string[];
}

/** @throws RefusalError `invalid-input` when `to` is not after `from` or the window exceeds FUNNEL_MAX_DAYS. */
export function funnelWindow(given: { readonly from?: string; readonly to?: string }, nowMs: number): FunnelWindow {
  const toMs = given.to ? Date.parse(given.to) : nowMs;
  const fromMs = given.from ? Date.parse(given.from) : toMs - FUNNEL_DEFAULT_DAYS * DAY_MS;
  if (fromMs >= toMs) throw new RefusalError(refusal('`from` must be before `to`.'));
  if (toMs - fromMs > FUNNEL_MAX_DAYS * DAY_MS)
    throw new RefusalError(refusal(`The window must not exceed ${FUNNEL_MAX_DAYS} days; request it in parts.`));
  const first = Math.floor(fromMs / DAY_MS);
  const last = Math.floor((toMs - 1) / DAY_MS);
  const days = Array.from({ length: last - first + 1 }, (_, index) => isoOf((first + index) * DAY_MS).slice(0, 10));
  return { from: isoOf(fromMs), to: isoOf(toMs), days };
}

const refusal = (reason: string) => ({ code: 'invalid-input', reason, subject: 'from' }) as const;
const isoOf = (ms: number): string => new Date(ms).toISOString();
