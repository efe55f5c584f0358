import { type JsonValue, MessageTooLarge, NoResponder, RequestTimedOut } from '@muster/ports';
import { type Authenticator, DebugEvents, ErrorCode, Events, type NatsConnection, NatsError } from 'nats';

export class NatsUnreachable extends Error {
  constructor(servers: string, reason: string, options?: ErrorOptions) {
    const cause = options?.cause;
    super(
      cause instanceof NatsError && cause.code === ErrorCode.AuthorizationViolation
        ? `The NATS server at ${servers} refuses the credentials of this process (${reason}); correct them.`
        : `No NATS server answers at ${servers} (${reason}); start nats-server there or name another address.`,
      options,
    );
    this.name = 'NatsUnreachable';
  }
}

export class NatsPermissionDenied extends Error {
  constructor(readonly subject: string) {
    super(`The NATS credentials of this process do not allow ${subject}; mint credentials for it.`);
    this.name = 'NatsPermissionDenied';
  }
}

/** A message that the client did not send. `maxBytes`: the maximum size of a message that the server accepts. */
export interface UnsentMessage {
  readonly subject: string;
  readonly bytes: number;
  readonly maxBytes: number | undefined;
}

/** Returns the error for a message or an answer that is too large. Undefined for other errors. */
export const explainTooLarge = (
  error: unknown,
  { subject, bytes, maxBytes }: UnsentMessage,
  large: 'answer' | { readonly request: JsonValue },
): MessageTooLarge | undefined => {
  if (!(error instanceof NatsError) || error.code !== ErrorCode.MaxPayloadExceeded) return undefined;
  const [what, remedy] =
    large === 'answer'
      ? ['The answer to', 'The request was executed. Increase']
      : ['The message for', 'Send a smaller one, or increase'];
  return new MessageTooLarge(
    `${what} ${subject} has a body of ${bytes} bytes. A message has at most ${maxBytes} bytes (max_payload of the NATS server). ${remedy} max_payload in the configuration of the server at NATS_URL.`,
    large,
  );
};

/** Converts the error of the client to the error of the port. */
export const explainRequestError = (error: unknown, subject: string, timeoutMs: number): unknown => {
  if (!(error instanceof NatsError)) return error;
  switch (error.code) {
    case ErrorCode.NoResponders:
      return new NoResponder(subject);
    // When a connection breaks, the outcome of its requests is unknown, as without an answer.
    case ErrorCode.Timeout:
    case ErrorCode.Disconnect:
    case ErrorCode.Cancelled:
      return new RequestTimedOut(subject, timeoutMs);
    case ErrorCode.PermissionsViolation:
      return new NatsPermissionDenied(subject);
    case ErrorCode.ConnectionClosed:
    case ErrorCode.ConnectionDraining:
      return new Error(`The connection to NATS is closed. No request was sent on ${subject}.`, { cause: error });
    default:
      return error;
  }
};

/** The client would end the connection for good with credentials that cannot be used. Without earlier ones, this error is right. */
export const lastUsable = (read: () => Authenticator): Authenticator => {
  let usable: Authenticator | undefined;
  return (nonce) => {
    try {
      const current = read();
      const login = current(nonce);
      usable = current;
      return login;
    } catch (error) {
      if (!usable) throw error;
      return usable(nonce);
    }
  };
};

const RECONNECT_WAIT_MS = 250;
const RECONNECT_JITTER_MS = 100;
/** A handshake costs the server more. */
const RECONNECT_JITTER_TLS_MS = 1_000;

/**
 * Returns the minimum time between two attempts, in milliseconds. The client adds it to the time of its last attempt on the clock of the
 * machine. After this clock was set back by hours, it would connect again hours later.
 */
export const reconnectWait = (isTls: boolean): (() => number) => {
  const jitterMs = isTls ? RECONNECT_JITTER_TLS_MS : RECONNECT_JITTER_MS;
  let dueMs = -Infinity;
  let waitMs = 0;
  return () => {
    const nowMs = performance.now();
    if (nowMs < dueMs) return waitMs;
    waitMs = RECONNECT_WAIT_MS + Math.floor(Math.random() * jitterMs);
    // The client counts whole milliseconds.
    dueMs = nowMs + waitMs - 1;
    return -Infinity;
  };
};

/** A change of the connection, for the log and the readiness of a service. */
export type NatsStatus =
  | { readonly kind: 'connected'; readonly server: string }
  | { readonly kind: 'disconnected'; readonly server: string }
  | { readonly kind: 'reconnecting'; readonly server: string }
  /**
   * The server refused an operation. `code` is the code of the client. `subject` is set when a permission is missing, for a publication or
   * request if `isPublication`.
   */
  | { readonly kind: 'refused'; readonly code: string; readonly subject?: string; readonly isPublication?: boolean }
  /** The client stops reconnecting. `reason` is absent when this process closed the connection. */
  | { readonly kind: 'closed'; readonly reason?: string };

/** Whether messages can be sent now, and a listener for changes. */
export interface ConnectionWatch {
  isConnected(): boolean;
  /** Resolves to true after the connection is established, or to false after the timeout. */
  connectedWithin(timeoutMs: number): Promise<boolean>;
}

export const watchConnection = (connection: NatsConnection, notify: (status: NatsStatus) => void): ConnectionWatch => {
  let isConnected = true;
  const waiters = new Set<(connected: boolean) => void>();
  const wake = (connected: boolean): void => {
    for (const waiter of [...waiters]) waiter(connected);
  };

  const follow = async (): Promise<void> => {
    for await (const { type, data, permissionContext } of connection.status()) {
      const server = String(data);
      if (type === Events.Disconnect) {
        isConnected = false;
        notify({ kind: 'disconnected', server });
      } else if (type === Events.Reconnect) {
        isConnected = true;
        notify({ kind: 'connected', server });
        wake(true);
      } else if (type === DebugEvents.Reconnecting) notify({ kind: 'reconnecting', server });
      else if (type === Events.Error) {
        const { subject, operation } = permissionContext ?? {};
        notify({ kind: 'refused', code: server, subject, isPublication: operation === 'publish' });
      }
    }
  };
  void follow();
  void connection.closed().then((error) => {
    isConnected = false;
    notify({ kind: 'closed', reason: error instanceof Error ? error.message : undefined });
    wake(false);
  });

  notify({ kind: 'connected', server: connection.getServer() });
  return {
    isConnected: () => isConnected,
    connectedWithin: (timeoutMs) =>
      new Promise((resolve) => {
        if (isConnected || connection.isClosed()) return resolve(isConnected);
        const settle = (connected: boolean): void => {
          clearTimeout(timer);
          waiters.delete(settle);
          resolve(connected);
        };
        const timer = setTimeout(() => settle(false), timeoutMs);
        waiters.add(settle);
      }),
  };
};
