import { COLLECTIONS, JOURNEY_COLLECTIONS, JOURNEYS_PROJECTION, VIEWS_PROJECTION } from '@muster/assisted-api';
import { parkedTableOf } from '@muster/event-sourcing';
import type { SavedFold, StateTable } from '@muster/ports';

const table = (name: string, fields: readonly string[] = [], indexes = fields.map((field) => [field])): StateTable => ({
  name,
  fields,
  indexes,
});

/**
 * The collections of each projection, and the fields that queries of the gateway name. Raise the version of a projection when
 * its documents change: they are then rebuilt from the events.
 */
export const READ_MODEL_FOLDS: readonly SavedFold[] = [
  {
    name: VIEWS_PROJECTION,
    version: 13,
    tables: [
      table(COLLECTIONS.clusters, ['created_at']),
      table(COLLECTIONS.deletedClusters, ['created_at']),
      table(
        COLLECTIONS.hosts,
        ['id', 'cluster_id', 'infra_env_id', 'created_at'],
        [['id'], ['cluster_id', 'created_at'], ['infra_env_id', 'created_at']],
      ),
      table(COLLECTIONS.deletedHosts, ['cluster_id', 'created_at'], [['cluster_id', 'created_at']]),
      table(COLLECTIONS.infraEnvs, ['cluster_id', 'user_name', 'created_at']),
      table(COLLECTIONS.metrics),
      table(COLLECTIONS.eventCounts),
      table(COLLECTIONS.droppedLogs),
      table(
        COLLECTIONS.events,
        ['cluster_id', 'host_id', 'infra_env_id', 'category', 'severity'],
        [['cluster_id'], ['host_id'], ['infra_env_id'], []].map((subject) => [...subject, 'category', 'severity']),
      ),
      parkedTableOf(VIEWS_PROJECTION),
    ],
  },
  {
    name: JOURNEYS_PROJECTION,
    version: 8,
    tables: [
      table(JOURNEY_COLLECTIONS.clusters, ['day', 'openshift_version', 'platform', 'topology'], [['day']]),
      table(JOURNEY_COLLECTIONS.hosts, ['cluster_id']),
      table(JOURNEY_COLLECTIONS.infraEnvs),
      parkedTableOf(JOURNEYS_PROJECTION),
    ],
  },
];
