import { manifest, type ManifestFile } from './manifest-file';
import type { InstallConfigView } from './manifests-input';

const SPEC_VERSION = '3.2.0';

/** What every node of a role gets because of the install-config: keys, kernel arguments, FIPS. */
export function machineConfigs(config: InstallConfigView): readonly ManifestFile[] {
  const pools = [config.controlPlane, ...config.compute, ...(config.arbiter ? [config.arbiter] : [])];
  return pools.flatMap(({ name: role, hyperthreading }) => [
    machineConfig(role, 'ssh', {
      config: {
        ignition: { version: SPEC_VERSION },
        ...(config.sshKey && { passwd: { users: [{ name: 'core', sshAuthorizedKeys: linesOf(config.sshKey) }] } }),
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
    ...(config.fips
      ? [machineConfig(role, 'fips', { config: { ignition: { version: SPEC_VERSION } }, fips: true })]
      : []),
  ]);
}

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

const machineConfig = (role: string, what: string, spec: object): ManifestFile =>
  manifest('openshift', `99_openshift-machineconfig_99-${role}-${what}.yaml`, {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${role}-${what}`, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec,
  });
