import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAgentSubject } from '@muster/contracts';
import {
  type IncomingMessage,
  jsonExtentFault,
  jsonTextOf,
  type JsonValue,
  keepJsonLength,
  type MessageHeaders,
  MessageTooLarge,
  RequestFailed,
  type Requests,
} from '@muster/ports';
import { headers as createHeaders, type Msg, type MsgHdrs } from 'nats';
import { explainTooLarge } from './connection';

/** Marks an answer that reports only a failure of the handler. */
const FAILURE_HEADER = 'muster-failure';
/** The text of the error when the answer was too large. */
const TOO_LARGE_HEADER = 'muster-answer-too-large';

/**
 * Maximum size of the body of a message from an agent, in bytes. It is the largest JSON body over HTTP, and room for the ids, which
 * HTTP has in the path.
 */
export const AGENT_BODY_MAX_BYTES = 4 * 1024 * 1024 + 1024;
/**
 * Maximum size of the headers of a message from an agent, in bytes. An agent sends a command id and a position. The client compares each
 * name with all names before it: 100 KB of names take it 20 s.
 */
export const AGENT_HEADERS_MAX_BYTES = 1024;

const NO_HEADERS: MessageHeaders = Object.freeze({});
const text = new TextDecoder('utf-8', { fatal: true });

export const encodeBody = (body: JsonValue): Uint8Array => Buffer.from(jsonTextOf(body));

/**
 * Parses JSON in UTF-8. An empty message is null.
 * @throws SyntaxError or TypeError when the bytes are not JSON in UTF-8
 */
export const decodeBody = (message: Msg): JsonValue =>
  message.data.length === 0 ? null : (JSON.parse(text.decode(message.data)) as JsonValue);

/**
 * Converts headers.
 * @throws Error when a name or value could be read as more than one header
 */
export const encodeHeaders = (headers: MessageHeaders | undefined): MsgHdrs | undefined => {
  let encoded: MsgHdrs | undefined;
  for (const name in headers) {
    encoded ??= createHeaders();
    encoded.set(name.toLowerCase(), quoted(headers[name] ?? ''));
  }
  return encoded;
};

/** The client removes the spaces around a value. A user with such a name would become another user. */
const quoted = (value: string): string => (value.startsWith('"') || value !== value.trim() ? `"${value}"` : value);
const unquoted = (value: string): string => /^"([^]*)"$/.exec(value)?.[1] ?? value;

/** Hosts are not trusted. Returns why a message of an agent would take too long to read. */
const extentFault = (message: Msg): string | undefined => {
  const { data, subject, reply = '' } = message;
  if (data.length > AGENT_BODY_MAX_BYTES) return `its body must not have more than ${AGENT_BODY_MAX_BYTES} bytes`;
  // The client does not declare this method. It counts the headers without reading them.
  const size = (message as Msg & { size(): number }).size();
  if (size - data.length - subject.length - reply.length > AGENT_HEADERS_MAX_BYTES)
    return `its headers must not have more than ${AGENT_HEADERS_MAX_BYTES} bytes`;
  const fault = jsonExtentFault(data);
  return fault && `its body ${fault}`;
};

export const decodeMessage = (message: Msg): IncomingMessage => {
  const body = decodeBody(message);
  // Consumers may keep publications for a while. Requests are answered.
  if (!message.reply && typeof body === 'object' && body !== null) keepJsonLength(body, message.data.length);
  return { subject: message.subject, body, headers: decodeHeaders(message.headers) };
};

const decodeHeaders = (headers: MsgHdrs | undefined): MessageHeaders => {
  if (headers === undefined) return NO_HEADERS;
  const decoded: { [name: string]: string } = {};
  for (const [name, values] of headers) decoded[name.toLowerCase()] = unquoted(values[0] ?? '');
  return decoded;
};

const failureHeaders = (error: unknown): MsgHdrs => {
  const headers = createHeaders();
  headers.set(FAILURE_HEADER, 'handler');
  if (error instanceof MessageTooLarge && error.isAnswer) headers.set(TOO_LARGE_HEADER, error.message);
  return headers;
};

