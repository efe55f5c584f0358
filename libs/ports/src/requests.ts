import { fieldOf, type JsonValue } from './event-store';
import type { Unavailable } from './unavailable';

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
   * @throws MessageTooLarge
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
    /** Why the request was not sent: the server of the bus is not available. Undefined when it was sent. */
    readonly unsent?: Unavailable,
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

/** A message is larger than the bus accepts. A request was not sent. An answer was not sent, but its request was executed. */
export class MessageTooLarge extends Error {
  readonly isAnswer: boolean;
  /** Field of the REST API with the longest text of the request. */
  readonly field: string | undefined;

  constructor(message: string, large: 'answer' | { readonly request: JsonValue }) {
    const { path, length } = large === 'answer' ? NO_TEXT : longestTextIn(large.request, '');
    const field = path === '' ? undefined : fieldOf(path);
    super(field === undefined ? message : `${message} The longest text is ${field} with ${length} characters.`);
    this.name = 'MessageTooLarge';
    this.isAnswer = large === 'answer';
    this.field = field;
  }
}

interface FoundText {
  /** Names and indexes from the body to the text, such as changes.kernelArguments. */
  readonly path: string;
  readonly length: number;
}

const NO_TEXT: FoundText = { path: '', length: 0 };

function longestTextIn(value: JsonValue, path: string): FoundText {
  if (typeof value !== 'object' || value === null)
    return { path, length: typeof value === 'string' ? value.length : 0 };
  let longest = NO_TEXT;
  for (const [name, member] of Object.entries(value)) {
    const found = longestTextIn(member, path ? `${path}.${name}` : name);
    if (found.length > longest.length) longest = found;
  }
  return longest;
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
