import { sshKeysIn } from '../config/ignition-config';
import { isTrue } from '../documents/values';
import { CLUSTER_MANIFESTS } from './cluster-manifests.table';
import {
  type ClusterManifestsInput,
  type InstallConfigView,
  manifest,
  type ManifestFile,
  viewOf,
} from './manifests-input';

const SPEC_VERSION = '3.2.0';

/**
 * Returns the machine configs that follow from the install-config for every node of a role: SSH keys, kernel arguments,
 * FIPS.
 */
export function machineConfigs(config: InstallConfigView): readonly ManifestFile[] {
  const pools = [config.controlPlane, ...config.compute, ...(config.arbiter ? [config.arbiter] : [])];
  return pools.flatMap(({ name: role, hyperthreading }) => [
    machineConfig(role, 'ssh', {
      config: {
        ignition: { version: SPEC_VERSION },
        ...(config.sshKey && { passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKeysIn(config.sshKey) }] } }),
      },
    }),
    ...(hyperthreading === 'Disabled'
      ? [
          machineConfig(role, 'disable-hyperthreading', {
            config: { ignition: { version: SPEC_VERSION } },
            kernelArguments: ['nosmt', 'smt-enabled=off'],
          }),
        ]
      : []),
    ...(isTrue(config.fips)
      ? [machineConfig(role, 'fips', { config: { ignition: { version: SPEC_VERSION } }, fips: true })]
      : []),
  ]);
}

const machineConfig = (role: string, what: string, spec: object): ManifestFile =>
  manifest('openshift', `99_openshift-machineconfig_99-${role}-${what}.yaml`, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${role}-${what}`, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec,
  });

/** Returns the generated manifests of a cluster, without those of users and operators. Contains secrets. */
export function clusterManifests(input: ClusterManifestsInput): readonly ManifestFile[] {
  const config = viewOf(input.installConfig);
  const described = CLUSTER_MANIFESTS.flatMap(({ folder, fileName, object }) => {
    const made = object(input, config);
    return made ? [manifest(folder, fileName, made)] : [];
  });
  return [...described, ...userData(input), ...machineConfigs(config)];
}

/** The pointer config of a role, for machines that the cluster adds later. */
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