/** Returns the error that an answer reports. */
export const failureIn = ({ headers }: Msg, subject: string): Error | undefined => {
  if (!headers?.has(FAILURE_HEADER)) return undefined;
  const text = headers.get(TOO_LARGE_HEADER);
  return text ? new MessageTooLarge(text, 'answer') : new RequestFailed(subject);
};

type OnMessage = Parameters<Requests['subscribe']>[1];

/** Prefix of all reply subjects of clients. */
const INBOX = '_INBOX.';

/** Called when a handler failed, or when a message could not be read or answered. */
export type ReportHandlerError = (subject: string, error: unknown) => void;

/**
 * Number of messages that are handled in one turn of the event loop while few wait. The connection reads up to 2 MiB in one turn, which
 * are thousands of messages when all hosts of a large cluster report.
 */
export const MESSAGES_PER_TURN = 16;

/**
 * Number of turns in which the waiting messages are handled. When turns take long, because of other work or a busy machine, 16 messages
 * per turn are fewer than the polls of the hosts, which then count as silent.
 */
const TURNS_OF_WAITING = 8;

/**
 * Calls the handler for each message in the order of arrival, without waiting for the results, and sends its result. Never throws,
 * because an exception in the client's callback would end the reader of the connection.
 */
export class MessageHandler {
  private readonly pending = new Set<Promise<void>>();
  private readonly waiting: (() => void)[] = [];
  private handledInTurn = 0;
  private perTurn = MESSAGES_PER_TURN;

  /** `maxBytes` returns the maximum size of a message that the server accepts. */
  constructor(
    private readonly report: ReportHandlerError,
    private readonly maxBytes: () => number | undefined = () => undefined,
  ) {}

  handle(message: Msg, onMessage: OnMessage): void {
    this.waiting.push(() => this.handleNow(message, onMessage));
    this.handleWaiting();
  }

  private handleWaiting(): void {
    const room = this.perTurn - this.handledInTurn;
    if (room <= 0) return;
    const next = this.waiting.splice(0, room);
    if (this.handledInTurn === 0 && next.length > 0)
      setImmediate(() => {
        this.handledInTurn = 0;
        this.perTurn = Math.max(MESSAGES_PER_TURN, Math.ceil(this.waiting.length / TURNS_OF_WAITING));
        this.handleWaiting();
      });
    this.handledInTurn += next.length;
    for (const handle of next) handle();
  }

  private handleNow(message: Msg, onMessage: OnMessage): void {
    // The answer is published with the permissions of this service, so its subject must not be one that the sender may
    // not publish to.
    if (message.reply && !message.reply.startsWith(INBOX)) {
      return this.report(message.subject, new Error('A request with a reply subject outside of an inbox was dropped.'));
    }
    let answer: ReturnType<OnMessage>;
    try {
      answer = onMessage(this.read(message));
    } catch (error) {
      return this.fail(message, error);
    }
    if (answer === undefined) return;
    const done: Promise<void> = answer
      .then((value) => this.respond(message, value))
      .catch((error: unknown) => this.fail(message, error))
      .finally(() => this.pending.delete(done));
    this.pending.add(done);
  }

  /** Resolves when every received message was handled. */
  async idle(): Promise<void> {
    while (this.pending.size + this.waiting.length > 0) {
      await Promise.all(this.pending);
      if (this.waiting.length > 0) await nextTurn();
    }
  }

  private read(message: Msg): IncomingMessage {
    const fault = parseAgentSubject(message.subject) && extentFault(message);
    if (fault) throw new Error(`A message on ${message.subject} was dropped: ${fault}.`);
    try {
      return decodeMessage(message);
    } catch (error) {
      throw new Error(`A message on ${message.subject} is not JSON.`, { cause: error });
    }
  }

  private respond(message: Msg, value: JsonValue | void): void {
    if (value === undefined || !message.reply) return;
    const body = encodeBody(value);
    try {
      message.respond(body);
    } catch (error) {
      const unsent = { subject: message.subject, bytes: body.length, maxBytes: this.maxBytes() };
      throw explainTooLarge(error, unsent, 'answer') ?? error;
    }
  }

  private fail(message: Msg, error: unknown): void {
    this.report(message.subject, error);
    if (!message.reply) return;
    try {
      message.respond(undefined, { headers: failureHeaders(error) });
    } catch {
      // The connection is closed. The caller's request times out, which has the same effect.
    }
  }
}
