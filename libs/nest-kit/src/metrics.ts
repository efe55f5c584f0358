import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A histogram as a read model stores it: cumulative counts per bucket. */
interface StoredHistogram {
  readonly buckets: readonly number[];
  readonly sum: number;
  readonly count: number;
}

export interface StoredMetricOptions {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
  /** The current values by their labels in the Prometheus text format: `role="master",result="Done"`. */
  readonly series: () => Promise<Iterable<readonly [labels: string, value: number | StoredHistogram]>>;
}

/** A metric whose values are read from `series` each time the registry is rendered. It stores no values. */
export function createStoredMetric(registry: Registry, options: StoredMetricOptions): void {
  const { name, help, type, series } = options;
  if (type === 'histogram') {
    new StoredHistogramMetric(registry, options);
    return;
  }
  const Metric = type === 'gauge' ? Gauge<string> : Counter<string>;
  new Metric({
    name,
    help,
    registers: [registry],
    labelNames: options.labelNames,
    async collect() {
      const values = await series();
      // In one turn, because another rendering may wait for its series.
      this.reset();
      // The reset of a metric without labels leaves a 0, which a reader takes for a restart of the counter.
      if (options.labelNames.length === 0) this.remove();
      for (const [labels, value] of values) if (typeof value === 'number') this.inc(parseLabels(labels), value);
    },
  });
}

/** prom-client has no method to set the buckets of a histogram, but it renders the result of this method. */
class StoredHistogramMetric extends Histogram {
  constructor(
    registry: Registry,
    private readonly stored: StoredMetricOptions,
  ) {
    const { name, help, labelNames, buckets = [] } = stored;
    super({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
  }

  async getForPromString(): Promise<object> {
    const { name, help, buckets = [], series } = this.stored;
    const values = [...(await series())].flatMap(([labels, value]) =>
      typeof value === 'number' ? [] : histogramValues(name, parseLabels(labels), buckets, value),
    );
    return { name, help, type: 'histogram', values };
  }
}

function histogramValues(
  name: string,
  labels: Record<string, string>,
  bounds: readonly number[],
  { buckets, sum, count }: StoredHistogram,
): readonly object[] {
  const bucket = (le: string, value: number): object => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value,
  });
  return [
    ...bounds.map((bound, index) => bucket(String(bound), buckets[index] ?? 0)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Parses labels in the Prometheus text format. */
function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [
      label,
      value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    ]),
  );
}

const MS_PER_SECOND = 1_000;
/** The code of a request whose client disconnected before its response began, as proxies count it. */
const CLIENT_CLOSED_REQUEST = 499;

/** The kind of a request: a route pattern, never the URL, which may contain a token. */
export interface RequestKind {
  readonly handler: string;
  readonly method: string;
}

export interface RequestMetricsOptions {
  /** Prefix of all metric names, for example `assisted_image_service_`. */
  readonly prefix: string;
  /** The value of the label `service`. */
  readonly service: string;
  /** Upper bounds in seconds, ascending. */
  readonly durationBuckets: readonly number[];
  /** Upper bounds in bytes, ascending. */
  readonly sizeBuckets: readonly number[];
  /** Labels of the gauge of requests in flight. */
  readonly inFlightLabels: readonly ('handler' | 'method')[];
  /** Returns the labels of a request by the pattern of its route. Undefined: the request is not counted. */
  readonly kindOf: (route: string | undefined, method: string) => RequestKind | undefined;
}

interface EndedResponse {
  readonly code: number;
  readonly seconds: number;
  readonly bytes: number;
}

/** The counts of one histogram. prom-client looks up the labels for every value, which took 9 µs per request. */
class Tally implements StoredHistogram {
  sum = 0;
  count = 0;
  private readonly counts: number[];

  constructor(private readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0);
  }

  add(value: number): void {
    this.sum += value;
    this.count += 1;
    const index = this.bounds.findIndex((bound) => value <= bound);
    if (index >= 0) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  /** Cumulative counts. */
  get buckets(): readonly number[] {
    let sum = 0;
    return this.counts.map((count) => (sum += count));
  }
}

/** The requests of one kind. */
class RequestCounts {
  readonly byCode = new Map<number, { readonly seconds: Tally; readonly bytes: Tally }>();
  inFlight = 0;

  constructor(
    readonly kind: RequestKind,
    private readonly options: Pick<RequestMetricsOptions, 'durationBuckets' | 'sizeBuckets'>,
  ) {}

  started(): void {
    this.inFlight += 1;
  }

