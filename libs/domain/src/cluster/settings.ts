import { containsIp, parseCidr, parseCidrs, parseIp } from '@muster/addresses';
import type { ClusterNetwork, ClusterSettings, MonitoredOperator, Plain } from '@muster/contracts';
import { onlyPresent, selectMembers } from '@muster/schema';
import { DEFAULT_CONTROL_PLANE_COUNT, isAtLeast } from '@muster/validation-rules';
import { isSameValue } from '../text-forms';
import type { RegisterCluster, ReviseCluster } from './commands';
import { withBuiltInOperators } from './operators';
import type { ClusterKind, ClusterState } from './state';

type Settings = Plain<ClusterSettings>;

/** IPv6 defaults are shown but not applied: a cluster has IPv6 networks only when its settings contain them. */
export const DEFAULT_CLUSTER_NETWORKS = {
  ipv4: { cidr: '10.128.0.0/14', hostPrefix: 23 },
  ipv6: { cidr: 'fd01::/48', hostPrefix: 64 },
} as const satisfies Record<string, Plain<ClusterNetwork>>;
export const DEFAULT_SERVICE_NETWORKS = { ipv4: '172.30.0.0/16', ipv6: 'fd02::/112' } as const;
const OVN_IS_DEFAULT_SINCE = '4.12';
/** Architectures without platform integration. */
export const ARCHITECTURES_WITHOUT_PLATFORM = ['s390x', 'ppc64le'];
export const PLATFORMS_WITH_USER_NETWORKING = ['none', 'external'];
const PLATFORMS_WITH_ANY_NETWORKING = ['vsphere'];

/** Returns the settings with the defaults of the v2 API. Values in `given` take precedence. */
export function withClusterDefaults(
  given: Settings,
  context: Pick<RegisterCluster, 'kind' | 'imported' | 'requestedArchitecture'>,
): Settings {
  if (context.kind === 'AddHostsCluster') return withDay2Defaults(given, context.imported);
  const settings = { ...given, ...controlPlaneOf(given), cpuArchitecture: given.cpuArchitecture || 'x86_64' };
  return {
    hyperthreading: 'all',
    schedulableMasters: false,
    vipDhcpAllocation: false,
    loadBalancerType: 'cluster-managed',
    additionalNtpSource: '',
    clusterNetworks: { items: [DEFAULT_CLUSTER_NETWORKS.ipv4] },
    serviceNetworks: { items: [DEFAULT_SERVICE_NETWORKS.ipv4] },
    machineNetworks: { items: [] },
    apiVips: { items: [] },
    ingressVips: { items: [] },
    baseDnsDomain: '',
    sshPublicKey: '',
    ...settings,
    diskEncryption: { enable_on: 'none', mode: 'tpmv2', ...given.diskEncryption },
    networkType: given.networkType || defaultNetworkType(settings),
    ...platformOf(settings, context.requestedArchitecture ?? settings.cpuArchitecture),
  };
}

function withDay2Defaults(given: Settings, isImported: boolean): Settings {
  const names = importedNames(given.apiVipDnsName ?? '');
  return {
    platformType: 'baremetal',
    userManagedNetworking: false,
    ...given,
    baseDnsDomain: given.baseDnsDomain ?? '',
    ...(isImported ? names : {}),
  };
}

/** `control_plane_count` and `high_availability_mode` have the same meaning: either may be set. */
function controlPlaneOf(given: Settings): {
  readonly controlPlaneCount: number;
  readonly highAvailabilityMode: string;
} {
  const isNone = given.highAvailabilityMode === 'None';
  const controlPlaneCount = given.controlPlaneCount || (isNone ? 1 : DEFAULT_CONTROL_PLANE_COUNT);
  return {
    controlPlaneCount,
    highAvailabilityMode: given.highAvailabilityMode || (controlPlaneCount === 1 ? 'None' : 'Full'),
  };
}

function defaultNetworkType(settings: Settings): string {
  const networks = [
    ...(settings.clusterNetworks?.items ?? []).map(({ cidr }) => cidr),
    ...(settings.serviceNetworks?.items ?? []),
    ...(settings.machineNetworks?.items ?? []),
  ];
  const hasIpv6 = parseCidrs(networks).some(({ family }) => family === 6);
  const isOvn =
    settings.controlPlaneCount === 1 || hasIpv6 || isAtLeast(settings.openshiftVersion ?? '', OVN_IS_DEFAULT_SINCE);
  return isOvn ? 'OVNKubernetes' : 'OpenShiftSDN';
}

/** Platform and user-managed networking imply each other: a missing value is derived from the other. */
function platformOf(
  { controlPlaneCount, platformType, userManagedNetworking }: Settings,
  architecture: string,
): { readonly platformType: string; readonly userManagedNetworking: boolean } {
  const needsNone = controlPlaneCount === 1 || ARCHITECTURES_WITHOUT_PLATFORM.includes(architecture);
  const platform = platformType || (needsNone || userManagedNetworking ? 'none' : 'baremetal');
  return {
    platformType: platform,
    userManagedNetworking: userManagedNetworking ?? PLATFORMS_WITH_USER_NETWORKING.includes(platform),
  };
}

