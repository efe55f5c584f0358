import type { HistogramFigures } from '@muster/assisted-api';

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** By labels as Prometheus writes them; empty text for none. */
  readonly series: Iterable<readonly [labels: string, value: number | HistogramFigures]>;
}

/** The text format of Prometheus, version 0.0.4. */
export const toPrometheusText = (families: readonly Family[]): string =>
  `${families.flatMap(familyLines).join('\n')}\n`;

function familyLines({ name, type, help, buckets = [], series }: Family): readonly string[] {
  const lines = [...series].flatMap(([labels, value]) =>
    typeof value === 'number' ? [sample(name, labels, value)] : histogramLines(name, labels, buckets, value),
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
}

function histogramLines(
  name: string,
  labels: string,
  bounds: readonly number[],
  { buckets, sum, count }: HistogramFigures,
): readonly string[] {
  const bucket = (bound: string, value: number): string =>
    sample(`${name}_bucket`, [labels, `le="${bound}"`].filter(Boolean).join(','), value);
  return [
    ...bounds.map((bound, index) => bucket(String(bound), buckets[index] ?? 0)),
    bucket('+Inf', count),
    sample(`${name}_sum`, labels, sum),
    sample(`${name}_count`, labels, count),
  ];
}

const sample = (name: string, labels: string, value: number): string => `${name}${labels && `{${labels}}`} ${value}`;
