import type { ClusterSettings, Plain } from '@muster/contracts';
import { checkFeatures } from '@muster/feature-support';
import { withDependencies } from '@muster/operators';
import { keptByObject, textAt } from '@muster/schema';

export interface ClusterNetworkFacts {
  readonly cidr: string;
  readonly hostPrefix: number;
}

/** The settings of a cluster that rules read. */
export interface ClusterSettingsFacts {
  /** Cluster, or AddHostsCluster (day 2). */
  readonly kind: string;
  readonly imported: boolean;
  readonly name: string;
  readonly baseDnsDomain: string;
  readonly openshiftVersion: string;
  /** The architecture of all hosts. multi: hosts may have different ones. Empty: not selected. */
  readonly cpuArchitecture: string;
  readonly controlPlaneCount: number;
  readonly clusterNetworks: readonly ClusterNetworkFacts[];
  readonly serviceNetworks: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly vipDhcpAllocation: boolean;
  readonly userManagedNetworking: boolean;
  /** Empty when not set. */
  readonly networkType: string;
  /** The network type that is installed: that of the install-config overrides if they contain one. */
  readonly effectiveNetworkType: string;
  /** baremetal, none, vsphere, nutanix, external. Empty when not set. */
  readonly platformType: string;
  /** Name of the external platform, such as oci. Set for platform external only. */
  readonly externalPlatformName: string;
  /** cluster-managed or user-managed. */
  readonly loadBalancerType: string;
  readonly pullSecretSet: boolean;
  readonly diskEncryption: {
    /** none, all, or a comma-separated list of masters, arbiters, workers. Empty when not set. */
    readonly enableOn: string;
    /** tpmv2 or tang. */
    readonly mode: string;
  };
  /** A user has allowed workloads on the control plane. */
  readonly schedulableMasters: boolean;
  /** Names of the selected operators and of those that they depend on. */
  readonly operators: readonly string[];
  readonly hasCustomManifest: boolean;
  readonly ignoredHostRules: readonly string[];
  readonly ignoredClusterRules: readonly string[];
}

/** The settings that rules read for an unbound host. These rules do not apply to it or are excused. */
export const NO_CLUSTER: ClusterSettingsFacts = {
  kind: 'Cluster',
  imported: false,
  name: '',
  baseDnsDomain: '',
  openshiftVersion: '',
  cpuArchitecture: '',
  controlPlaneCount: 0,
  clusterNetworks: [],
  serviceNetworks: [],
  machineNetworks: [],
  apiVips: [],
  ingressVips: [],
  vipDhcpAllocation: false,
  userManagedNetworking: false,
  networkType: '',
  effectiveNetworkType: '',
  platformType: '',
  externalPlatformName: '',
  loadBalancerType: 'cluster-managed',
  pullSecretSet: false,
  diskEncryption: { enableOn: '', mode: '' },
  schedulableMasters: false,
  operators: [],
  hasCustomManifest: false,
  ignoredHostRules: [],
  ignoredClusterRules: [],
};

export const isSingleNode = (cluster: ClusterSettingsFacts): boolean => cluster.controlPlaneCount === 1;
export const isDay2Cluster = (cluster: ClusterSettingsFacts): boolean => cluster.kind === 'AddHostsCluster';
export const isLoadBalancerUserManaged = (cluster: ClusterSettingsFacts): boolean =>
  cluster.loadBalancerType === 'user-managed';
/** Returns whether the hosts may be in different networks, because a user balances the load between them. */
export const isRouted = (cluster: ClusterSettingsFacts): boolean =>
  cluster.userManagedNetworking || isLoadBalancerUserManaged(cluster);
/** On a single node, user-managed networking has another meaning, because there is no load balancing. */
export const isMultiNodeUserManaged = (cluster: ClusterSettingsFacts): boolean =>
  cluster.userManagedNetworking && !isSingleNode(cluster);
/** User-managed load balancing and single nodes need no VIPs. */
export const needsVips = (cluster: ClusterSettingsFacts): boolean =>
  !cluster.userManagedNetworking && !isSingleNode(cluster);
/** Returns whether the platform can have arbiters in this version. */
export const supportsArbiters = (cluster: ClusterSettingsFacts): boolean => {
  const { platformType, externalPlatformName, openshiftVersion: version } = cluster;
  const facts = { platformType, externalPlatformName, controlPlaneHosts: [ARBITER] };
  return checkFeatures(facts, { version, architecture: '' }).length === 0;
};

const ARBITER = { role: 'arbiter', hasFencingCredentials: false } as const;

export const needsMachineNetwork = (cluster: ClusterSettingsFacts): boolean => !isMultiNodeUserManaged(cluster);

/** The number of control plane hosts of a cluster that does not set it. */
export const DEFAULT_CONTROL_PLANE_COUNT = 3;

/** Returns the number of control plane hosts in the settings. */
export const controlPlaneCountOf = (settings: Pick<Plain<ClusterSettings>, 'controlPlaneCount'> | undefined): number =>
  settings?.controlPlaneCount ?? DEFAULT_CONTROL_PLANE_COUNT;

/**
 * Returns the name of the external platform in the settings; '' when there is none. Another platform may have the details of an
 * earlier one.
 */
export const externalPlatformNameOf = ({
  platformType,
  platformDetails,
}: Pick<Plain<ClusterSettings>, 'platformType' | 'platformDetails'>): string =>
  platformType === 'external' ? (textAt(platformDetails, 'external', 'platform_name') ?? '') : '';

export interface RegisteredCluster {
  readonly kind: string;
  readonly imported: boolean;
  readonly pullSecretSet: boolean;
  readonly settings: Plain<ClusterSettings>;
}

/**
 * Returns the facts that rules read about the settings of a cluster. Its manifests have a separate stream. The facts are kept with the
 * settings, because most events of a cluster leave its settings.
 */
export const toClusterSettingsFacts = (
  { kind, imported, pullSecretSet, settings }: RegisteredCluster,
  { hasCustomManifest = false } = {},
): ClusterSettingsFacts => factsOfSettings(settings, kind, imported, pullSecretSet, hasCustomManifest);

const factsOfSettings = keptByObject(
  (
    settings: Plain<ClusterSettings>,
    kind: string,
    imported: boolean,
    pullSecretSet: boolean,
    hasCustomManifest: boolean,
  ): ClusterSettingsFacts => ({
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
      enableOn: textAt(settings.diskEncryption, 'enable_on') ?? '',
      mode: textAt(settings.diskEncryption, 'mode') ?? '',
    },
    userManagedNetworking: settings.userManagedNetworking ?? false,
    networkType: settings.networkType ?? '',
    effectiveNetworkType: (settings.installConfigOverrides?.networkType || settings.networkType) ?? '',
    platformType: settings.platformType ?? '',
    externalPlatformName: externalPlatformNameOf(settings),
    loadBalancerType: settings.loadBalancerType ?? 'cluster-managed',
    schedulableMasters: settings.schedulableMasters ?? false,
    operators: withDependencies(
      (settings.olmOperators?.items ?? []).map(({ name }) => name),
      { isSingleNode: settings.controlPlaneCount === 1 },
    ),
    hasCustomManifest,
    ignoredHostRules: settings.ignoredHostValidations?.items ?? [],
    ignoredClusterRules: settings.ignoredClusterValidations?.items ?? [],
  }),
);
