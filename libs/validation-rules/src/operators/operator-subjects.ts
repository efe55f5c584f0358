import { type ClusterShape, type OperatorCluster, type OperatorHost, storedGbOf } from '@muster/operators';
import { type ClusterSettingsFacts, isSingleNode } from '../facts/cluster-settings.facts';
import { type ClusterHostFacts, effectiveRoleOf } from '../facts/cluster.facts';
import { effectiveRole, type HostFacts, type RulesPolicy } from '../facts/host.facts';
import { parseVersion } from '@muster/feature-support';

/** The facts of a cluster that operator plug-ins read. */
export const operatorCluster = (
  settings: ClusterSettingsFacts,
  shape: ClusterShape,
  policy: Pick<RulesPolicy, 'operatorSettings'>,
): OperatorCluster => ({
  release: parseVersion(settings.openshiftVersion),
  cpuArchitecture: settings.cpuArchitecture,
  isSingleNode: isSingleNode(settings),
  hasSchedulableMasters: settings.schedulableMasters,
  operators: settings.operators,
  minStorageGb: storedGbOf(settings.operators, { isSingleNode: isSingleNode(settings) }),
  shape,
  settings: policy.operatorSettings,
});

/** The facts of a host that operator plug-ins read. */
export const operatorHost = ({
  role,
  suggestedRole,
  hardware,
  installationDiskId,
}: Pick<HostFacts, 'role' | 'suggestedRole' | 'hardware' | 'installationDiskId'>): OperatorHost => ({
  role,
  effectiveRole: effectiveRole(role, suggestedRole),
  hardware,
  installationDiskId,
});

export const operatorHostOfCluster = (host: ClusterHostFacts): OperatorHost => ({
  role: host.role,
  effectiveRole: effectiveRoleOf(host),
  hardware: host.hardware,
  installationDiskId: host.installationDiskId,
});
