import type { ClusterSettings, Plain } from '@muster/contracts';
import { withDependencies } from '@muster/operators';
import type { ClusterSettingsFacts } from './cluster-settings.facts';

/** Number of control plane hosts of a cluster that does not say it. */
export const DEFAULT_CONTROL_PLANE_COUNT = 3;

/** Returns the number of control plane hosts that the settings ask for. */
export const controlPlaneCountOf = (settings: Pick<Plain<ClusterSettings>, 'controlPlaneCount'> | undefined): number =>
  settings?.controlPlaneCount ?? DEFAULT_CONTROL_PLANE_COUNT;

export interface RegisteredCluster {
  readonly kind: string;
  readonly imported: boolean;
  readonly pullSecretSet: boolean;
  readonly settings: Plain<ClusterSettings>;
}

/** Returns the facts that rules read of a cluster. Its manifests have a stream of their own. */
export function toClusterSettingsFacts(
  { kind, imported, pullSecretSet, settings }: RegisteredCluster,
  { hasCustomManifest = false } = {},
): ClusterSettingsFacts {
  const details = settings.platformDetails as { external?: { platform_name?: unknown } } | undefined;
  const externalPlatform = details?.external?.platform_name;
  return {
    kind,
    imported,
    pullSecretSet,
    name: settings.name ?? '',
    baseDnsDomain: settings.baseDnsDomain ?? '',
    openshiftVersion: settings.openshiftVersion ?? '',
    cpuArchitecture: settings.cpuArchitecture ?? '',
    controlPlaneCount: controlPlaneCountOf(settings),
    clusterNetworks: settings.clusterNetworks?.items ?? [],
    serviceNetworks: settings.serviceNetworks?.items ?? [],
    machineNetworks: settings.machineNetworks?.items ?? [],
    apiVips: settings.apiVips?.items ?? [],
    ingressVips: settings.ingressVips?.items ?? [],
    vipDhcpAllocation: settings.vipDhcpAllocation ?? false,
    diskEncryption: {
      enableOn: textOf(settings.diskEncryption, 'enable_on'),
      mode: textOf(settings.diskEncryption, 'mode'),
    },
    userManagedNetworking: settings.userManagedNetworking ?? false,
    networkType: settings.networkType ?? '',
    platformType: settings.platformType ?? '',
    externalPlatformName: typeof externalPlatform === 'string' ? externalPlatform : '',
    loadBalancerType: settings.loadBalancerType ?? 'cluster-managed',
    schedulableMasters: settings.schedulableMasters ?? false,
    operators: withDependencies(
      (settings.olmOperators?.items ?? []).map(({ name }) => name),
      { isSingleNode: settings.controlPlaneCount === 1 },
    ),
    hasCustomManifest,
    ignoredHostRules: settings.ignoredHostValidations?.items ?? [],
    ignoredClusterRules: settings.ignoredClusterValidations?.items ?? [],
  };
}

function textOf(document: { readonly [member: string]: unknown } | undefined, member: string): string {
  const value = document?.[member];
  return typeof value === 'string' ? value : '';
}
