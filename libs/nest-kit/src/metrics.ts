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
  readonly type: 'counter' | 'histogram';
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
  new Counter({
    name,
    help,
    registers: [registry],
    labelNames: options.labelNames,
    async collect() {
      this.reset();
      for (const [labels, value] of await series()) if (typeof value === 'number') this.inc(parseLabels(labels), value);
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

/** Counts duration, response size and requests in progress of HTTP requests, in the registry of this process. */
export class RequestMetrics {
  readonly registry = new Registry();
  private readonly durations: Histogram;
  private readonly sizes: Histogram;
  private readonly inFlight: Gauge;

  constructor(private readonly options: RequestMetricsOptions) {
    const { prefix, durationBuckets, sizeBuckets, inFlightLabels } = options;
    const shared = { registers: [this.registry], labelNames: ['service', 'handler', 'method', 'code'] };
    this.durations = new Histogram({
      ...shared,
      name: `${prefix}http_request_duration_seconds`,
      help: 'Time from the arrival of a request to the last byte of its response.',
      buckets: [...durationBuckets],
    });
    this.sizes = new Histogram({
      ...shared,
      name: `${prefix}http_response_size_bytes`,
      help: 'Bytes of a response.',
      buckets: [...sizeBuckets],
    });
    this.inFlight = new Gauge({
      ...shared,
      name: `${prefix}http_requests_inflight`,
      help: 'Number of requests in progress.',
      labelNames: ['service', ...inFlightLabels],
    });
  }

  /** Counts every request of the server from its arrival until its response has ended or its client has disconnected. */
  countRequests(server: Pick<FastifyInstance, 'addHook'>): void {
    server.addHook('onRequest', (request, reply, done) => {
      const kind = this.options.kindOf(request.routeOptions.url, request.method);
      if (!kind) return done();
      const { socket } = request.raw;
      const [startedMs, bytesBefore] = [performance.now(), socket.bytesWritten];
      this.started(kind);
      reply.raw.once('close', () =>
        this.ended(kind, {
          code: reply.raw.statusCode,
          seconds: (performance.now() - startedMs) / MS_PER_SECOND,
          bytes: Math.max(0, socket.bytesWritten - bytesBefore),
        }),
      );
      done();
    });
  }

  started(kind: RequestKind): void {
    this.inFlight.inc(this.inFlightLabelsOf(kind));
  }

  ended(
    kind: RequestKind,
    response: { readonly code: number; readonly seconds: number; readonly bytes: number },
  ): void {
    this.inFlight.dec(this.inFlightLabelsOf(kind));
    const labels = { service: this.options.service, ...kind, code: response.code };
    this.durations.observe(labels, response.seconds);
    this.sizes.observe(labels, response.bytes);
  }

  private inFlightLabelsOf(kind: RequestKind): Record<string, string> {
    const { service, inFlightLabels } = this.options;
    return { service, ...Object.fromEntries(inFlightLabels.map((label) => [label, kind[label]])) };
  }
}