  ended({ code, seconds, bytes }: EndedResponse): void {
    this.inFlight -= 1;
    let tallies = this.byCode.get(code);
    if (!tallies) {
      const { durationBuckets, sizeBuckets } = this.options;
      tallies = { seconds: new Tally(durationBuckets), bytes: new Tally(sizeBuckets) };
      this.byCode.set(code, tallies);
    }
    tallies.seconds.add(seconds);
    tallies.bytes.add(bytes);
  }
}

/** Counts duration, response size and requests in progress of HTTP requests, in the registry of this process. */
export class RequestMetrics {
  readonly registry = new Registry();
  /** Routes, methods and codes are few, so the counts have no bound. */
  private readonly countsByMethod = new Map<string, Map<string | undefined, RequestCounts | undefined>>();
  private readonly countsByKind = new Map<string, RequestCounts>();

  constructor(private readonly options: RequestMetricsOptions) {
    const { prefix, durationBuckets, sizeBuckets, inFlightLabels } = options;
    const histogram = { type: 'histogram', labelNames: ['service', 'handler', 'method', 'code'] } as const;
    createStoredMetric(this.registry, {
      ...histogram,
      name: `${prefix}http_request_duration_seconds`,
      help: 'Time from the arrival of a request to the last byte of its response.',
      buckets: durationBuckets,
      series: () => Promise.resolve(this.histograms('seconds')),
    });
    createStoredMetric(this.registry, {
      ...histogram,
      name: `${prefix}http_response_size_bytes`,
      help: 'Bytes of a response.',
      buckets: sizeBuckets,
      series: () => Promise.resolve(this.histograms('bytes')),
    });
    createStoredMetric(this.registry, {
      type: 'gauge',
      name: `${prefix}http_requests_inflight`,
      help: 'Number of requests in progress.',
      labelNames: ['service', ...inFlightLabels],
      series: () => Promise.resolve(this.inFlight()),
    });
  }

  /** Counts every request of the server from its arrival until its response has ended or its client has disconnected. */
  countRequests(server: Pick<FastifyInstance, 'addHook'>): void {
    server.addHook('onRequest', (request, reply, done) => {
      const counts = this.countsOfRoute(request.routeOptions.url, request.method);
      if (!counts) return done();
      const { raw } = reply;
      const { socket } = request.raw;
      const [startedMs, bytesBefore] = [performance.now(), socket.bytesWritten];
      counts.started();
      const end = (): void =>
        counts.ended({
          code: raw.headersSent ? raw.statusCode : CLIENT_CLOSED_REQUEST,
          seconds: (performance.now() - startedMs) / MS_PER_SECOND,
          bytes: Math.max(0, socket.bytesWritten - bytesBefore),
        });
      // A request may wait for its turn before this hook. When its client disconnected meanwhile, the event was emitted already.
      if (raw.closed) end();
      else raw.on('close', end);
      done();
    });
  }

  /** Returns the counts of a kind of request. */
  countsOf(kind: RequestKind): RequestCounts {
    const key = JSON.stringify([kind.handler, kind.method]);
    const counts = this.countsByKind.get(key) ?? new RequestCounts(kind, this.options);
    this.countsByKind.set(key, counts);
    return counts;
  }

  private countsOfRoute(route: string | undefined, method: string): RequestCounts | undefined {
    const ofMethod = this.countsByMethod.get(method) ?? new Map<string | undefined, RequestCounts | undefined>();
    this.countsByMethod.set(method, ofMethod);
    if (!ofMethod.has(route)) {
      const kind = this.options.kindOf(route, method);
      ofMethod.set(route, kind && this.countsOf(kind));
    }
    return ofMethod.get(route);
  }

  private histograms(of: 'seconds' | 'bytes'): readonly (readonly [string, StoredHistogram])[] {
    const { service } = this.options;
    return [...this.countsByKind.values()].flatMap(({ kind, byCode }) =>
      [...byCode].map(
        ([code, tallies]) => [labelsText({ service, ...kind, code: String(code) }), tallies[of]] as const,
      ),
    );
  }

  /** Requests of several kinds may share the labels. */
  private inFlight(): ReadonlyMap<string, number> {
    const { service, inFlightLabels } = this.options;
    const sums = new Map<string, number>();
    for (const { kind, inFlight } of this.countsByKind.values()) {
      const of = Object.fromEntries(inFlightLabels.map((label) => [label, kind[label]]));
      const labels = labelsText({ service, ...of });
      sums.set(labels, (sums.get(labels) ?? 0) + inFlight);
    }
    return sums;
  }
}

/** Returns labels in the Prometheus text format. */
const labelsText = (labels: { readonly [name: string]: string }): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`)
    .join(',');
