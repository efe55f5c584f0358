/**
 * A server behind a port (event store, read models, object store) does not answer, or refuses this process. Adapters
 * convert every such error of their client to this one, so that callers do not depend on the client.
 */
export class Unavailable extends Error {
  /** Whether a change may have been stored although no answer arrived. */
  readonly isOutcomeUnknown: boolean;
  /**
   * Whether the server answered and refuses this process: credentials, permissions, or certificate. A retry has the
   * same result.
   */
  readonly isRefused: boolean;

  constructor(
    /** The kind of server and its address, without credentials: `EventStoreDB at 10.0.0.5:2113`. */
    readonly server: string,
    readonly reason: string,
    options: ErrorOptions & { readonly isOutcomeUnknown?: boolean; readonly isRefused?: boolean } = {},
  ) {
    super(`${server} is not available: ${reason}`, options);
    this.name = 'Unavailable';
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
    this.isRefused = options.isRefused ?? false;
  }
}

/** Returns the Unavailable in the chain of causes of an error. Undefined when the error has another reason. */
export function unavailableIn(error: unknown): Unavailable | undefined {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof Unavailable) return current;
  return undefined;
}

/** Throws the error outside of any request: the process ends with it, so that a supervisor starts it again. */
export const throwOutside = (error: Error): void =>
  void setImmediate(() => {
    throw error;
  });

/** Returns the result of the promise. Rejects with the error of `late` when the promise is not settled in time. */
export async function settleWithin<Result>(
  timeoutMs: number,
  promise: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/**
 * Returns a signal that is aborted with `signal`, or after `ms` with a TimeoutError. Node 20 collects a signal of `AbortSignal.timeout` in
 * `AbortSignal.any` as garbage, unless it has a listener. Then the time limit never ends.
 */
export function abortAfter(ms: number, signal: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => undefined, { once: true });
  return AbortSignal.any([signal, limit]);
}
