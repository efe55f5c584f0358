import {
  COLLECTIONS,
  JOURNEYS_PROJECTION,
  METRIC_PREFIX,
  type MetricDocument,
  type MetricRow,
  SERVICE_METRICS,
  VIEWS_PROJECTION,
} from '@muster/assisted-api';
import { parkedStreamsOf } from '@muster/event-sourcing';
import { createStoredMetric, READ_MODELS, RequestMetrics } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { AnswersPlainText } from '../api-document/answers.decorator';
import { AcceptsAnyone } from '../auth/caller';
import { isUnreadable } from '../views/documents';

/** Request metrics under the names and with the buckets of assisted-service v2. Requests without a route share one series. */
export const createGatewayMetrics = (): RequestMetrics =>
  new RequestMetrics({
    prefix: '',
    service: 'assisted-installer',
    durationBuckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    sizeBuckets: [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
    inFlightLabels: ['handler', 'method'],
    kindOf: (route, method) =>
      route ? { handler: route.replace(/:(\w+)/g, '{$1}'), method } : { handler: '', method: '' },
  });

const PROJECTIONS: readonly string[] = [VIEWS_PROJECTION, JOURNEYS_PROJECTION];

type Series = MetricDocument['series'];

/** Returns no series while the documents cannot be read. The request metrics show the failed requests meanwhile. */
const whileReadable = <Entry>(read: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> =>
  read().catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
    return [];
  });

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
        series: () => whileReadable(async () => Object.entries(await this.seriesOf(name, row))),
      });
    createStoredMetric(requests.registry, {
      name: 'muster_parked_streams',
      help: 'Streams whose documents are not updated, because one of their events cannot be projected.',
      type: 'gauge',
      labelNames: ['projection'],
      series: () => whileReadable(() => Promise.all(PROJECTIONS.map((projection) => this.parkedIn(projection)))),
    });
  }

  /** No authentication is required: the response contains only numbers and labels from closed lists. */
  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @AnswersPlainText('Get metrics of installations and requests in the Prometheus text format.')
  @AcceptsAnyone()
  renderMetrics(): Promise<string> {
    return this.requests.registry.metrics();
  }

  private async parkedIn(projection: string): Promise<readonly [string, number]> {
    const count = await this.readModels.count({ collection: parkedStreamsOf(projection), where: {} });
    return [`projection="${projection}"`, count];
  }

  /** A counter without labels starts at 0, so that Prometheus records its first increment. */
  private async seriesOf(name: string, { type, labels }: MetricRow): Promise<Series> {
    const document = await this.readModels.get(COLLECTIONS.metrics, name);
    const series = document?.series ?? {};
    return Object.keys(series).length === 0 && type === 'counter' && labels.length === 0 ? { '': 0 } : series;
  }
}
