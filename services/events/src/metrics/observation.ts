import type { MetricName } from '@muster/assisted-api';

/** One thing that was seen: counted by a counter, taken into a histogram by its value. */
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
