import type { ClusterState } from '@muster/domain';
import { operatorManifests, type OperatorManifests, type OperatorSettings, shapeOf } from '@muster/operators';
import { operatorCluster, operatorHost, toClusterSettingsFacts } from '@muster/validation-rules';
import type { HostEntry } from '../view/install-view';

/** Returns the manifests of the selected operators for the hosts of the cluster. */
export function operatorManifestsOf(
  state: ClusterState,
  entries: readonly HostEntry[],
  operatorSettings: OperatorSettings,
): OperatorManifests {
  const hosts = entries.map(({ state: { role, suggestedRole, installationDisk }, hardware }) =>
    operatorHost({ role, suggestedRole, hardware, installationDiskId: installationDisk.id }),
  );
  return operatorManifests(hosts, operatorCluster(toClusterSettingsFacts(state), shapeOf(hosts), { operatorSettings }));
}

/**
 * Returns the JSON for the controller: what to apply once the operators run, with one entry per operator. The controller
 * of assisted-service v2 applies an entry only when its name is the name of an operator.
 */
export function customManifestsJson({ later }: OperatorManifests): string {
  return JSON.stringify(
    later.map(({ operator, content }) => ({
      Name: operator,
      Content: Buffer.from(content).toString('base64'),
    })),
  );
}
