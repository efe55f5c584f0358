import { AsyncLocalStorage } from 'node:async_hooks';

/** Values of the current request that code can read without passing them as arguments. */
export interface RequestScope {
  readonly requestId: string;
  /** The correlation id of the commands of the request. Empty before the first command. */
  correlationId: string;
  /** The response no longer waits for the effects of the request. */
  isEndedEarly: boolean;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work`, and everything that it starts, in the scope of a request. */
export const inRequestScope = <Result>(
  ids: Pick<RequestScope, 'requestId' | 'correlationId'>,
  work: () => Result,
): Result => scopes.run({ ...ids, isEndedEarly: false }, work);

/** Returns the scope of the current request. Undefined outside of requests. */
export const currentRequest = (): RequestScope | undefined => scopes.getStore();

/** Returns the ids of the current request for a log entry: ` request=… correlation=…`. Empty outside of requests. */
export function requestIdsForLog(): string {
  const scope = scopes.getStore();
  if (!scope) return '';
  const { requestId, correlationId } = scope;
  return (requestId && ` request=${requestId}`) + (correlationId && ` correlation=${correlationId}`);
}
