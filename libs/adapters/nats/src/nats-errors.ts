import { NoResponder, RequestTimedOut } from '@muster/ports';
import { ErrorCode, NatsError } from 'nats';

export class NatsUnreachable extends Error {
  constructor(servers: string, reason: string, options?: ErrorOptions) {
    super(
      `No NATS server answers at ${servers} (${reason}); start nats-server there or name another address.`,
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

export class MessageTooLarge extends Error {
  constructor(readonly subject: string) {
    super(`The message for ${subject} is larger than the NATS server takes; raise max_payload or send less.`);
    this.name = 'MessageTooLarge';
  }
}

/** Converts the error of the client to the error of the port. */
export const explainRequestError = (error: unknown, subject: string, timeoutMs: number): unknown => {
  if (!(error instanceof NatsError)) return error;
  switch (error.code) {
    case ErrorCode.NoResponders:
      return new NoResponder(subject);
    // A connection that breaks leaves the outcome as open as an answer that does not come.
    case ErrorCode.Timeout:
    case ErrorCode.Disconnect:
    case ErrorCode.Cancelled:
      return new RequestTimedOut(subject, timeoutMs);
    case ErrorCode.PermissionsViolation:
      return new NatsPermissionDenied(subject);
    case ErrorCode.MaxPayloadExceeded:
      return new MessageTooLarge(subject);
    case ErrorCode.ConnectionClosed:
    case ErrorCode.ConnectionDraining:
      return new Error(`The connection to NATS is closed; nothing was asked on ${subject}.`, { cause: error });
    default:
      return error;
  }
};
