import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createJsonReader, errorCode, errorMessage, memberAt, parseJson, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { explainFailure } from '../failure-causes';
import type { Timer } from '../timer';
import { type ConnectionOptions, createConnections } from './connections';

/** The service answered with an error status. */
export class HttpRefused extends Error {
  readonly status: number;
  /** The reason in the answer. */
  readonly reason: string;
  /** Whether a proxy failed in place of the service, which may have ended. */
  readonly isOfProxy: boolean;

  constructor(
    call: { readonly method: string; readonly path: string },
    answer: { readonly status: number; readonly body: Buffer },
  ) {
    const reason = reasonOf(answer.body);
    super(`${shown(call)} was answered ${answer.status}: ${reason}`);
    this.name = 'HttpRefused';
    this.status = answer.status;
    this.reason = reason;
    this.isOfProxy = answer.status >= 500 && !isErrorOfService(answer.body);
  }
}

/**
 * No answer arrived: the server was not reachable, too slow, the connection broke, or a proxy answered in its place. Whether the call was
 * executed is unknown.
 */
export class ServiceUnreachable extends Error {
  constructor(where: string, cause: unknown) {
    const code = errorCode(cause) ?? '';
    const why = errorMessage(cause) || code;
    const explanation = explainFailure(`${code} ${why}`);
    super(`No answer from ${where}: ${why}${explanation ? `. ${explanation}` : ''}`);
    this.name = 'ServiceUnreachable';
  }
}

/** The query contains the token of an image. */
const shown = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path.split('?', 1)[0]}`;

const REASON_CHARS_MAX = 500;

/** Returns the reason from both error bodies of the v2 API, or from the page of a router. */
function reasonOf(body: Buffer): string {
  const text = body.toString('utf8');
  const error = parseJson(text);
  const reason = textAt(error, 'reason') ?? textAt(error, 'message') ?? textAt(error, 'detail');
  return reason ?? (text.trim().slice(0, REASON_CHARS_MAX) || 'no reason given');
}

/** Whether a body has one of the error formats of the service. Gateways of other vendors send JSON with a `message` only. */
function isErrorOfService(body: Buffer): boolean {
  const error = parseJson(body.toString('utf8'));
  return ['code', 'reason', 'detail'].some((name) => memberAt(error, name) !== undefined);
}

/** Callers end, give up or wait for an hour at such an answer. Redirects are not followed. */
const isFinal = (status: number): boolean =>
  (status >= 300 && status < 400) || [401, 403, 404, 407, 409].includes(status);

/** The service and the other servers of an installation send no pages to hosts. */
const isPage = ({ headers }: IncomingMessage): boolean => /^text\/html\b/i.test(headers['content-type'] ?? '');

/** The number of retries after a failure. The wait between attempts is the same for all policies. */
export interface RetryPolicy {
  retriesMax(failure: HttpRefused | ServiceUnreachable): number;
}

export const NO_RETRIES: RetryPolicy = { retriesMax: () => 0 };

/** Like assisted-installer-agent: three retries while the service is busy or restarting. */
export const AGENT_RETRIES: RetryPolicy = {
  retriesMax: (failure) => (!(failure instanceof HttpRefused) || [503, 504].includes(failure.status) ? 3 : 0),
};

/** Like assisted-installer: an installation must survive a long outage of the service. */
export const INSTALLER_RETRIES: RetryPolicy = retriesWhileUnavailable(360);
/** Like assisted-installer-controller, whose loops repeat their calls. */
export const CONTROLLER_RETRIES: RetryPolicy = retriesWhileUnavailable(15);

function retriesWhileUnavailable(retries: number): RetryPolicy {
  return {
    retriesMax: (failure) => {
      if (!(failure instanceof HttpRefused)) return retries;
      if ([404, 423, 425].includes(failure.status)) return Math.min(10, retries);
      return failure.status >= 500 || [408, 429].includes(failure.status) ? retries : 0;
    },
  };
}

const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 10_000;

/** Returns milliseconds: from 2 s to 10 s, at random so that machines that failed together do not retry together. */
export const retryDelayMs = (attempt: number, random: () => number): number =>
  FIRST_DELAY_MS + random() * (Math.min(FIRST_DELAY_MS * 2 ** attempt, DELAY_MS_MAX) - FIRST_DELAY_MS);

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the base address, beginning with a slash. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: Buffer;
  /** Returns the receiver of the body of a 2xx answer, which may have any size. Called for each attempt. The answer has no body then. */
  readonly readsParts?: () => (part: Buffer) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface HttpClient {
  /**
   * Returns the answer with a 2xx status.
   * @throws HttpRefused for any other status
   * @throws ServiceUnreachable without an answer
   */
  call(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  /**
   * Returns the body of a 2xx answer as a stream. Not retried.
   * @throws HttpRefused
   * @throws ServiceUnreachable
   */
  stream(call: HttpCall, signal: AbortSignal): Promise<Readable>;
  close(): void;
}

export interface HttpClientOptions extends ConnectionOptions {
  /** `http://host:port[/prefix]` */
  readonly baseUrl: string;
  readonly headers?: { readonly [name: string]: string };
  /** Whether the server sends the errors of the service. Then a refusal without one is from a proxy. @default false */
  readonly sendsJsonErrors?: boolean;
  readonly retries?: RetryPolicy;
  readonly timer: Timer;
  /** Called before a retry, so that a waiting call can be logged. */
  readonly onRetry?: (failure: Error, delayMs: number) => void;
  /** Returns a number in [0, 1). Distributes the retries of many machines. */
  readonly random?: () => number;
}

