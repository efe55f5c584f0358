import { COLLECTIONS, type MetricDocument, type MetricName } from '@muster/assisted-api';
import {
  clusterRegistered,
  documentsAfter,
  onCluster,
  onClusterOutcomes,
  record,
  timeAt,
} from '../views/view-events.fixture.spec';
import { seen } from './observations';
import { withObservation } from './project-metrics';

describe('a histogram', () => {
  it('counts a value that equals a bound in the bucket of this bound, as Prometheus defines it', () => {
    const { series } = withObservation(undefined, seen('cluster_host_disk_sync_duration_ms', [], 10), 1);
    expect(series).toEqual({ '': { buckets: [0, 0, 1, 1, 1], sum: 10, count: 1 } });
  });
});

describe('a validation of a cluster that fails after a success', () => {
  const outcome = (status: string) =>
    onClusterOutcomes('ClusterOutcomesChanged', {
      changed: [{ id: 'dns-domain-defined', status, parameters: [] } as never],
    });
  const METRIC = 'cluster_validation_failed_after_success_before_installation' satisfies MetricName;

  it.each([
    ['pending-for-input', 1],
    ['insufficient', 1],
    ['ready', 1],
    ['installing', undefined],
    ['installed', undefined],
  ])('is counted in the statuses before the installation: %s', async (status, count) => {
    const entered = onCluster('ClusterEnteredStatus', { status, from: '', at: timeAt(2) });
    const documents = await documentsAfter(
      record([clusterRegistered(), outcome('success'), entered, outcome('failure')]),
    );
    const document = documents.get(`${COLLECTIONS.metrics}/${METRIC}`) as unknown as MetricDocument | undefined;
    expect(document?.series['clusterValidationType="dns-domain-defined"']).toBe(count);
  });
});
