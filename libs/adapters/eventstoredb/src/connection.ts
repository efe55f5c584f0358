import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  EventStoreDBClient,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { settleWithin, Unavailable } from '@muster/ports';

/** An operation that takes longer has met a frozen node. With a new connection the node is found within 5 s. */
export const OPERATION_TIMEOUT_MS = 4_000;
/** How long the streams of a client that is given up may take to end. */
const DISPOSE_TIMEOUT_MS = 500;
const LEADER_ATTEMPTS_MAX = 4;
const LEADER_WAIT_MS = 50;

/** Status codes of gRPC, for errors that the client passes on as they are. */
const GRPC = { cancelled: 1, deadlineExceeded: 4, aborted: 10, internal: 13, unavailable: 14, unauthenticated: 16 };

interface Failure {
  readonly reason: string;
  readonly isOutcomeUnknown: boolean;
  readonly isRefused: boolean;
  /** The client keeps its connection after this error, although the connection is of no use any more. */
  readonly needsNewClient: boolean;
}

class OperationTimedOut extends Error {
  constructor() {
    super(`no answer within ${OPERATION_TIMEOUT_MS / 1_000} s`);
    this.name = 'OperationTimedOut';
  }
}

/** Errors of a request that never left this process: nothing can have been stored. */
const NOT_SENT =
  /No connection established|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|Name resolution failed|Failed to discover/i;
const CERTIFICATE = /certificate|self.signed|altnames|ERR_TLS|wrong version number/i;
const BROKEN_TRANSPORT =
  /RST_STREAM|Server Is Not Ready|ECONNRESET|EPIPE|socket hang up|write after end|Connection dropped|Failed to discover|Call cancelled|Cancelled on client/i;

/** What an error of the client says about the server; undefined when the error is about the request. */
export function explainFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const reason = error.message.split('\n', 1)[0] || error.name;
  const failure = (rest: Partial<Failure> = {}): Failure => ({
    reason,
    isOutcomeUnknown: !NOT_SENT.test(reason),
    isRefused: false,
    needsNewClient: true,
    ...rest,
  });
  const code = 'code' in error ? error.code : undefined;
  if (error instanceof AccessDeniedError || code === GRPC.unauthenticated)
    return failure({
      isOutcomeUnknown: false,
      isRefused: true,
      needsNewClient: false,
      reason: reason || 'access denied',
    });
  // The client connects to the named leader by itself. A node that is not the leader stores nothing.
  if (error instanceof NotLeaderError) return failure({ isOutcomeUnknown: false, needsNewClient: false });
  if (error instanceof UnavailableError || code === GRPC.unavailable) {
    return CERTIFICATE.test(reason)
      ? failure({ isOutcomeUnknown: false, isRefused: true, needsNewClient: false })
      : failure({ needsNewClient: !(error instanceof UnavailableError) });
  }
  if (error instanceof CancelledError) return failure({ needsNewClient: false });
  if (error instanceof DeadlineExceededError || error instanceof TimeoutError || error instanceof OperationTimedOut)
    return failure({ reason: error.message || 'the deadline of the request passed' });
  if (code === GRPC.cancelled || code === GRPC.deadlineExceeded || code === GRPC.aborted) return failure();
  // The server answers an append with an unknown error without a text when it does not know the outcome.
  if (error instanceof UnknownError && error.message === '') return failure();
  return BROKEN_TRANSPORT.test(reason) ? failure() : undefined;
}

/**
 * `host:port` of every node in the URL, without credentials.
 * @throws Error when the URL has a second `@`, because a part of the password would be taken for a host
 */
export function addressOf(url: string): string {
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(url)?.[1] ?? '';
  const parts = authority.split('@');
  if (parts.length > 2)
    throw new Error('The URL of EventStoreDB has more than one "@". Write an "@" in the user name or password as %40.');
  return parts.at(-1) ?? '';
}

/** The client of the store and the only place that replaces it. Every call to the server goes through `run`. */
export class Connection {
  readonly server: string;
  private current: EventStoreDBClient;
  private replacement: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly operationTimeoutMs = OPERATION_TIMEOUT_MS,
  ) {
    this.server = `EventStoreDB at ${addressOf(url)}`;
    this.current = EventStoreDBClient.connectionString(url);
  }

  get client(): EventStoreDBClient {
    return this.current;
  }

  /**
   * Runs one operation on the client, at another node when the first one is not the leader. A read calls `onData` for each
   * event, so that a long page of a busy server is not taken for silence.
   * @throws Unavailable when the server does not answer within the timeout or the connection breaks
   */
  async run<Result>(operation: (client: EventStoreDBClient, onData: () => void) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      await this.replacement;
      const client = this.current;
      try {
        return await this.whileAnswered(client, operation);
      } catch (error) {
        const failure = explainFailure(error);
        if (!failure) throw error;
        if (failure.needsNewClient) this.replace(client);
        if (!(error instanceof NotLeaderError) || attempt >= LEADER_ATTEMPTS_MAX)
          throw new Unavailable(this.server, failure.reason, { ...failure, cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, LEADER_WAIT_MS));
    }
  }

  private whileAnswered<Result>(
    client: EventStoreDBClient,
    operation: (client: EventStoreDBClient, onData: () => void) => Promise<Result>,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => reject(new OperationTimedOut()), this.operationTimeoutMs);
      operation(client, () => void timer.refresh())
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    });
  }

  /** Ends within DISPOSE_TIMEOUT_MS, whatever was called before. */
  async close(): Promise<void> {
    await this.replacement;
    await dispose(this.current);
  }

  /** The client shares its list of pending appends between all clients of a process, so the old one ends before the new one starts. */
  private replace(client: EventStoreDBClient): void {
    if (client !== this.current) return;
    this.current = EventStoreDBClient.connectionString(this.url);
    this.replacement = dispose(client);
  }
}

async function dispose(client: EventStoreDBClient): Promise<void> {
  const disposed = client.dispose().catch(() => undefined);
  await settleWithin(DISPOSE_TIMEOUT_MS, disposed, () => new OperationTimedOut()).catch(() => undefined);
}