const ANSWER_TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = new URL(options.baseUrl);
  const connections = createConnections(base, options);
  const begin = (call: HttpCall, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const url = new URL(base.origin + base.pathname.replace(/\/+$/, '') + call.path);
      for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
      const body = call.json === undefined ? call.body : Buffer.from(JSON.stringify(call.json));
      const headers: Record<string, string> = { ...options.headers, ...call.headers };
      if (call.json !== undefined) headers['content-type'] ??= 'application/json';
      if (body) headers['content-length'] = String(body.length);
      const { headers: ofProxy, ...target } = connections.requestOptions(url);
      const request = (connections.isTls ? httpsRequest : httpRequest)(
        {
          ...target,
          method: call.method,
          headers: { ...ofProxy, ...headers },
          agent: connections.agent,
          signal,
          timeout: ANSWER_TIMEOUT_MS,
        },
        resolve,
      );
      request.once('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)));
      request.once('error', reject);
      request.end(body);
    });
  const isDone = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;
  const ofProxy = (call: HttpCall, what: string): ServiceUnreachable =>
    new ServiceUnreachable(base.origin, new Error(`a proxy answered ${shown(call)} with ${what}`));
  /**
   * Proxies and captive portals answer with their own page, for example while the service is stopped. Callers end when the service refuses
   * them, or take the page for a result, so such an answer counts as none.
   */
  const send = async (call: HttpCall, signal: AbortSignal): Promise<HttpAnswer | HttpRefused | ServiceUnreachable> => {
    const message = await begin(call, signal);
    const answer = await collect(message, isDone(message) ? call.readsParts?.() : undefined);
    if (isDone(message)) return isPage(message) ? ofProxy(call, 'a page') : answer;
    const isOfService = !options.sendsJsonErrors || !isFinal(answer.status) || isErrorOfService(answer.body);
    return isOfService ? new HttpRefused(call, answer) : ofProxy(call, String(answer.status));
  };

  return {
    stream: async (call, signal) => {
      const answer = await begin(call, signal).catch((error: unknown) => {
        throw new ServiceUnreachable(base.origin, error);
      });
      if (!isDone(answer)) throw new HttpRefused(call, await collect(answer));
      if (!isPage(answer)) return answer;
      answer.destroy();
      throw ofProxy(call, 'a page');
    },
    call: async (call, signal) => {
      for (let attempt = 1; ; attempt += 1) {
        const failure = await send(call, signal).catch((error: unknown) => new ServiceUnreachable(base.origin, error));
        if (!(failure instanceof Error)) return failure;
        const mayRetry = attempt <= (options.retries ?? NO_RETRIES).retriesMax(failure);
        if (signal.aborted || !mayRetry) throw failure;
        const delayMs = retryDelayMs(attempt, options.random ?? Math.random);
        options.onRetry?.(failure, delayMs);
        await options.timer.sleep(delayMs, signal);
      }
    },
    close: () => connections.close(),
  };
}

function collect(answer: IncomingMessage, onPart?: (part: Buffer) => void): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      if (onPart) return onPart(chunk);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) answer.destroy(new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`));
    });
    answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
    answer.once('error', reject);
    answer.once('close', () => reject(new Error('the connection closed before the answer was complete')));
  });
}

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, 0x7b, 0x7d];
/** The brackets of objects and lists differ in this bit. */
const KIND_BIT = 0x20;
/** Commas and blanks between the objects of a list. */
const FRAME_CHARACTERS_MAX = 1024 * 1024;
const readFrame = createJsonReader(Type.Array(Type.Literal(0)), { name: 'the response' });

/** Reads a JSON list of objects while it arrives. Only the text of one object is in memory. `read` throws when a text is not one. */
export class ObjectsOfList<Item> {
  private readonly items: Item[] = [];
  private failure: unknown;
  /** The list with 0 in place of each object. */
  private frame = '';
  private parts: Buffer[] = [];
  private depth = 0;
  private isInText = false;
  private isEscaped = false;

  constructor(private readonly read: (text: string) => Item) {}

  add(part: Buffer): void {
    let begin = 0;
    for (let at = 0; at < part.length; at += 1) {
      const byte = part[at] ?? 0;
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInText = !this.isInText;
      else if (this.isInText) continue;
      else if ((byte | KIND_BIT) === OPENING && ++this.depth === 2) {
        this.addToFrame(`${part.toString('latin1', begin, at)}0`);
        begin = at;
      } else if ((byte | KIND_BIT) === CLOSING && --this.depth === 1) {
        this.endObject(part.subarray(begin, at + 1));
        begin = at + 1;
      }
    }
    if (this.depth > 1) this.parts.push(part.subarray(begin));
    else this.addToFrame(part.toString('latin1', begin));
  }

  /** @throws Error when the text was not a list of such objects */
  all(): Item[] {
    if (this.failure !== undefined) throw this.failure;
    if (readFrame(this.frame).length === this.items.length) return this.items;
    throw new Error('the response must be a list of objects.');
  }

  private addToFrame(text: string): void {
    if (this.frame.length < FRAME_CHARACTERS_MAX) this.frame += text;
  }

  private endObject(last: Buffer): void {
    const text = Buffer.concat([...this.parts.splice(0), last]).toString('utf8');
    try {
      this.items.push(this.read(text));
    } catch (error) {
      this.failure ??= error;
    }
  }
}
