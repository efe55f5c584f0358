import type { EventData } from '@muster/contracts';
import { changesOverrides } from '../views/override-view';
import type { ClusterSubject, LogEntry } from './log-entry';

/** Whoever switches off what guards an installation is named, with his reason. */
export function overrideLog(
  { changes }: EventData<'ClusterSettingsRevised'>,
  { cluster }: Pick<ClusterSubject, 'cluster'>,
): readonly LogEntry[] {
  const record = changesOverrides(changes) ? cluster._overrides?.at(-1) : undefined;
  if (!record) return [];
  const { actor, reason, host_validation_ids: ofHosts, cluster_validation_ids: ofCluster } = record;
  const who = actor || 'Somebody';
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
        message: `${who} lets all validations of cluster ${cluster.name} count again.${because}`,
        props,
      },
    ];
  const parts = [
    ...(ofHosts.length > 0 ? [`of hosts: ${ofHosts.join(', ')}`] : []),
    ...(ofCluster.length > 0 ? [`of the cluster: ${ofCluster.join(', ')}`] : []),
  ];
  return [
    {
      name: 'validation_overrides_set',
      severity: 'warning',
      message: `${who} has validations of cluster ${cluster.name} ignored (${parts.join('; ')}); it is unsupported by override.${because}`,
      props,
    },
  ];
}
