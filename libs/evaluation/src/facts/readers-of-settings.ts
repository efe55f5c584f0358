import isEqual from 'fast-deep-equal';
import type { ClusterSettingsFacts } from '@muster/validation-rules';

/** Settings that no host rule reads: a change of these alone leaves every host's verdict as it is. */
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
