import { type HistogramFigures, type MetricDocument, type MetricRow, SERVICE_METRICS } from '@muster/assisted-api';
import type { Observation } from './observation';

/** Series of one metric; what would be one more is not counted. Only images of ever new repositories get anywhere near it. */
export const SERIES_MAX = 500;
const LABEL_MAX_CHARACTERS = 256;

/** The figures with one more observation in them. */
export function withObservation(
  document: MetricDocument | undefined,
  { metric, labels, value = 1 }: Observation,
  position: number,
): MetricDocument {
  const row: MetricRow = SERVICE_METRICS[metric];
  const series = document?.series ?? {};
  const name = row.labels.map((label, index) => `${label}="${escaped(labels[index] ?? '')}"`).join(',');
  const known = Object.hasOwn(series, name) ? series[name] : undefined;
  if (known === undefined && Object.keys(series).length >= SERIES_MAX) return { _position: position, series };
  const figures = row.buckets
    ? observed(typeof known === 'object' ? known : undefined, row.buckets, value)
    : (typeof known === 'number' ? known : 0) + value;
  return { _position: position, series: { ...series, [name]: figures } };
}

function observed(known: HistogramFigures | undefined, bounds: readonly number[], value: number): HistogramFigures {
  return {
    buckets: bounds.map((bound, index) => (known?.buckets[index] ?? 0) + (value <= bound ? 1 : 0)),
    sum: (known?.sum ?? 0) + value,
    count: (known?.count ?? 0) + 1,
  };
}

const escaped = (text: string): string =>
  text
    .slice(0, LABEL_MAX_CHARACTERS)
    .replace(/["\\\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
