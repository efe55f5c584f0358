import { Injectable } from '@nestjs/common';
import { HistogramFamily } from './histogram-family';
import type { Family } from './prometheus-text';

/** Seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Bytes. */
const SIZE_BUCKETS = [1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const SERVICE = 'service="assisted-installer"';

/** What a request was for, never its address: that one may hold a token. Both empty when nothing is served there. */
export interface RequestKind {
  /** The route's pattern with its placeholders. */
  readonly handler: string;
  readonly method: string;
}

/** Requests, under the names that dashboards of today's service have. */
@Injectable()
export class HttpMetrics {
  private readonly durations = new HistogramFamily(DURATION_BUCKETS);
  private readonly sizes = new HistogramFamily(SIZE_BUCKETS);
  private readonly inFlight = new Map<string, number>();

  /** Call with 1 when a request comes and with -1 when its answer has ended, however it ended. */
  running({ handler, method }: RequestKind, change: 1 | -1): void {
    const labels = `${SERVICE},handler="${handler}",method="${method}"`;
    this.inFlight.set(labels, (this.inFlight.get(labels) ?? 0) + change);
  }

  answered({ handler, method }: RequestKind, code: number, seconds: number, bytes: number): void {
    const labels = `${SERVICE},handler="${handler}",method="${method}",code="${code}"`;
    this.durations.observe(labels, seconds);
    this.sizes.observe(labels, bytes);
  }

  families(): readonly Family[] {
    return [
      {
        name: 'http_request_duration_seconds',
        type: 'histogram',
        help: 'How long requests took, to the last byte.',
        buckets: DURATION_BUCKETS,
        series: this.durations.series,
      },
      {
        name: 'http_response_size_bytes',
        type: 'histogram',
        help: 'How much was sent.',
        buckets: SIZE_BUCKETS,
        series: this.sizes.series,
      },
      {
        name: 'http_requests_inflight',
        type: 'gauge',
        help: 'Requests that are being answered.',
        series: this.inFlight,
      },
    ];
  }
}
