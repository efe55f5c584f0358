import type { EventData } from '@muster/contracts';
import { changesOverrides } from '../views/override-view';
import type { ClusterSubject, LogEntry } from './log-entry';

/** An override of validations, with its user and reason. */
export function overrideLog(
  { changes }: EventData<'ClusterSettingsRevised'>,
  { cluster }: Pick<ClusterSubject, 'cluster'>,
): readonly LogEntry[] {
  const record = changesOverrides(changes) ? cluster._overrides?.at(-1) : undefined;
  if (!record) return [];
  const { actor, reason, host_validation_ids: ofHosts, cluster_validation_ids: ofCluster } = record;
  const user = actor || 'An unknown user';
  const props = {
    actor,
    reason,
    host_validation_ids: [...ofHosts],
    cluster_validation_ids: [...ofCluster],
    unsupported_by_override: ofHosts.length + ofCluster.length > 0,
  };
  const because = reason ? ` Reason: ${reason}` : '';
  if (!props.unsupported_by_override)
    return [
      {
        name: 'validation_overrides_removed',
        severity: 'info',
        message: `${user} removed all validation overrides of cluster ${cluster.name}.${because}`,
        props,
      },
    ];
  const parts = [
    ...(ofHosts.length > 0 ? [`host validations: ${ofHosts.join(', ')}`] : []),
    ...(ofCluster.length > 0 ? [`cluster validations: ${ofCluster.join(', ')}`] : []),
  ];
  return [
    {
      name: 'validation_overrides_set',
      severity: 'warning',
      message: `${user} overrides validations of cluster ${cluster.name} (${parts.join('; ')}). The cluster is unsupported.${because}`,
      props,
    },
  ];
}
