import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type JsonValue, type Requests, RequestTimedOut, Unavailable } from '@muster/ports';
import {
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  jwtAuthenticator,
  type Msg,
  type NatsConnection,
  type Subscription,
  type TlsOptions,
} from 'nats';
import {
  explainRequestError,
  explainTooLarge,
  lastUsable,
  NatsPermissionDenied,
  type NatsStatus,
  NatsUnreachable,
  reconnectWait,
  watchConnection,
} from './connection';
import {
  decodeBody,
  encodeBody,
  encodeHeaders,
  failureIn,
  MessageHandler,
  type ReportHandlerError,
} from './message-handler';

/** A user key with the JWT that the service issued for it. */
export interface NatsIdentity {
  /** Returns the current JWT. Called at each connection attempt, so that a renewed JWT is used. */
  readonly jwt: () => string;
  /** Seed of the user key. A secret. */
  readonly seed: string;
}

export interface NatsRequestsOptions {
  /** One or several addresses, as `host:port` or `nats://host:port`, also separated by commas. The first may contain `user:password@` or `token@`. */
  readonly servers: string | readonly string[];
  /** Name of this connection in the monitoring of the server. */
  readonly name: string;
  /**
   * Text of a credentials file (a user's JWT and seed), or a function that returns it at each connection attempt. While its text cannot be
   * used, the last usable one is. Takes precedence over those in an address.
   */
  readonly credentials?: string | (() => string);
  /** Used when there are no `credentials`. */
  readonly identity?: NatsIdentity;
  /** The certificate authority of the server, PEM. When set, only TLS connections are made. */
  readonly caPem?: string;
  /** Prefix of the inbox for replies. An agent may use only the prefix in its credentials. */
  readonly inboxPrefix?: string;
  /** Whether the first connection is retried instead of failing with NatsUnreachable. @default false */
  readonly waitForServer?: boolean;
  /** How soon a frozen server is noticed: after two to three intervals, in milliseconds. @default 10000 */
  readonly pingIntervalMs?: number;
  /** Whether the server returns publications to subscriptions of this connection. @default true */
  readonly echo?: boolean;
  /** Time after which a subscription that the server refused is made again, in milliseconds. @default 10000 */
  readonly resubscribeMs?: number;
  readonly onStatus?: (status: NatsStatus) => void;
  readonly onHandlerError?: ReportHandlerError;
}

export interface NatsRequests extends Requests {
  isConnected(): boolean;
  /** Whether the server requires credentials or a client certificate. */
  readonly requiresCredentials: boolean;
  /** The size of the largest message that the server accepts, in bytes; undefined when it is not known. */
  readonly maxMessageBytes: number | undefined;
  /** Resolves when the server has received everything that was sent before, including subscriptions. */
  flush(): Promise<void>;
}

/** A server that accepts the connection and does not greet the client within this time is tried again. */
const CONNECT_TIMEOUT_MS = 4_000;
/** Agents use this interval: a fleet of hosts must not load the server with pings. */
const PING_INTERVAL_MS = 10_000;
/** Services find a frozen server within 5 s with this interval. */
export const SERVICE_PING_INTERVAL_MS = 1_500;
const PINGS_UNANSWERED_MAX = 2;
const RESUBSCRIBE_MS = 10_000;
/** Timeouts for the handlers, and for each answer of the server, when the connection is closed. */
const IDLE_TIMEOUT_MS = 2_000;
const SERVER_TIMEOUT_MS = 1_000;

/** Subjects of publications without permission that are reported for one connection. Some contain the id of a cluster or of an answer. */
const REPORTED_SUBJECTS_MAX = 10;

interface SentMessage {
  readonly subject: string;
  readonly body: JsonValue;
  readonly data: Uint8Array;
  readonly timeoutMs: number;
}

/**
 * Connects the bus over NATS. Reconnects without limit. While it is disconnected, publications are dropped (live copies
 * may be lost) and requests wait within their own timeout.
 * @throws NatsUnreachable when the first connection fails
 */
