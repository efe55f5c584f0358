import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import { HttpRefused, ServiceUnreachable } from './http-failures';
import type { Timer } from '../agent/timer';
import { NO_RETRIES, retryDelayMs, type RetryPolicy } from './retry-policy';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the base address, starting with a slash. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly headers?: { readonly [name: string]: string };
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface HttpClient {
  /** The answer of a 2xx. Throws HttpRefused for any other status, ServiceUnreachable when there is no answer. */
  call(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

export interface HttpClientOptions {
  /** `http://host:port[/prefix]` */
  readonly baseUrl: string;
  readonly headers?: { readonly [name: string]: string };
  /** Certificate authorities (PEM) besides those that Node trusts. */
  readonly caPem?: string;
  readonly isInsecure?: boolean;
  readonly retries?: RetryPolicy;
  readonly timer: Timer;
  /** In [0, 1); spreads the retries of many machines. */
  readonly random?: () => number;
}

const ANSWER_TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = new URL(options.baseUrl);
  const isTls = base.protocol === 'https:';
  const agent = isTls
    ? new HttpsAgent({
        keepAlive: true,
        rejectUnauthorized: !options.isInsecure,
        ca: options.caPem ? [...rootCertificates, options.caPem] : undefined,
      })
    : new HttpAgent({ keepAlive: true });
  const send = (call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const url = new URL(base.pathname.replace(/\/+$/, '') + call.path, base);
      for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
      const body = call.json === undefined ? call.body : Buffer.from(JSON.stringify(call.json));
      const headers: Record<string, string> = { ...options.headers, ...call.headers };
      if (call.json !== undefined) headers['content-type'] = 'application/json';
      if (body) headers['content-length'] = String(body.length);
      const request = (isTls ? httpsRequest : httpRequest)(
        url,
        { method: call.method, headers, agent, signal, timeout: ANSWER_TIMEOUT_MS },
        (answer) => collect(answer).then(resolve, reject),
      );
      request.once('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)));
      request.once('error', reject);
      request.end(body);
    });

  return {
    call: async (call, signal) => {
      for (let attempt = 1; ; attempt += 1) {
        const failure = await send(call, signal).then(
          (answer) => (answer.status >= 200 && answer.status < 300 ? answer : new HttpRefused(call, answer)),
          (error: unknown) => new ServiceUnreachable(base.origin, error),
        );
        if (!(failure instanceof Error)) return failure;
        const mayRetry = attempt <= (options.retries ?? NO_RETRIES).retriesMax(failure);
        if (signal.aborted || !mayRetry) throw failure;
        await options.timer.sleep(retryDelayMs(attempt, options.random ?? Math.random), signal);
      }
    },
    close: () => agent.destroy(),
  };
}

function collect(answer: IncomingMessage): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) answer.destroy(new Error(`the answer is larger than ${ANSWER_BYTES_MAX} bytes`));
    });
    answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
    answer.once('error', reject);
    answer.once('close', () => reject(new Error('the connection closed before the answer was complete')));
  });
}
