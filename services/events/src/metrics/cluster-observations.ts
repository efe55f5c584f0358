import type { ClusterDocument } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { INITIAL_CLUSTER_OUTCOMES } from '@muster/validation-rules';
import { failedIn, turnedToFailure } from './outcome-observations';
import { type Observation, seen } from './observation';

const MS_PER_SECOND = 1_000;
const ENDS: ReadonlySet<string> = new Set(['installed', 'error', 'cancelled']);
const BEFORE_INSTALLATION: ReadonlySet<string> = new Set(['pending-for-input', 'insufficient', 'ready']);

type Row = (data: never, before: ClusterDocument | undefined) => readonly Observation[];

/** What a fact about a cluster adds to the figures; `before`: the cluster as it was. */
export const CLUSTER_OBSERVATIONS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['ClusterRegistered', () => [seen('cluster_creations')]],
  [
    'ClusterEnteredStatus',
    ({ status, at }: EventData<'ClusterEnteredStatus'>, before): readonly Observation[] => {
      if (status === 'installing') return [seen('cluster_installation_started')];
      const seconds = (Date.parse(at) - Date.parse(before?.install_started_at ?? '')) / MS_PER_SECOND;
      const isEnd = before && ENDS.has(status) && !ENDS.has(before.status) && before._attempt > 0;
      return isEnd && seconds >= 0 ? [seen('cluster_installation_seconds', [status], seconds)] : [];
    },
  ],
  [
    'ClusterOutcomesChanged',
    ({ changed }: EventData<'ClusterOutcomesChanged'>, before) =>
      before && BEFORE_INSTALLATION.has(before.status)
        ? turnedToFailure(before._outcomes, changed, INITIAL_CLUSTER_OUTCOMES).map((id) =>
            seen('cluster_validation_failed_after_success_before_installation', [id]),
          )
        : [],
  ],
  [
    'ClusterDeregistered',
    (_data, before) =>
      failedIn(before?._outcomes ?? {}, INITIAL_CLUSTER_OUTCOMES).map((id) =>
        seen('cluster_validation_is_in_failed_status_on_cluster_deletion', [id]),
      ),
  ],
]);
