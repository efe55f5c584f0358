import { Counter, Histogram, type Registry } from 'prom-client';

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
  /** The current values by their labels, written as Prometheus writes them: `role="master",result="Done"`. */
  readonly series: () => Promise<Iterable<readonly [labels: string, value: number | StoredHistogram]>>;
}

/** A metric whose values are read from `series` each time the registry is rendered; it keeps none of its own. */
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

/** prom-client has no way to set the buckets of a histogram, but renders what this method returns. */
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

/** Labels from the text of a series, with escapes undone. */
function parseLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [
      label,
      value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    ]),
  );
}
