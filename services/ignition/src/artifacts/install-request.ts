import { type Family, parseCidr, parseCidrs } from '@muster/addresses';
import { hostSecretName, PULL_SECRET } from '@muster/contracts';
import { type ClusterState, effectiveRole, infraEnvDecider, isDay2, MASK } from '@muster/domain';
import type { FencingCredentials } from '@muster/ignition-config';
import { type MusterEventStore, openDocument, openProxy, openTrustBundle } from '@muster/nest-kit';
import type { ObjectStore, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { parseJson, textAt } from '@muster/schema';
import type { IgnitionServiceConfig } from '../config';
import { ArtifactsRefused, type InstallHost, type InstallRequest } from '../toolchain/toolchain.port';
import { foldStream } from '../view/fold-stream';
import { bootMacAddressOf, type ClusterEntry, type HostEntry, networksOf, nodeAddressOf } from '../view/install-view';
import { operatorManifestsOf } from './operator-files';

/** Returns the fencing credentials that a user set for a host; undefined without any. They contain a password. */
export async function fencingOf(
  secrets: Pick<Secrets, 'open'>,
  { state }: Pick<HostEntry, 'state'>,
): Promise<FencingCredentials | undefined> {
  const { infraEnvId, hostId, settings } = state;
  if (!settings.fencingCredentialsSet) return undefined;
  const sealed = await secrets.open(infraEnvId, hostSecretName(hostId, 'fencing-credentials'));
  if (!sealed?.length) return undefined;
  // The registration service sealed them with the field names of the v2 API.
  const given = parseJson(sealed.toString('utf8'));
  const macAddress = textAt(given, 'mac_address');
  return {
    address: textAt(given, 'address') ?? '',
    username: textAt(given, 'username') ?? '',
    password: textAt(given, 'password') ?? '',
    certificateVerification: textAt(given, 'certificate_verification') ?? '',
    ...(macAddress && { macAddress }),
  };
}

/** Returns the credentials without secrets. The address may contain a password too. */
export const maskedFencing = (fencing: FencingCredentials | undefined): FencingCredentials | undefined =>
  fencing && { ...fencing, address: MASK, username: MASK, password: MASK };

const ROLES = ['master', 'worker', 'arbiter'] as const;

interface InstallSources {
  readonly eventStore: MusterEventStore;
  readonly objectStore: ObjectStore;
  readonly secrets: Secrets;
}

/**
 * Collects the input of an installation attempt.
 * @throws ArtifactsRefused with the missing setting
 */
export async function toInstallRequest(
  sources: InstallSources,
  { state, preparationStartedAt }: ClusterEntry,
  entries: readonly HostEntry[],
  config: Pick<IgnitionServiceConfig, 'operatorSettings' | 'installInvoker'> & AuthoritySources,
  serviceCaPem: string,
): Promise<InstallRequest> {
  const { clusterId, attempt, settings, bootstrapHostId } = state;
  if (!settings.name || !settings.baseDnsDomain) {
    throw new ArtifactsRefused(
      'The cluster has no name or no base DNS domain. Set both and start the installation again.',
    );
  }
  const pullSecret = await sources.secrets.open(clusterId, PULL_SECRET);
  if (!pullSecret?.length) {
    throw new ArtifactsRefused(
      'The stored pull secret of the cluster is missing. Set it and start the installation again.',
    );
  }
  const dayOne = entries.filter((entry) => !isDay2(entry.state)).sort(byId);
  if (dayOne.length === 0)
    throw new ArtifactsRefused('The cluster has no hosts. Add hosts and start the installation again.');
  requireOwnIds(dayOne);
  const { imageVersions, ...surroundings } = await surroundingsOf(sources, config, state, dayOne).catch(
    refuseArtifacts,
  );
  const hosts: InstallHost[] = [];
  for (const entry of dayOne) {
    const imageVersion = imageVersions.get(entry.state.infraEnvId) ?? '';
    const host = await toInstallHost(sources.secrets, entry, { bootstrapHostId, imageVersion });
    const place = placeOf(entry, settings, surroundings.machineNetworks);
    hosts.push({ ...host, ...bootOf(entry, surroundings.machineNetworks), ...place });
  }
  const startedAt = preparationStartedAt;
  const proxy = await openProxy(sources.secrets, clusterId, settings.proxy).catch(refuseArtifacts);
  const installConfigOverrides = await openOverrides(sources.secrets, clusterId, settings).catch(refuseArtifacts);
  const operatorManifests = operatorManifestsOf(state, dayOne, config.operatorSettings);
  return {
    clusterId,
    attempt,
    startedAt,
    settings: { ...settings, proxy },
    installConfigOverrides,
    hosts,
    pullSecret: pullSecret.toString(),
    operatorManifests,
    manifests: operatorManifests.files,
    serviceCaPem,
    invoker: config.installInvoker,
    bootstrapHostId,
    vipLeases: state.vipLeases,
    ...surroundings,
  };
}

const hostnameOf = ({ state, inventoryHostname }: HostEntry): string => state.requestedHostname || inventoryHostname;

/**
 * Each machine downloads the Ignition config that its role and its id name. `sorted`: by id.
 * @throws ArtifactsRefused when two hosts in different infra-envs have one id
 */
function requireOwnIds(sorted: readonly HostEntry[]): void {
  for (const [index, host] of sorted.entries()) {
    const other = sorted[index + 1];
    const { hostId } = host.state;
    if (other?.state.hostId !== hostId) continue;
    const [one, two] = [host, other].map((each) => `${hostnameOf(each)} in infra-env ${each.state.infraEnvId}`);
    throw new ArtifactsRefused(
      `Two hosts of the cluster have the id ${hostId}: ${one} and ${two}. Remove one of them. If they are two machines, give one of them another system UUID. Then start the installation again.`,
    );
  }
}

/** JSON text; empty without overrides. @throws RefusalError `not-ready` when the stored text is missing. */
export const openOverrides = (
  secrets: Secrets,
  clusterId: string,
  { installConfigOverrides }: ClusterState['settings'],
): Promise<string> => openDocument(secrets, clusterId, installConfigOverrides?.document, 'install_config_overrides');

async function toInstallHost(
  secrets: Secrets,
  entry: HostEntry,
  { bootstrapHostId, imageVersion }: { readonly bootstrapHostId: string; readonly imageVersion: string },
): Promise<Omit<InstallHost, keyof ReturnType<typeof bootOf> | keyof ReturnType<typeof placeOf>>> {
  const { state } = entry;
  const { hostId, installationDisk, machineConfigPoolName, isPoolNameChosen } = state;
  const hostname = hostnameOf(entry);
  if (!hostname) throw new ArtifactsRefused(`Host ${hostId} has no hostname. Set it and start the installation again.`);
  const role = roleOf(entry, bootstrapHostId);
  if (!role) throw new ArtifactsRefused(`Host ${hostname} has no role. Set it and start the installation again.`);
  const ignitionOverride = await ignitionOverrideOf(secrets, entry, hostname).catch(refuseArtifacts);
  return {
    hostId,
    role,
    hostname,
    pool: role === 'worker' && isPoolNameChosen && machineConfigPoolName ? machineConfigPoolName : role,
    installationDisk: installationDisk.id || installationDisk.path,
    timeSources: entry.timeSources,
    ignitionOverride,
    ...(ignitionOverride && { imageVersion }),
    fencing: await fencingOf(secrets, entry),
  };
}

/** Returns the OpenShift version of the image of one host; empty when it is not set. */
export async function imageVersionOf(
  eventStore: MusterEventStore,
  { state: { infraEnvId } }: HostEntry,
): Promise<string> {
  const { state } = await foldStream(eventStore, 'infraEnv', infraEnvId, infraEnvDecider);
  return state.settings.openshiftVersion ?? '';
}

/** Returns JSON text; empty without an override. @throws RefusalError `not-ready` when the stored text is missing. */
export const ignitionOverrideOf = (
  secrets: Secrets,
  { state: { infraEnvId, settings } }: HostEntry,
  hostname: string,
): Promise<string> =>
  openDocument(secrets, infraEnvId, settings.ignitionConfigOverrides, `Ignition override of host ${hostname}`);

/** A refusal of a service ends the preparation with its reason. */
export const refuseArtifacts = (error: unknown): never => {
  throw error instanceof RefusalError ? new ArtifactsRefused(error.refusal.reason) : error;
};

/** Returns undefined while the host has no role. */
export function roleOf({ state }: HostEntry, bootstrapHostId: string): InstallHost['role'] | undefined {
  const wanted = state.hostId === bootstrapHostId ? 'master' : effectiveRole(state);
  return ROLES.find((known) => known === wanted);
}

/** How a host boots, as far as the installation depends on it. */
export const bootOf = (
  { ports, bootMode }: HostEntry,
  machineNetworks: readonly string[],
): Pick<InstallHost, 'bootMacAddress' | 'isLegacyBoot'> => ({
  bootMacAddress: bootMacAddressOf(ports, machineNetworks),
  isLegacyBoot: bootMode !== '' && bootMode !== 'uefi',
});

/** Hardware and addresses of a host. Nodes without a VIP select their address themselves, and may be in any network. */
export function placeOf(
  { ports, hardware }: Pick<HostEntry, 'ports' | 'hardware'>,
  settings: Pick<
    InstallRequest['settings'],
    'controlPlaneCount' | 'userManagedNetworking' | 'loadBalancerType' | 'clusterNetworks'
  >,
  machineNetworks: readonly string[],
): Pick<InstallHost, 'isPersistentBoot' | 'nodeAddress' | 'nodeIpHint' | 'hasIpv6' | 'hardware'> {
  const isSingleNode = settings.controlPlaneCount === 1;
  const choosesItself = settings.userManagedNetworking === true || settings.loadBalancerType === 'user-managed';
  const { address, network } = nodeAddressOf({ hardware }, machineNetworks, {
    families: familiesOf(settings),
    isRouted: choosesItself && !isSingleNode,
  });
  const ofSingleNode = isSingleNode ? (machineNetworks[0]?.split('/')[0] ?? '') : '';
  return {
    isPersistentBoot: hardware?.bootDeviceType === 'persistent',
    nodeAddress: address,
    nodeIpHint: ofSingleNode || (choosesItself ? network : ''),
    hasIpv6: ports.some(({ addresses }) => addresses.some((one) => one.includes(':'))),
    hardware,
  };
}

/** Settings with certificate authorities that the nodes of every cluster trust. */
type AuthoritySources = Pick<IgnitionServiceConfig, 'registries' | 'redHatCaPem'>;

interface Surroundings extends Pick<
  InstallRequest,
  'additionalTrustBundle' | 'mirrors' | 'ntpServers' | 'machineNetworks'
> {
  /** The OpenShift version of the image of each infra-env; empty when it is not set. */
  readonly imageVersions: ReadonlyMap<string, string>;
}

/**
 * Returns the inputs of an installation from the service, from the infra-envs and from the networks of the hosts.
 * @throws RefusalError `not-ready` when the trust bundle of an infra-env is missing
 */
export async function surroundingsOf(
  { eventStore, secrets }: Pick<InstallSources, 'eventStore' | 'secrets'>,
  { registries, redHatCaPem }: AuthoritySources,
  { settings, bootstrapHostId }: ClusterState,
  hosts: readonly HostEntry[],
): Promise<Surroundings> {
  const ofService = [redHatCaPem, registries.settings?.caPem ?? ''].map((pem) => pem.trim());
  const bundles = new Set(ofService.filter((pem) => pem !== ''));
  const timeSources = new Set(splitList(settings.ntpSources || settings.additionalNtpSource));
  const isTimeChosen = timeSources.size > 0;
  const imageVersions = new Map<string, string>();
  for (const infraEnvId of new Set(hosts.map(({ state }) => state.infraEnvId))) {
    const { state } = await foldStream(eventStore, 'infraEnv', infraEnvId, infraEnvDecider);
    const { ntpSources, additionalNtpSources, openshiftVersion = '' } = state.settings;
    imageVersions.set(infraEnvId, openshiftVersion);
    const bundle = await openTrustBundle(secrets, infraEnvId, state.settings);
    if (bundle) bundles.add(bundle.trim());
    if (isTimeChosen) continue;
    for (const source of [...splitList(ntpSources), ...splitList(additionalNtpSources)]) timeSources.add(source);
  }
  const bootstrap = hosts.find(({ state }) => state.hostId === bootstrapHostId) ?? hosts[0];
  return {
    additionalTrustBundle: [...bundles].map((bundle) => `${bundle}\n`).join(''),
    mirrors: registries.mirrors,
    ntpServers: [...timeSources],
    machineNetworks: machineNetworksOf(settings, bootstrap),
    imageVersions,
  };
}

/**
 * Returns the given networks, or those of the bootstrap host. No rule compares networks that a user manages with those of the cluster,
 * but the installer requires the same address families. The bootstrap host is in the networks that are not given.
 */
function machineNetworksOf(settings: ClusterState['settings'], bootstrap: HostEntry | undefined): readonly string[] {
  const given = settings.machineNetworks?.items ?? [];
  const isCompleted = given.length === 0 || (settings.userManagedNetworking && settings.controlPlaneCount !== 1);
  if (!bootstrap || !isCompleted) return given;
  return familiesOf(settings).flatMap((family) => {
    const ofFamily = given.filter((network) => parseCidr(network)?.family === family);
    return ofFamily.length > 0 ? ofFamily : networksOf(bootstrap, [family]);
  });
}

/** The address families of a cluster, the primary one first. Both before the cluster networks are set. */
function familiesOf({ clusterNetworks }: Pick<InstallRequest['settings'], 'clusterNetworks'>): readonly Family[] {
  const networks = parseCidrs((clusterNetworks?.items ?? []).map(({ cidr }) => cidr));
  return networks.length > 0 ? [...new Set(networks.map(({ family }) => family))] : [4, 6];
}

const splitList = (list = ''): readonly string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** The order of hosts in all artifacts. */
export const byId = ({ state: a }: HostEntry, { state: b }: HostEntry): number =>
  a.hostId === b.hostId ? (a.infraEnvId < b.infraEnvId ? -1 : 1) : a.hostId < b.hostId ? -1 : 1;
