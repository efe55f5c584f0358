import { Controller, Get, Header, Inject } from '@nestjs/common';
import { COLLECTIONS, METRIC_PREFIX, type MetricDocument, type MetricRow, SERVICE_METRICS } from '@muster/assisted-api';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import { AnswersPlainText } from '../api-document/answers.decorator';
import { AcceptsAnyone } from '../auth/accepts.decorator';
import { HttpMetrics } from './http-metrics';
import { type Family, toPrometheusText } from './prometheus-text';

/** Nothing has happened yet: a counter that nobody ever saw at 0 hides its first step. */
const NOTHING_COUNTED: readonly (readonly [string, number])[] = [['', 0]];

@Controller('metrics')
export class MetricsController {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly http: HttpMetrics,
  ) {}

  /** Open, as in the field: numbers and names from closed lists, nothing of anybody. */
  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @AnswersPlainText('Gives figures about installations and requests in the text format of Prometheus.')
  @AcceptsAnyone()
  async renderMetrics(): Promise<string> {
    return toPrometheusText([...(await this.ofInstallations()), ...this.http.families()]);
  }

  private async ofInstallations(): Promise<readonly Family[]> {
    const found = await this.readModels.find({ collection: COLLECTIONS.metrics, where: {} });
    const documents = new Map(found.map(({ key, document }) => [key, document as unknown as MetricDocument]));
    return Object.entries<MetricRow>(SERVICE_METRICS).map(([name, { type, help, labels, buckets }]) => {
      const series = Object.entries(documents.get(name)?.series ?? {});
      const isUncounted = series.length === 0 && type === 'counter' && labels.length === 0;
      return { name: METRIC_PREFIX + name, type, help, buckets, series: isUncounted ? NOTHING_COUNTED : series };
    });
  }
}
