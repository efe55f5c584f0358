import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Transport = HttpTarget | NatsTarget;

/** What a load process is asked to do, through the endpoint that it opened last. Plain data: it crosses to another process. */
export interface Load {
  /** Made in turn, from the first again after the last. */
  readonly calls: readonly Call[];
  readonly pace: { readonly inFlight: number } | { readonly perSecond: number };
  readonly stop: { readonly calls: number } | { readonly ms: number };
}

export interface HttpTarget {
  readonly kind: 'http';
  readonly baseUrl: string;
  /** Connections that are kept open. */
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
  /** NATS: which of the connections. */
  readonly connection?: number;
  /** The caller's time goes along, as agents send it: seconds since the epoch. */
  readonly isStamped?: boolean;
}

export type LoadRequest = { readonly open: Transport } | { readonly run: Load };

export interface LoadResult {
  readonly calls: number;
  readonly ms: number;
  /** One per call. A fixed pace does not wait for answers, so a slow one holds up no other. */
  readonly latenciesMs: readonly number[];
  /** How often, by what was wrong. */
  readonly failures: { readonly [what: string]: number };
  /** Bytes of the last answer. */
  readonly answerBytes: number;
}

/** One order at a time. */
export interface LoadProcess {
  /** The calls to come go through this endpoint. */
  open(endpoint: Transport): Promise<void>;
  /** Throws when any call failed: figures of refusals would mean nothing. */
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
