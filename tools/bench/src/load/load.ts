import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Transport = HttpTarget | NatsTarget;

/**
 * The calls that a load process sends through the endpoint that it opened last. Plain data, because it is sent to
 * another process.
 */
export interface Load {
  /** Sent in turn, starting again after the last. */
  readonly calls: readonly Call[];
  readonly pace: { readonly inFlight: number } | { readonly perSecond: number } | EachInterval;
  readonly stop: { readonly calls: number } | { readonly ms: number };
}

/** Each call is sent again an interval after its answer, as an agent polls. The first ones are spread over one interval. */
export interface EachInterval {
  readonly intervalMs: number;
  /** Time for which calls are sent before their latencies are recorded, in milliseconds. */
  readonly settleMs: number;
}

export interface HttpTarget {
  readonly kind: 'http';
  readonly baseUrl: string;
  /** Number of open connections. */
  readonly sockets: number;
}

export interface NatsTarget {
  readonly kind: 'nats';
  readonly url: string;
  /** One connection each. */
  readonly credentials: readonly { readonly credentials: string; readonly inboxPrefix?: string }[];
}

export interface Call {
  /** HTTP: `GET /path`; NATS: a subject. */
  readonly to: string;
  readonly body?: unknown;
  /** Index of the NATS connection. */
  readonly connection?: number;
  /** The call contains the present time, as agents send it: seconds since the epoch. */
  readonly isStamped?: boolean;
  /** HTTP headers. */
  readonly headers?: { readonly [name: string]: string };
  /**
   * HTTP status of the answer.
   * @default a status of success
   */
  readonly status?: number;
}

export type LoadRequest = { readonly open: Transport } | { readonly run: Load };

export interface LoadResult {
  readonly calls: number;
  readonly ms: number;
  /** One per call that is recorded. With a fixed rate, calls do not wait for responses, so a slow one delays no other. */
  readonly latenciesMs: readonly number[];
  /** Number of failures by reason. */
  readonly failures: { readonly [what: string]: number };
  /** Size of the last response in bytes. */
  readonly answerBytes: number;
}

/** A process that runs one load at a time. */
export interface LoadProcess {
  /** The next calls use this endpoint. */
  open(endpoint: Transport): Promise<void>;
  /** @throws when a call failed, because the times of refusals are not comparable */
  run(load: Load): Promise<LoadResult>;
  close(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(join(__dirname, 'load-generator.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const order = <Answer>(what: LoadRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => reject(new Error(`The load generator ended with ${code}.`));
      child.once('exit', onExit);
      child.once('message', (answer) => {
        child.removeListener('exit', onExit);
        // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the load generator is a process of this package, whose answers follow from the request
        resolve(answer as Answer);
      });
      child.send(what);
    });
  return {
    open: async (endpoint) => void (await order({ open: endpoint })),
    run: async (load) => {
      const result = await order<LoadResult>({ run: load });
      const [failure] = Object.entries(result.failures);
      if (failure) throw new Error(`${failure[1]} of the calls failed: ${failure[0]}`);
      return result;
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}