export const connectNatsRequests = async (options: NatsRequestsOptions): Promise<NatsRequests> => {
  const connection = await connectTo(options);
  const refused = new Set<string>();
  const watch = watchConnection(connection, (status) => {
    if (status.kind === 'connected') refused.clear();
    // No caller waits for a publication or an answer.
    else if (status.kind === 'refused' && status.isPublication && status.subject !== undefined) {
      const { subject } = status;
      const isReported = refused.has(subject) || refused.size >= REPORTED_SUBJECTS_MAX;
      if (!isReported) options.onHandlerError?.(subject, new NatsPermissionDenied(subject));
      if (!isReported) refused.add(subject);
    }
    options.onStatus?.(status);
  });
  // Another server of a cluster may have another one.
  const maxBytes = (): number | undefined => connection.info?.max_payload;
  const { resubscribeMs = RESUBSCRIBE_MS } = options;
  const handler = new MessageHandler(options.onHandlerError ?? (() => undefined), maxBytes);
  const subscriptions = new Set<Subscription>();
  let isOpen = true;

  const explain = (error: unknown, { subject, body, data, timeoutMs }: SentMessage): unknown =>
    explainTooLarge(error, { subject, bytes: data.length, maxBytes: maxBytes() }, { request: body }) ??
    explainRequestError(error, subject, timeoutMs);

  const request: Requests['request'] = async (subject, body, headers, timeoutMs) => {
    const startedMs = performance.now();
    if (!watch.isConnected() && isOpen && !(await watch.connectedWithin(timeoutMs))) {
      const unsent = new Unavailable(`NATS at ${connection.getServer()}`, 'the connection broke');
      throw new RequestTimedOut(subject, timeoutMs, unsent);
    }
    const timeout = Math.max(timeoutMs - (performance.now() - startedMs), 1);
    const data = encodeBody(body);
    let answer: Msg;
    try {
      answer = await connection.request(subject, data, { timeout, headers: encodeHeaders(headers) });
    } catch (error) {
      throw explain(error, { subject, body, data, timeoutMs });
    }
    const failure = failureIn(answer, subject);
    if (failure) throw failure;
    return decodeBody(answer);
  };

  const publish: Requests['publish'] = (subject, body, headers) => {
    const encoded = encodeHeaders(headers);
    if (!isOpen || !watch.isConnected()) return;
    const data = encodeBody(body);
    try {
      connection.publish(subject, data, { headers: encoded });
    } catch (error) {
      throw explain(error, { subject, body, data, timeoutMs: 0 });
    }
  };

  const subscribe: Requests['subscribe'] = (subject, onMessage, { queue } = {}) => {
    let subscription: Subscription;
    let isReported = false;
    let next: NodeJS.Timeout | undefined;
    const begin = (): void => {
      subscription = connection.subscribe(subject, {
        queue,
        callback: (error, message) => {
          if (error === null) return handler.handle(message, onMessage);
          subscriptions.delete(subscription);
          if (!isReported) options.onHandlerError?.(subject, new NatsPermissionDenied(subject));
          isReported = true;
          // The client has ended it. The permission may be granted later.
          next = setTimeout(() => isOpen && !connection.isClosed() && begin(), resubscribeMs).unref();
        },
      });
      subscriptions.add(subscription);
    };
    begin();
    return {
      unsubscribe: () => {
        clearTimeout(next);
        subscriptions.delete(subscription);
        subscription.unsubscribe();
      },
    };
  };

  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    // 1. Stop receiving. 2. Wait for the answers of received messages. 3. Send the answers to the server.
    const isAnswering =
      watch.isConnected() &&
      (await within(
        SERVER_TIMEOUT_MS,
        Promise.allSettled([...subscriptions].map((subscription) => subscription.drain())),
      ));
    await within(IDLE_TIMEOUT_MS, handler.idle());
    if (isAnswering && watch.isConnected())
      await within(
        SERVER_TIMEOUT_MS,
        connection.flush().catch(() => undefined),
      );
    await connection.close();
  };

  const {
    auth_required: isAuthRequired,
    tls_verify: isCertificateRequired,
    max_payload: maxMessageBytes,
  } = connection.info ?? {};
  return {
    request,
    publish,
    subscribe,
    close,
    isConnected: watch.isConnected,
    requiresCredentials: isAuthRequired === true || isCertificateRequired === true,
    maxMessageBytes,
    flush: () => connection.flush(),
  };
};

/** Returns the addresses in a list. A comma of a password does not separate them. */
export const addressesIn = (list: string): readonly string[] => list.split(/\s*,\s*(?=\w+:\/\/|[^@]*$)/);

/** @throws NatsUnreachable when the first connection fails */
export const connectTo = async (options: NatsRequestsOptions): Promise<NatsConnection> => {
  const given = [options.servers].flat().flatMap(addressesIn);
  // The client does not expect a login in an address.
  const servers = given.map((server) => server.replace(/^(\w+:\/\/)?.*@/, '$1'));
  const clientOptions: ConnectionOptions = {
    servers,
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    waitOnFirstConnect: options.waitForServer ?? false,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectWait(options.caPem !== undefined),
    // A restarted server may not have its keys yet. This must not end the connection permanently.
    ignoreAuthErrorAbort: true,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: options.pingIntervalMs ?? PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    noAsyncTraces: true,
    noEcho: options.echo === false,
  };
  if (options.caPem !== undefined) clientOptions.tls = tlsOptions(options.caPem, servers);
  const { credentials } = options;
  if (credentials !== undefined) {
    const read = typeof credentials === 'string' ? () => credentials : credentials;
    clientOptions.authenticator = lastUsable(() => credsAuthenticator(new TextEncoder().encode(read())));
  } else if (options.identity !== undefined) {
    const { jwt, seed } = options.identity;
    clientOptions.authenticator = jwtAuthenticator(jwt, new TextEncoder().encode(seed));
  } else Object.assign(clientOptions, loginIn(given));
  try {
    return await connect(clientOptions);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NatsUnreachable(servers.join(', '), reason, { cause: error });
  }
};

const urlOf = (server: string): string => (server.includes('://') ? server : `nats://${server}`);

const loginIn = ([first = '']: readonly string[]): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> => {
  const text = urlOf(first);
  const { username, password } = URL.canParse(text) ? new URL(text) : { username: '', password: '' };
  if (username === '') return {};
  const user = decodeURIComponent(username);
  return password ? { user, pass: decodeURIComponent(password) } : { token: user };
};

/**
 * For an IP address the client passes no server name to TLS, and Node would expect `localhost` in the certificate. The
 * client passes options that are not in its types on to Node.
 */
const tlsOptions = (ca: string, servers: readonly string[]): TlsOptions => {
  const hosts = servers.map((server) => new URL(urlOf(server)).hostname);
  const identity = {
    checkServerIdentity: (_name: string, certificate: PeerCertificate): Error | undefined => {
      const [first, ...others] = hosts.map((host) => checkServerIdentity(host.replace(/^\[|\]$/g, ''), certificate));
      return first && others.every((error) => error !== undefined) ? first : undefined;
    },
  };
  return { ca, ...identity };
};

/** Returns whether the work ended within the time. */
const within = async (timeoutMs: number, work: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const waitTimeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const isInTime = await Promise.race([work.then(() => true), waitTimeout]);
  clearTimeout(timer);
  return isInTime;
};
