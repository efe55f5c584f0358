import { composeInstallConfig, type InstallConfig, type InstallConfigInput } from '@muster/ignition-config';
import { textAt } from '@muster/schema';
import { ArtifactsRefused, type InstallHost, type InstallRequest } from './toolchain.port';

/** Input from an install request, or from a cluster before its installation. */
export type InstallConfigRequest = Pick<
  InstallRequest,
  | 'settings'
  | 'installConfigOverrides'
  | 'machineNetworks'
  | 'ntpServers'
  | 'mirrors'
  | 'pullSecret'
  | 'additionalTrustBundle'
> & {
  readonly hosts: readonly Pick<
    InstallHost,
    'role' | 'hostname' | 'installationDisk' | 'bootMacAddress' | 'isLegacyBoot' | 'fencing'
  >[];
};

/** Returns the part of the request that the install-config depends on. */
export function installConfigOf({
  settings,
  installConfigOverrides,
  machineNetworks,
  ntpServers,
  mirrors,
  hosts,
  pullSecret,
  additionalTrustBundle,
}: InstallConfigRequest): InstallConfigInput {
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
    machineNetworks,
    apiVips: settings.apiVips?.items ?? [],
    ingressVips: settings.ingressVips?.items ?? [],
    openshiftVersion: settings.openshiftVersion ?? '',
    platform: {
      type: settings.platformType ?? '',
      isUserManagedNetworking: settings.userManagedNetworking ?? false,
      isUserManagedLoadBalancer: settings.loadBalancerType === 'user-managed',
      ...externalPlatform(settings.platformDetails),
    },
    hosts,
    ntpServers,
    mirrors,
    overrides: installConfigOverrides,
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

/** `platform.external` of the v2 API. */
const externalPlatform = (details: object | undefined): { externalName: string; cloudControllerManager: string } => ({
  externalName: textAt(details, 'external', 'platform_name') ?? '',
  cloudControllerManager: textAt(details, 'external', 'cloud_controller_manager') ?? '',
});

/**
 * Returns the install-config with the overrides of the cluster.
 * @throws ArtifactsRefused with all errors in it
 */
export function composedInstallConfig(order: InstallRequest): InstallConfig {
  const composed = composeInstallConfig(installConfigOf(order));
  if (composed.kind === 'refused') throw new ArtifactsRefused(composed.reason);
  if (composed.problems.length > 0) throw new ArtifactsRefused(composed.problems.join(' '));
  return composed.config;
}