const API_NAME = /^api\.([^.]+)\.(.+)$/;

/**
 * Returns where day-2 hosts reach the API: the first VIP of a cluster-managed network, otherwise the DNS name of the
 * API.
 */
export function openedApiName(settings: Plain<ClusterSettings>): string {
  const [vip] = settings.apiVips?.items ?? [];
  if (vip && !settings.userManagedNetworking) return vip;
  return `api.${settings.name ?? ''}.${settings.baseDnsDomain ?? ''}`;
}

/**
 * Returns name and base domain of an imported cluster from the name of its API, or undefined when the name does not
 * contain them.
 */
export function importedNames(
  apiVipDnsName: string,
): { readonly name: string; readonly baseDnsDomain: string } | undefined {
  const match = API_NAME.exec(apiVipDnsName);
  const [, name, baseDnsDomain] = match ?? [];
  return name && baseDnsDomain ? { name, baseDnsDomain } : undefined;
}

/** These fields can be changed in every status: they affect only the console or the next preparation. */
const CHANGEABLE_AT_ANY_TIME: ReadonlySet<string> = new Set<keyof Settings>(['installConfigOverrides', 'uiSettings']);
const IGNORED_VALIDATIONS: ReadonlySet<string> = new Set<keyof Settings>([
  'ignoredHostValidations',
  'ignoredClusterValidations',
  'ignoredValidationsReason',
]);

export interface ClusterRevision {
  /** The changed fields and the values derived from them. */
  readonly changes: Settings;
  /** Undefined when the monitored operators do not change. */
  readonly operators: readonly Plain<MonitoredOperator>[] | undefined;
  readonly kind: 'none' | 'any-time' | 'ignored-validations' | 'settings';
}

/** Returns `settings` with `changes` applied: absent fields do not change, lists are replaced. */
export function mergeClusterSettings(settings: Settings, changes: Settings): Settings {
  return { ...settings, ...onlyPresent(changes) };
}

/** Returns the changes of a revision that differ from the current settings. */
export function revisionOf(
  state: ClusterState,
  command: ReviseCluster,
  monitorsClusterVersion: boolean,
): ClusterRevision {
  const changes = differing(state.settings, withConsequences(state, onlyPresent(command.changes)));
  const operators = revisedOperators(state, command, changes, monitorsClusterVersion);
  const fields = Object.keys(changes);
  const areAll = (set: ReadonlySet<string>): boolean => fields.every((field) => set.has(field));
  if (fields.length === 0 && !command.pullSecretReplaced && !operators) return { changes, operators, kind: 'none' };
  if (command.pullSecretReplaced || fields.length === 0) return { changes, operators, kind: 'settings' };
  if (areAll(CHANGEABLE_AT_ANY_TIME)) return { changes, operators, kind: 'any-time' };
  return { changes, operators, kind: areAll(IGNORED_VALIDATIONS) ? 'ignored-validations' : 'settings' };
}

/** A changed platform type is together with its details, also when these are equal to those of the type before. */
const differing = (settings: Settings, changes: Settings): Settings =>
  selectMembers(
    changes,
    (field) =>
      !isSameValue(settings[field], changes[field]) ||
      (field === 'platformDetails' && isOtherPlatform(settings, changes)),
  );

const isOtherPlatform = (before: Settings, { platformType }: Settings): boolean =>
  platformType !== undefined && platformType !== before.platformType;

/** Returns the changes with the values that they imply. */
function withConsequences(state: ClusterState, changes: Settings): Settings {
  const implied = { ...ntpConsequences(state.settings, changes), ...networkConsequences(state, changes) };
  return { ...platformConsequences(state.settings, implied), ...implied };
}

/** The details of a platform belong to its type: another type without details clears them. */
const platformConsequences = (before: Settings, changes: Settings): Settings =>
  before.platformDetails && isOtherPlatform(before, changes) ? { platformDetails: {} } : {};

/** `ntp_sources` and `additional_ntp_source` exclude each other: setting one clears the other. */
function ntpConsequences(before: Settings, { ntpSources, additionalNtpSource }: Settings): Settings {
  if (ntpSources && before.additionalNtpSource) return { additionalNtpSource: '' };
  return additionalNtpSource && before.ntpSources ? { ntpSources: '' } : {};
}

