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
