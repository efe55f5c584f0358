import type { HistogramFigures } from '@muster/assisted-api';

/** Histograms of one name, by their labels as Prometheus writes them. Labels have to come from closed lists. */
export class HistogramFamily {
  readonly series = new Map<string, HistogramFigures>();

  constructor(readonly bounds: readonly number[]) {}

  observe(labels: string, value: number): void {
    const known = this.series.get(labels);
    this.series.set(labels, {
      buckets: this.bounds.map((bound, index) => (known?.buckets[index] ?? 0) + (value <= bound ? 1 : 0)),
      sum: (known?.sum ?? 0) + value,
      count: (known?.count ?? 0) + 1,
    });
  }
}
