import { AsyncLocalStorage } from 'node:async_hooks';

/** What the code that works on a request knows of it, without passing it on. */
export interface RequestScope {
  readonly requestId: string;
  /** The correlation id of the commands that the request leads to. Empty until the first command. */
  correlationId: string;
  /** The answer does not wait any longer for what follows from the request. */
  isCutShort: boolean;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work`, and what it starts, in the scope of a request. */
export const inRequestScope = <Result>(
  ids: Pick<RequestScope, 'requestId' | 'correlationId'>,
  work: () => Result,
): Result => scopes.run({ ...ids, isCutShort: false }, work);

/** The scope of the request that the caller works on; undefined outside of requests. */
export const currentRequest = (): RequestScope | undefined => scopes.getStore();

/** The ids of the current request as a log entry shows them: ` request=… correlation=…`; empty outside of requests. */
export function requestIdsForLog(): string {
  const scope = scopes.getStore();
  if (!scope) return '';
  const { requestId, correlationId } = scope;
  return (requestId && ` request=${requestId}`) + (correlationId && ` correlation=${correlationId}`);
}
