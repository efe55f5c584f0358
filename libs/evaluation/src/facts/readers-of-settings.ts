import isEqual from 'fast-deep-equal';
import type { ClusterSettingsFacts } from '@muster/validation-rules';

/** Settings that no host rule reads: a change of these settings changes no outcome of a host. */
const READ_BY_CLUSTERS_ONLY: ReadonlySet<string> = new Set<keyof ClusterSettingsFacts>([
  'apiVips',
  'ingressVips',
  'vipDhcpAllocation',
  'networkType',
  'pullSecretSet',
  'hasCustomManifest',
  'ignoredClusterRules',
]);

export function isSameToHosts(before: ClusterSettingsFacts, after: ClusterSettingsFacts): boolean {
  const read = (facts: ClusterSettingsFacts): readonly unknown[] =>
    Object.entries(facts).filter(([name]) => !READ_BY_CLUSTERS_ONLY.has(name));
  return isEqual(read(before), read(after));
}
