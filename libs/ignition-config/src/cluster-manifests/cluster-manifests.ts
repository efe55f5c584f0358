import { CLUSTER_MANIFESTS } from './cluster-manifests.table';
import { machineConfigs } from './machine-configs';
import { manifest, type ManifestFile } from './manifest-file';
import { type ClusterManifestsInput, viewOf } from './manifests-input';

/** Returns the generated manifests of a cluster, without those of users and operators. Contains secrets. */
export function clusterManifests(input: ClusterManifestsInput): readonly ManifestFile[] {
  const config = viewOf(input.installConfig);
  const described = CLUSTER_MANIFESTS.flatMap(({ folder, fileName, object }) => {
    const made = object(input, config);
    return made ? [manifest(folder, fileName, made)] : [];
  });
  return [...described, ...userData(input), ...machineConfigs(config)];
}

/** Machines that the cluster itself adds later start with the pointer of their role. */
const userData = ({ pointers }: ClusterManifestsInput): readonly ManifestFile[] =>
  [...pointers].map(([role, pointer]) =>
    manifest('openshift', `99_openshift-cluster-api_${role}-user-data-secret.yaml`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${role}-user-data`, namespace: 'openshift-machine-api' },
      type: 'Opaque',
      stringData: { disableTemplating: 'true', userData: pointer },
    }),
  );
