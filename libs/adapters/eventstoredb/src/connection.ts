import { Duplex, finished } from 'node:stream';
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

/** A longer operation indicates a frozen node. A new connection reaches another node within 5 s. */
export const OPERATION_TIMEOUT_MS = 4_000;
/** Timeout for ending the streams of a client that is replaced. */
const DISPOSE_TIMEOUT_MS = 500;
const LEADER_ATTEMPTS_MAX = 4;
const LEADER_WAIT_MS = 50;
/**
 * Limit for the appends that were sent and not answered. A stream buffers 1 MiB that the server does not read. The client keeps further
 * appends itself, and when the stream ends, each of them rejects a promise that has no handler.
 */
const APPENDING_BYTES_MAX = 512 * 1024;

/** gRPC status codes of errors that the client does not convert. */
const GRPC = { cancelled: 1, deadlineExceeded: 4, aborted: 10, internal: 13, unavailable: 14, unauthenticated: 16 };

interface Failure {
  readonly reason: string;
  readonly isOutcomeUnknown: boolean;
  readonly isRefused: boolean;
  /** The client keeps its connection after this error, although the connection can no longer be used. */
  readonly needsNewClient: boolean;
}

class OperationTimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1_000} s`);
    this.name = 'OperationTimedOut';
  }
}

/** Errors of a request that was not sent, so that nothing was stored. */
const NOT_SENT =
  /No connection established|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|Name resolution failed|Failed to discover|Channel has been shut down|Channel closed before call started/i;
/** The client ends the text of each error of a connection with a note, which is empty for an address without a name. */
const EMPTY_NOTE = /\. Resolution note: *$/;
const CERTIFICATE = /certificate|self.signed|altnames|ERR_TLS|wrong version number/i;
const BROKEN_TRANSPORT =
  /RST_STREAM|Server Is Not Ready|ECONNRESET|EPIPE|socket hang up|write after end|Connection dropped|Failed to discover|Channel has been shut down|Call cancelled|Cancelled on client/i;

/** Fails reads, and appends that were not sent. */
class ClientReplaced extends Error {
  constructor() {
    super('the connection was replaced');
    this.name = 'ClientReplaced';
  }
}

/**
 * Returns the error of the port for an error about the server. Returns undefined when the error is about the request.
 */
export function explainFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const [line = ''] = error.message.split('\n', 1);
  const reason = line.replace(EMPTY_NOTE, '') || error.name;
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
  // The client connects to the named leader. A node that is not the leader stores nothing.
  if (error instanceof NotLeaderError) return failure({ isOutcomeUnknown: false, needsNewClient: false });
  if (error instanceof UnavailableError || code === GRPC.unavailable) {
    return CERTIFICATE.test(reason)
      ? failure({ isOutcomeUnknown: false, isRefused: true, needsNewClient: false })
      : failure({ needsNewClient: !(error instanceof UnavailableError) });
  }
  if (error instanceof CancelledError) return failure({ needsNewClient: false });
  if (error instanceof ClientReplaced) return failure({ isOutcomeUnknown: false, needsNewClient: false });
  if (error instanceof DeadlineExceededError || error instanceof TimeoutError || error instanceof OperationTimedOut)
    return failure({ reason: error.message || 'the deadline of the request passed' });
  if (code === GRPC.cancelled || code === GRPC.deadlineExceeded || code === GRPC.aborted) return failure();
  // When the server does not know the outcome of an append, it answers with an unknown error without a text.
  if (error instanceof UnknownError && error.message === '') return failure();
  return BROKEN_TRANSPORT.test(reason) ? failure() : undefined;
}

/** As the client finds them: a password may contain "/" and "?". */
const CREDENTIALS = /^[^:]+:[^@]+@/;
const OPTION_VALUES = /([?&]\w+=)[^?&]*/g;

/**
 * Returns `host:port` of every node in the URL, without credentials.
 * @throws Error when the URL has a second `@`, because a part of the password would be read as a host
 */
export function addressOf(url: string): string {
  const afterProtocol = url.trim().replace(/^[^:]+:\/\//, '');
  const nodes = afterProtocol.replace(CREDENTIALS, '');
  if (nodes.replace(OPTION_VALUES, '$1').split('@').length > (nodes === afterProtocol ? 2 : 1))
    throw new Error('The URL of EventStoreDB has more than one "@". Write an "@" in the user name or password as %40.');
  return /^[^/?]*/.exec(nodes)?.[0].replace(/^.*@/, '') ?? '';
}

/** Creates a client. Its warnings and its error about a URL contain parts of it, and so of the password. These are left out. */
function openClient(url: string, warn: (text: string) => void): EventStoreDBClient {
  const { warn: print } = console;
  console.warn = (text: string) => warn(text.split(`\n${url.trim().replace(/\/+$/, '')}\n`, 1)[0] ?? '');
  try {
    return EventStoreDBClient.connectionString(url);
  } catch (error) {
    if (!(error instanceof Error && 'connectionString' in error)) throw error;
    // Not with its cause, which has the URL.
    throw new Error(error.message.replace(/^Unexpected "[^]*" at/, 'Unexpected text at'));
  } finally {
    console.warn = print;
  }
}

/** The order and the bytes of the appends of one client that were sent and not answered. */
class AppendsInFlight {
  private bytes = 0;
  private readonly waiting: { readonly bytes: number; start(): void; fail(): void }[] = [];

  /**
   * Runs an append when there is room for its bytes. An append that is larger than the limit runs alone.
   * @throws ClientReplaced when the client ended before the append was sent
   */
  async run<Result>(bytes: number, append: () => Promise<Result>): Promise<Result> {
    if (this.waiting.length > 0 || !this.hasRoom(bytes))
      await new Promise<void>((start, reject) =>
        this.waiting.push({ bytes, start, fail: () => reject(new ClientReplaced()) }),
      );
    else this.bytes += bytes;
    try {
      return await append();
    } finally {
      this.bytes -= bytes;
      this.startWaiting();
    }
  }

  failWaiting(): void {
    for (const { fail } of this.waiting.splice(0)) fail();
  }

  private hasRoom(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= APPENDING_BYTES_MAX;
  }

  private startWaiting(): void {
    for (let [next] = this.waiting; next && this.hasRoom(next.bytes); [next] = this.waiting) {
      this.waiting.shift();
      this.bytes += next.bytes;
      next.start();
    }
  }
}

/** Holds the client of the store and replaces it. Every call to the server goes through `read` or `append`. */
export class Connection {
  readonly server: string;
  private current: EventStoreDBClient;
  /** The channel of the last operation of the client. After errors of a node, the client opens another one itself. */
  private channel: { close(): void } | undefined;
  private appends = new AppendsInFlight();
  private replacement: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly operationTimeoutMs = OPERATION_TIMEOUT_MS,
  ) {
    this.server = `EventStoreDB at ${addressOf(url)}`;
    this.current = openClient(url, console.warn);
  }

  get client(): EventStoreDBClient {
    return this.current;
  }

  /**
   * Runs a read. It calls `onData` for each event, so that a long page does not exceed the timeout.
   * @throws Unavailable when the server does not answer within the timeout or the connection breaks
   */
  async read<Result>(operation: (client: EventStoreDBClient, onData: () => void) => Promise<Result>): Promise<Result> {
    return this.run(async (onData) => {
      const client = await this.readyClient();
      const result = await operation(client, onData);
      // The end of a client ends its reads without an error, as if there were no more events.
      if (client !== this.current) throw new ClientReplaced();
      return result;
    });
  }

  /**
   * Runs an append of about this number of bytes.
   * @throws Unavailable as a read. The time until the append is sent counts
   */
  async append<Result>(bytes: number, operation: (client: EventStoreDBClient) => Promise<Result>): Promise<Result> {
    return this.run(() => this.appends.run(bytes, async () => operation(await this.readyClient())));
  }

  /** Runs an operation, and runs it on another node when the first node is not the leader. */
  private async run<Result>(operation: (onData: () => void) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      await this.replacement;
      const client = this.current;
      try {
        return await this.whileAnswered(operation);
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

  private whileAnswered<Result>(operation: (onData: () => void) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => reject(new OperationTimedOut(this.operationTimeoutMs)), this.operationTimeoutMs);
      operation(() => void timer.refresh())
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    });
  }

  /**
   * Returns the client when it appends to no earlier node: the end of any stream for appends fails all pending appends of the process,
   * and the client does not expect the answers of the others.
   */
  private async readyClient(): Promise<EventStoreDBClient> {
    const client = this.current;
    const channel = await client['getChannel']();
    if (client === this.current && channel !== this.channel) {
      this.channel = channel;
      this.replacement = endAppends(client);
    }
    await this.replacement;
    if (client !== this.current) throw new ClientReplaced();
    return client;
  }

  /** Ends within DISPOSE_TIMEOUT_MS. */
  async close(): Promise<void> {
    await this.replacement;
    this.appends.failWaiting();
    await dispose(this.current, this.channel);
  }

  /**
   * The client shares its list of pending appends between all clients of a process, so the old client ends before the
   * new one starts.
   */
  private replace(client: EventStoreDBClient): void {
    if (client !== this.current) return;
    const { channel, appends } = this;
    // The client has warned about the URL before.
    this.current = openClient(this.url, () => undefined);
    this.channel = undefined;
    this.appends = new AppendsInFlight();
    this.replacement = dispose(client, channel);
    appends.failWaiting();
  }
}

/** Closes the channel as well, because its connection is otherwise used for the next channel to the same address. */
async function dispose(client: EventStoreDBClient, channel: { close(): void } | undefined): Promise<void> {
  await settleInTime(client.dispose());
  channel?.close();
}

/** Cancels the streams for appends. Reads continue: a cancelled read ends as if there were no more events. */
async function endAppends(client: EventStoreDBClient): Promise<void> {
  const streams: Iterable<unknown> = client['disposableStreams'];
  const ended = [...streams].map(async (stream) => {
    if (!(stream instanceof Duplex && 'cancel' in stream && typeof stream.cancel === 'function')) return;
    const end = new Promise((resolve) => finished(stream, resolve));
    stream.cancel();
    await end;
  });
  await settleInTime(Promise.all(ended));
}

async function settleInTime(ended: Promise<unknown>): Promise<void> {
  await settleWithin(DISPOSE_TIMEOUT_MS, ended, () => new OperationTimedOut(DISPOSE_TIMEOUT_MS)).catch(() => undefined);
}