/** Platform, user-managed networking and VIPs depend on each other: a change of one clears or changes the others. */
function networkConsequences(state: ClusterState, changes: Settings): Settings {
  const userManaged = changes.userManagedNetworking ?? networkingOf(changes.platformType);
  const { platformType = 'none', controlPlaneCount } = state.settings;
  const isMultiNode = controlPlaneCount !== 1;
  const empty = { items: [] };
  if (userManaged === true && !state.settings.userManagedNetworking)
    return {
      platformType: PLATFORMS_WITH_ANY_NETWORKING.includes(platformType) ? platformType : 'none',
      ...(isMultiNode ? { apiVips: empty, ingressVips: empty, machineNetworks: empty } : {}),
      vipDhcpAllocation: false,
      ...changes,
      userManagedNetworking: true,
    };
  if (userManaged === false && state.settings.userManagedNetworking)
    return {
      platformType: PLATFORMS_WITH_USER_NETWORKING.includes(platformType) ? 'baremetal' : platformType,
      ...changes,
      userManagedNetworking: false,
    };
  // VIPs that DHCP allocated are not kept together with VIPs that a user set.
  if (
    changes.vipDhcpAllocation !== undefined &&
    changes.vipDhcpAllocation !== (state.settings.vipDhcpAllocation ?? false)
  )
    return { apiVips: empty, ingressVips: empty, machineNetworks: empty, ...changes };
  // The networks of a user-managed load balancer were set by a user, and may be more than the hosts are in.
  const isBalancedByUser = state.settings.loadBalancerType === 'user-managed';
  const isBalancedAgain = isBalancedByUser && changes.loadBalancerType === 'cluster-managed';
  const wanted = isBalancedAgain ? { machineNetworks: empty, ...changes } : changes;
  const areVipsLeft = wanted.machineNetworks && leavesLeasedVips(state.settings, wanted.machineNetworks.items);
  const vips = areVipsLeft ? { apiVips: empty, ingressVips: empty } : {};
  return { ...vips, ...wanted, ...derivedAgain(state, wanted) };
}

/** Returns whether DHCP allocated VIPs outside the first of these machine networks. There, it allocates others. */
export function leavesLeasedVips(settings: Settings, machineNetworks: readonly string[]): boolean {
  const vips = [...(settings.apiVips?.items ?? []), ...(settings.ingressVips?.items ?? [])];
  return settings.vipDhcpAllocation === true && vips.some((vip) => !isInNetwork(machineNetworks[0] ?? '', vip));
}

/** Returns whether the machine networks of a cluster with these settings are derived from its VIPs. */
export const hasDerivedNetworks = (kind: ClusterKind, settings: Settings): boolean =>
  kind === 'Cluster' &&
  !settings.userManagedNetworking &&
  !settings.vipDhcpAllocation &&
  settings.loadBalancerType !== 'user-managed';

/**
 * An empty list requests that the networks are derived again. The web console sends it with every change of the
 * networking. It changes nothing while each of the networks contains its VIP.
 */
function derivedAgain({ kind, settings }: ClusterState, changes: Settings): Settings {
  const after = mergeClusterSettings(settings, changes);
  if (changes.machineNetworks?.items.length !== 0 || !hasDerivedNetworks(kind, after)) return {};
  const areSame = (settings.machineNetworks?.items ?? []).every((network, index) =>
    [after.apiVips, after.ingressVips].some((vips) => isInNetwork(network, vips?.items[index] ?? '')),
  );
  return areSame ? { machineNetworks: settings.machineNetworks } : {};
}

function isInNetwork(network: string, address: string): boolean {
  const [cidr, ip] = [parseCidr(network), parseIp(address)];
  return cidr !== undefined && ip !== undefined && containsIp(cidr, ip);
}

/** Returns undefined when the platform permits both kinds of networking. */
function networkingOf(platformType = ''): boolean | undefined {
  if (platformType === '' || PLATFORMS_WITH_ANY_NETWORKING.includes(platformType)) return undefined;
  return PLATFORMS_WITH_USER_NETWORKING.includes(platformType);
}

/**
 * Reports of operators that stay selected are kept. After hosts have started to install, the monitored operators do not
 * change.
 */
function revisedOperators(
  state: ClusterState,
  command: ReviseCluster,
  changes: Settings,
  monitorsClusterVersion: boolean,
): readonly Plain<MonitoredOperator>[] | undefined {
  const isOpen = ['pending-for-input', 'insufficient', 'ready'].includes(state.status);
  const mayMatter = command.olmOperators || changes.installConfigOverrides !== undefined || changes.openshiftVersion;
  if (!isOpen || !mayMatter) return undefined;
  const olm = command.olmOperators ?? state.operators.filter(({ operatorType }) => operatorType === 'olm');
  const settings = mergeClusterSettings(state.settings, changes);
  const known = new Map(state.operators.map((operator) => [operator.name, operator]));
  const operators = withBuiltInOperators(state.kind, settings, olm, monitorsClusterVersion).map((operator) => {
    const { status, statusInfo, version } = known.get(operator.name) ?? operator;
    return { ...operator, status, statusInfo, version };
  });
  return isSameValue(operators, state.operators) ? undefined : operators;
}
