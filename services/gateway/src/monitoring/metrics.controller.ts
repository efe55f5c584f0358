import { Controller, Get, Header, Inject } from '@nestjs/common';
import { COLLECTIONS, METRIC_PREFIX, type MetricDocument, type MetricRow, SERVICE_METRICS } from '@muster/assisted-api';
import { createStoredMetric, READ_MODELS, RequestMetrics } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import { AnswersPlainText } from '../api-document/answers.decorator';
import { AcceptsAnyone } from '../auth/accepts.decorator';

type Series = MetricDocument['series'];

@Controller('metrics')
export class MetricsController {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly requests: RequestMetrics,
  ) {
    for (const [name, row] of Object.entries<MetricRow>(SERVICE_METRICS))
      createStoredMetric(requests.registry, {
        ...row,
        name: METRIC_PREFIX + name,
        labelNames: row.labels,
        series: async () => Object.entries(await this.seriesOf(name, row)),
      });
  }

  /** Needs no authentication: it returns numbers and labels from closed lists only. */
  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @AnswersPlainText('Get metrics of installations and requests in the Prometheus text format.')
  @AcceptsAnyone()
  renderMetrics(): Promise<string> {
    return this.requests.registry.metrics();
  }

  /** A counter without labels starts at 0: Prometheus does not see the first step of a series that is not there. */
  private async seriesOf(name: string, { type, labels }: MetricRow): Promise<Series> {
    const document = (await this.readModels.get(COLLECTIONS.metrics, name)) as MetricDocument | undefined;
    const series = document?.series ?? {};
    return Object.keys(series).length === 0 && type === 'counter' && labels.length === 0 ? { '': 0 } : series;
  }
}
