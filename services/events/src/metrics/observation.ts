import type { MetricName } from '@muster/assisted-api';

/** One observation: a counter counts it, a histogram records its value. */
export interface Observation {
  readonly metric: MetricName;
  /** In the order of the metric's labels. */
  readonly labels: readonly string[];
  /** Default: 1. */
  readonly value?: number;
}

export const seen = (metric: MetricName, labels: readonly string[] = [], value = 1): Observation => ({
  metric,
  labels,
  value,
});
