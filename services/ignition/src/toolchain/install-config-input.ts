import type { InstallConfigInput } from '@muster/ignition-config';
import type { InstallHost, InstallOrder } from './toolchain.port';

/** Of an order, or of a cluster that nobody installs yet. */
export type InstallConfigOrder = Pick<InstallOrder, 'settings' | 'pullSecret' | 'additionalTrustBundle'> & {
  readonly hosts: readonly Pick<InstallHost, 'role' | 'installationDisk'>[];
};

/** What the document needs of an order. */
export function installConfigOf({
  settings,
  hosts,
  pullSecret,
  additionalTrustBundle,
}: InstallConfigOrder): InstallConfigInput {
  const count = (role: InstallHost['role']): number => hosts.filter((host) => host.role === role).length;
  const { proxy } = settings;
  return {
    name: settings.name ?? '',
    baseDomain: settings.baseDnsDomain ?? '',
    controlPlaneCount: settings.controlPlaneCount ?? count('master'),
    workerCount: count('worker'),
    arbiterCount: count('arbiter'),
    cpuArchitecture: settings.cpuArchitecture === 'multi' ? '' : (settings.cpuArchitecture ?? ''),
    hyperthreading: settings.hyperthreading ?? '',
    networkType: settings.networkType ?? '',
    clusterNetworks: settings.clusterNetworks?.items ?? [],
    serviceNetworks: settings.serviceNetworks?.items ?? [],
    machineNetworks: settings.machineNetworks?.items ?? [],
    apiVips: settings.apiVips?.items ?? [],
    ingressVips: settings.ingressVips?.items ?? [],
    platformType: settings.userManagedNetworking ? 'none' : (settings.platformType ?? ''),
    proxy: {
      httpProxy: proxy?.httpProxy ?? '',
      httpsProxy: proxy?.httpsProxy ?? '',
      noProxy: proxy?.noProxy ?? '',
    },
    pullSecret,
    sshPublicKey: settings.sshPublicKey ?? '',
    additionalTrustBundle,
    installationDisk: hosts[0]?.installationDisk ?? '',
  };
}
