import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { RequestFailed, type Requests, RequestTimedOut } from '@muster/ports';
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
  NatsPermissionDenied,
  type NatsStatus,
  NatsUnreachable,
  watchConnection,
} from './connection';
import {
  decodeBody,
  encodeBody,
  encodeHeaders,
  isFailure,
  MessageHandler,
  type ReportHandlerError,
} from './message-handler';

/** A user key with the JWT that the service issued for it. */
export interface NatsIdentity {
  /** The JWT that is in force. Called at each connection attempt, so that a renewed one is used. */
  readonly jwt: () => string;
  /** Seed of the user key. A secret. */
  readonly seed: string;
}

export interface NatsRequestsOptions {
  /** One address or several, as `host:port` or `nats://host:port`. */
  readonly servers: string | readonly string[];
  /** What the server's monitoring calls this connection. */
  readonly name: string;
  /** Text of a credentials file (a user's JWT and seed). */
  readonly credentials?: string;
  /** Used when there are no `credentials`. */
  readonly identity?: NatsIdentity;
  /** The certificate authority of the server, PEM. With it only TLS connections are made. */
  readonly caPem?: string;
  /** Prefix of the inbox of replies. An agent may use only the one of its credentials. */
  readonly inboxPrefix?: string;
  /** Whether the first connection is retried instead of failing with NatsUnreachable. @default false */
  readonly waitForServer?: boolean;
  readonly onStatus?: (status: NatsStatus) => void;
  readonly onHandlerError?: ReportHandlerError;
}

export interface NatsRequests extends Requests {
  isConnected(): boolean;
  /** Resolves when the server has taken all that was sent before, subscriptions included. */
  flush(): Promise<void>;
}

const RECONNECT_WAIT_MS = 250;
const RECONNECT_JITTER_MS = 100;
/** A silent connection is detected after PING_INTERVAL_MS × PINGS_UNANSWERED_MAX. */
const PING_INTERVAL_MS = 10_000;
const PINGS_UNANSWERED_MAX = 2;
/** How long closing waits for handlers and for the server, each. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * The bus over NATS. Reconnects without limit; while it is disconnected, publications are dropped (live copies may be lost) and
 * requests wait within their own timeout. Throws NatsUnreachable.
 */
export const connectNatsRequests = async (options: NatsRequestsOptions): Promise<NatsRequests> => {
  const connection = await connectTo(options);
  const watch = watchConnection(connection, options.onStatus ?? (() => undefined));
  const handler = new MessageHandler(options.onHandlerError ?? (() => undefined));
  const subscriptions = new Set<Subscription>();
  let isOpen = true;

  const request: Requests['request'] = async (subject, body, headers, timeoutMs) => {
    const startedMs = performance.now();
    if (!watch.isConnected() && isOpen && !(await watch.connectedWithin(timeoutMs))) {
      throw new RequestTimedOut(subject, timeoutMs);
    }
    const timeout = Math.max(timeoutMs - (performance.now() - startedMs), 1);
    let answer: Msg;
    try {
      answer = await connection.request(subject, encodeBody(body), { timeout, headers: encodeHeaders(headers) });
    } catch (error) {
      throw explainRequestError(error, subject, timeoutMs);
    }
    if (isFailure(answer)) throw new RequestFailed(subject);
    return decodeBody(answer);
  };

  const publish: Requests['publish'] = (subject, body, headers) => {
    const encoded = encodeHeaders(headers);
    if (!isOpen || !watch.isConnected()) return;
    try {
      connection.publish(subject, encodeBody(body), { headers: encoded });
    } catch (error) {
      throw explainRequestError(error, subject, 0);
    }
  };

  const subscribe: Requests['subscribe'] = (subject, onMessage, { queue } = {}) => {
    const subscription = connection.subscribe(subject, {
      queue,
      callback: (error, message) => {
        if (error === null) return handler.handle(message, onMessage);
        subscriptions.delete(subscription);
        options.onHandlerError?.(subject, new NatsPermissionDenied(subject));
      },
    });
    subscriptions.add(subscription);
    return {
      unsubscribe: () => {
        subscriptions.delete(subscription);
        subscription.unsubscribe();
      },
    };
  };

  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    // 1. No new messages. 2. Messages that were received are answered. 3. The answers reach the server.
    if (watch.isConnected()) {
      await within(
        CLOSE_TIMEOUT_MS,
        Promise.allSettled([...subscriptions].map((subscription) => subscription.drain())),
      );
    }
    await within(CLOSE_TIMEOUT_MS, handler.idle());
    if (watch.isConnected())
      await within(
        CLOSE_TIMEOUT_MS,
        connection.flush().catch(() => undefined),
      );
    await connection.close();
  };

  return { request, publish, subscribe, close, isConnected: watch.isConnected, flush: () => connection.flush() };
};

const connectTo = async (options: NatsRequestsOptions): Promise<NatsConnection> => {
  const servers = [options.servers].flat();
  const clientOptions: ConnectionOptions = {
    servers,
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    waitOnFirstConnect: options.waitForServer ?? false,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_JITTER_MS,
    // A server that comes back with its keys not yet in place must not end the connection for good.
    ignoreAuthErrorAbort: true,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    noAsyncTraces: true,
  };
  if (options.caPem !== undefined) clientOptions.tls = tlsOptions(options.caPem, servers);
  if (options.credentials !== undefined) {
    clientOptions.authenticator = credsAuthenticator(new TextEncoder().encode(options.credentials));
  } else if (options.identity !== undefined) {
    const { jwt, seed } = options.identity;
    clientOptions.authenticator = jwtAuthenticator(jwt, new TextEncoder().encode(seed));
  }
  try {
    return await connect(clientOptions);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NatsUnreachable(servers.join(', '), reason, { cause: error });
  }
};

/**
 * The client names no server to TLS when the address is an IP address, and Node would then look for `localhost` in the certificate. It
 * passes options that its types do not know on to Node.
 */
const tlsOptions = (ca: string, servers: readonly string[]): TlsOptions => {
  const hosts = servers.map((server) => new URL(server.includes('://') ? server : `nats://${server}`).hostname);
  const identity = {
    checkServerIdentity: (_name: string, certificate: PeerCertificate): Error | undefined => {
      const [first, ...others] = hosts.map((host) => checkServerIdentity(host.replace(/^\[|\]$/g, ''), certificate));
      return first && others.every((error) => error !== undefined) ? first : undefined;
    },
  };
  return { ca, ...identity };
};

/** Waits for the work, with a time limit. */
const within = async (timeoutMs: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const waitTimeout = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, waitTimeout]);
  clearTimeout(timer);
};
