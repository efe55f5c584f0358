import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { HEADERS, toJsonValue } from '@muster/contracts';
import { errorMessage, objectAt, textAt } from '@muster/schema';
import type { Call, HttpTarget, Load, LoadResult, NatsTarget, Transport } from './load';

/** Sends a call. Resolves with the size of the response, throws for an unexpected response. */
export interface Caller {
  call(call: Call): Promise<number>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** The last body and its JSON. A call with a large body is sent many times, and to write it takes longer than to refuse it. */
let last: { readonly body: unknown; readonly bytes: Buffer } = { body: undefined, bytes: Buffer.alloc(0) };

function bytesOf(body: unknown): Buffer {
  if (last.body !== body) last = { body, bytes: Buffer.from(JSON.stringify(body)) };
  return last.bytes;
}

export const openCaller = (target: Transport): Promise<Caller> =>
  target.kind === 'http' ? Promise.resolve(httpCaller(target)) : natsCaller(target);

function httpCaller({ baseUrl, sockets }: HttpTarget): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, scheduling: 'fifo' });
  const { hostname, port } = new URL(baseUrl);
  const send = ({ to, body, isStamped, headers: given, status: expected }: Call): Promise<number> =>
    new Promise((resolve, reject) => {
      const [method = 'GET', bare = '/'] = to.split(' ');
      const path = isStamped ? `${bare}?timestamp=${nowSeconds()}` : bare;
      const bytes = body === undefined ? undefined : bytesOf(body);
      const ofBody = bytes && { 'content-type': 'application/json', 'content-length': bytes.length };
      const headers = { ...given, ...ofBody };
      const sent = request({ agent, hostname, port, method, path, headers, timeout: TIMEOUT_MS }, (answer) => {
        let answerBytes = 0;
        answer.on('data', (chunk: Buffer) => (answerBytes += chunk.length));
        answer.once('end', () => {
          const status = answer.statusCode ?? 0;
          // As the HTTP client of Go, curl and fetch: an answer before the body was sent ends the connection.
          if (!sent.writableFinished) sent.destroy();
          const isExpected = expected === undefined ? status >= 200 && status < 300 : status === expected;
          if (isExpected) resolve(answerBytes);
          else reject(new Error(`${method} answered ${status}`));
        });
        answer.once('error', reject);
      });
      sent.once('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      // A connection may end after the response to a refused body.
      sent.on('error', reject);
      sent.end(bytes);
    });
  return { call: send, close: async () => agent.destroy() };
}

async function natsCaller({ url, credentials }: NatsTarget): Promise<Caller> {
  const connections: NatsRequests[] = [];
  // One after another, because each connection signs a challenge, and a thousand concurrent ones would time out.
  for (const one of credentials)
    connections.push(await connectNatsRequests({ servers: url, name: `load ${connections.length}`, ...one }));
  return {
    call: async ({ to, body, connection = 0, isStamped }) => {
      const requests = connections[connection];
      if (!requests) throw new Error(`There is no connection ${connection}.`);
      const headers = { [HEADERS.commandId]: randomUUID() };
      const message = toJsonValue({ ...objectAt(body), ...(isStamped && { timestampSeconds: nowSeconds() }) });
      const answer = await requests.request(to, message, headers, TIMEOUT_MS);
      const code = textAt(answer, 'refusal', 'code');
      if (code !== undefined) throw new Error(`refused: ${code}`);
      return 0;
    },
    close: async () => void (await Promise.all(connections.map((requests) => requests.close()))),
  };
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Agents that received their answers at the same time do not send their next calls at exactly the same time. */
const AGENT_JITTER_MS = 20;
/** Time between two looks whether a load at intervals is over. */
const LOOK_MS = 50;

/** Sends the calls of a load, with fixed concurrency, at a fixed rate or each at its interval. */
export async function makeCalls(load: Load, caller: Caller): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const failures: { [what: string]: number } = {};
  let answerBytes = 0;
  let started = 0;
  const startedMs = performance.now();
  const { stop, pace, calls } = load;
  const isOver = (): boolean => ('calls' in stop ? started >= stop.calls : performance.now() - startedMs >= stop.ms);
  const recordedFromMs = startedMs + ('settleMs' in pace ? pace.settleMs : 0);

  const callOnce = async (call = calls[started % calls.length]): Promise<void> => {
    started += 1;
    if (!call) return;
    const sentMs = performance.now();
    try {
      answerBytes = await caller.call(call);
      if (sentMs >= recordedFromMs) latenciesMs.push(performance.now() - sentMs);
    } catch (error) {
      const what = errorMessage(error);
      failures[what] = (failures[what] ?? 0) + 1;
    }
  };

  if ('inFlight' in pace) {
    const worker = async (): Promise<void> => {
      while (!isOver()) await callOnce();
    };
    await Promise.all(Array.from({ length: pace.inFlight }, worker));
  } else if ('intervalMs' in pace) {
    const { intervalMs } = pace;
    const running = new Set<Promise<void>>();
    const callAfter = (call: Call, ms: number): void => {
      const timer = setTimeout(() => {
        if (isOver()) return;
        const one = callOnce(call).then(() => {
          running.delete(one);
          callAfter(call, intervalMs + Math.random() * AGENT_JITTER_MS);
        });
        running.add(one);
      }, ms);
      timer.unref();
    };
    calls.forEach((call, index) => callAfter(call, (index / calls.length) * intervalMs));
    while (!isOver()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    await Promise.all(running);
  } else {
    const running: Promise<void>[] = [];
    while (!isOver()) {
      running.push(callOnce());
      const nextMs = startedMs + (started / pace.perSecond) * 1_000;
      await new Promise((resolve) => setTimeout(resolve, Math.max(nextMs - performance.now(), 0)));
    }
    await Promise.all(running);
  }
  return { calls: latenciesMs.length, ms: performance.now() - startedMs, latenciesMs, failures, answerBytes };
}
