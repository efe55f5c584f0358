/** Seconds; downloads take minutes. */
const DURATION_BUCKETS = [0.1, 1, 10, 50, 100, 300, 600] as const;
/** Bytes. */
const SIZE_BUCKETS = [100, 1e6, 5e8, 1e9, 1e10] as const;
const PREFIX = 'assisted_image_service_http';

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

export interface AnsweredRequest {
  /** The kind of address, never the address itself: that one may hold a token. */
  readonly handler: string;
  readonly method: string;
  readonly code: number;
  readonly seconds: number;
  readonly bytes: number;
}

/** Counts requests under the names that dashboards of image services have. Labels come from closed lists only. */
export class HttpMetrics {
  private readonly durations = new Map<string, Histogram>();
  private readonly sizes = new Map<string, Histogram>();
  private readonly inFlight = new Map<string, number>();

  /** Call with 1 when a request comes and with -1 when its answer has ended, however it ended. */
  running(handler: string, change: 1 | -1): void {
    this.inFlight.set(handler, (this.inFlight.get(handler) ?? 0) + change);
  }

  answered({ handler, method, code, seconds, bytes }: AnsweredRequest): void {
    const labels = `code="${code}",handler="${handler}",method="${method}",service=""`;
    observe(this.durations, labels, DURATION_BUCKETS, seconds);
    observe(this.sizes, labels, SIZE_BUCKETS, bytes);
  }

  /** The text format of Prometheus. */
  render(): string {
    const inFlight = [...this.inFlight].map(
      ([handler, count]) => `${PREFIX}_requests_inflight{handler="${handler}",service=""} ${count}`,
    );
    return [
      `# HELP ${PREFIX}_request_duration_seconds How long requests took, to the last byte.`,
      `# TYPE ${PREFIX}_request_duration_seconds histogram`,
      ...lines(`${PREFIX}_request_duration_seconds`, this.durations, DURATION_BUCKETS),
      `# HELP ${PREFIX}_response_size_bytes How much was sent.`,
      `# TYPE ${PREFIX}_response_size_bytes histogram`,
      ...lines(`${PREFIX}_response_size_bytes`, this.sizes, SIZE_BUCKETS),
      `# HELP ${PREFIX}_requests_inflight Requests that are being answered.`,
      `# TYPE ${PREFIX}_requests_inflight gauge`,
      ...inFlight,
      '',
    ].join('\n');
  }
}

function observe(all: Map<string, Histogram>, labels: string, bounds: readonly number[], value: number): void {
  const histogram = all.get(labels) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
  all.set(labels, histogram);
  bounds.forEach((bound, index) => {
    if (value <= bound) histogram.buckets[index] = (histogram.buckets[index] ?? 0) + 1;
  });
  histogram.sum += value;
  histogram.count += 1;
}

function lines(name: string, all: ReadonlyMap<string, Histogram>, bounds: readonly number[]): string[] {
  return [...all].flatMap(([labels, { buckets, sum, count }]) => [
    ...bounds.map((bound, index) => `${name}_bucket{${labels},le="${bound}"} ${buckets[index] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ]);
}
