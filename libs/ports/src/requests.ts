import type { JsonValue } from './event-store';

/** Text headers of a message (lower-case keys): identity, correlation, command id. */
export type MessageHeaders = { readonly [name: string]: string };

export interface IncomingMessage {
  readonly subject: string;
  readonly body: JsonValue;
  readonly headers: MessageHeaders;
}

/** The bus. A request has a timeout and an answer. A publication is a live copy that may be lost. */
export interface Requests {
  /**
   * @throws RequestTimedOut after `timeoutMs`
   * @throws NoResponder when no service listens on the subject
   */
  request(subject: string, body: JsonValue, headers: MessageHeaders, timeoutMs: number): Promise<JsonValue>;
  publish(subject: string, body: JsonValue, headers?: MessageHeaders): void;
  /**
   * Messages of one publisher arrive in order. With `queue`, each message is delivered to one member. A returned value
   * answers a request.
   */
  subscribe(
    subject: string,
    onMessage: (message: IncomingMessage) => Promise<JsonValue | void> | void,
    options?: { readonly queue?: string },
  ): { unsubscribe(): void };
  close(): Promise<void>;
  /** Called by a caller that stops repeating a request without an answer. Counts the failed commands of an outage. */
  readonly abandoned?: () => void;
}

export class RequestTimedOut extends Error {
  constructor(
    readonly subject: string,
    readonly timeoutMs: number,
  ) {
    super(`No response on ${subject} within ${timeoutMs} ms. The result is unknown. Retry with the same command id.`);
    this.name = 'RequestTimedOut';
  }
}

export class NoResponder extends Error {
  constructor(readonly subject: string) {
    super(`No service listens on ${subject}. Start the service that owns it.`);
    this.name = 'NoResponder';
  }
}

/**
 * The service received the request and failed while processing it. This is a bug in the service. The outcome is
 * unknown.
 */
export class RequestFailed extends Error {
  constructor(readonly subject: string) {
    super(
      `The service that owns ${subject} failed to process the request. Its log has the reason. Retry with the same command id.`,
    );
    this.name = 'RequestFailed';
  }
}
