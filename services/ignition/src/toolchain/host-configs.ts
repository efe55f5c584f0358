import { vipMacAddress } from '@muster/domain';
import {
  describeHostFile,
  hostNodeConfig,
  type IgnitionConfig,
  isPatch,
  type LeasedVips,
  type ManifestFile,
  mergeIgnition,
  mergeOverride,
  parseIgnitionOverride,
  pointTo,
  roleNodeConfig,
  toIgnitionJson,
  vipLeaseConfig,
} from '@muster/ignition-config';
import { DOCUMENT_TASKS, type DocumentTask, type DocumentWorkers } from '@muster/nest-kit';
import { type TurnLimits, TurnShare } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { hostArtifactName } from '../artifacts/artifact-vault';
import { ArtifactsRefused, type InstallHost, type InstallRequest, type MadeArtifact } from './toolchain.port';

export type RoleConfigs = ReadonlyMap<string, IgnitionConfig>;

export const rolesOf = ({ hosts }: InstallRequest): readonly InstallHost['role'][] =>
  hosts.some(({ role }) => role === 'arbiter') ? ['master', 'worker', 'arbiter'] : ['master', 'worker'];

/** Returns the configs for disks: one per role and one per host. `pointers`: pointer configs by role. */
export async function hostConfigs(
  order: InstallRequest,
  pointers: RoleConfigs,
  documents: DocumentWorkers,
): Promise<readonly MadeArtifact[]> {
  const { serviceCaPem, settings, hosts } = order;
  const nodeFiles = roleNodeConfig({
    serviceCaPem,
    hasIpv6: hosts.some(({ hasIpv6 }) => hasIpv6),
    openshiftVersion: settings.openshiftVersion ?? '',
  });
  const roles = new Map([...pointers].map(([role, pointer]) => [role, mergeIgnition(pointer, nodeFiles)]));
  const controlPlane = roles.get('master');
  if (controlPlane) roles.set('master', mergeIgnition(controlPlane, vipLeaseConfig(leasedVipsOf(order))));
  const pools = await poolsOf(order, documents);
  const ofRoles = [...roles].map(([role, config]) => made(`${role}.ign`, config));
  return [...ofRoles, ...(await inTurns(hosts, (host) => hostConfig(host, roles, pools)))];
}

/** Returns the bootstrap config of a release with the status of each host in its BareMetalHost. */
export async function withHostStatus(config: IgnitionConfig, hosts: readonly InstallHost[]): Promise<IgnitionConfig> {
  const files = await inTurns(config.storage?.files ?? [], (file) => describeHostFile(file, hosts));
  return { ...config, storage: { ...config.storage, files } };
}

/** Time in which files of hosts are rendered in one turn of the event loop. An override may have 1 MiB. */
const HOST_FILES_TIME: TurnLimits = { minMs: 10, share: 0.3, maxMs: 20 };
const time = new TurnShare(HOST_FILES_TIME);

/** Returns the results of a function of files of hosts. It runs in as many turns of the event loop as the files need. */
export async function inTurns<Item, Result>(
  items: Iterable<Item>,
  toResult: (item: Item) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (!time.hasTime()) await time.nextTurn();
    results.push(toResult(item));
  }
  return results;
}

/** Undefined unless DHCP allocated the VIPs. */
function leasedVipsOf({ clusterId, settings, vipLeases }: InstallRequest): LeasedVips | undefined {
  const [apiVip, ingressVip] = [settings.apiVips?.items[0], settings.ingressVips?.items[0]];
  if (!settings.vipDhcpAllocation || settings.userManagedNetworking || !apiVip || !ingressVip) return undefined;
  return {
    api: { address: apiVip, macAddress: vipMacAddress(clusterId, 'api'), lease: vipLeases.api },
    ingress: { address: ingressVip, macAddress: vipMacAddress(clusterId, 'ingress'), lease: vipLeases.ingress },
  };
}

/** The override of a user may contain secrets, so the whole document is sealed. */
function hostConfig(host: InstallHost, roles: RoleConfigs, pools: ReadonlySet<string>): MadeArtifact {
  const { hostname, pool, role, hostId, ignitionOverride, imageVersion } = host;
  const ofRole = roles.get(role);
  if (!ofRole)
    throw new ArtifactsRefused(`The release has no Ignition config for the role ${role} of host ${hostname}.`);
  if (pool !== role && !pools.has(pool))
    throw new ArtifactsRefused(
      `Host ${hostname} belongs to the machine-config pool ${pool}, but the cluster has no MachineConfigPool manifest with that name. Add one, or choose another pool.`,
    );
  const config = mergeIgnition(pool === role ? ofRole : pointTo(ofRole, pool), hostNodeConfig(host));
  const name = hostArtifactName(role, hostId);
  if (!ignitionOverride) return made(name, config);
  const subject = `the ignition override of host ${hostname}`;
  const override = parseIgnitionOverride(ignitionOverride, subject);
  const merged = override.kind === 'parsed' ? mergeOverride(config, override.config, subject, imageVersion) : override;
  if (merged.kind === 'refused') throw new ArtifactsRefused(merged.refusal.reason);
  return { ...made(name, merged.config), isSecret: true };
}

/** Longer manifests are parsed in a worker, because the parser may take more than 10 ms for 1 KiB. */
const INLINE_MAX_CHARACTERS = 4 * 1024;
/** Begins an alias, which may stand for most of the document. */
const ALIAS = '*';

/**
 * Runs a task on manifests of users. `parsed`: those that it parses.
 * @throws ArtifactsRefused for manifests over the limits of the workers
 */
export async function parseManifests<Args extends readonly unknown[], Result>(
  documents: DocumentWorkers,
  task: DocumentTask<Args, Result>,
  parsed: readonly ManifestFile[],
  ...args: Args
): Promise<Result> {
  const characters = parsed.reduce((sum, { content }) => sum + content.length, 0);
  const isShort = characters <= INLINE_MAX_CHARACTERS && !parsed.some(({ content }) => content.includes(ALIAS));
  if (isShort) return task.run(...args);
  return documents.runAlone(task, characters, ...args).catch((error: unknown) => {
    const isRefused = error instanceof RefusalError && error.refusal.code === 'invalid-input';
    throw isRefused ? new ArtifactsRefused(error.refusal.reason) : error;
  });
}

/**
 * Returns the generated manifests with those of users, operators and the service.
 * @throws ArtifactsRefused for a patch that cannot be applied
 */
export async function placedManifests(
  documents: DocumentWorkers,
  generated: readonly ManifestFile[],
  added: readonly ManifestFile[],
  token: string,
): Promise<readonly ManifestFile[]> {
  // Other files are not parsed.
  const patches = added.filter(isPatch);
  const isPatched = ({ fileName }: ManifestFile): boolean =>
    patches.some((patch) => patch.fileName.startsWith(`${fileName}.patch`));
  const parsed = [...patches, ...generated.filter(isPatched), ...added.filter(isPatched)];
  const placed = await parseManifests(documents, DOCUMENT_TASKS.placeManifests, parsed, generated, added, token);
  if (placed.kind === 'refused') throw new ArtifactsRefused(placed.reason);
  return placed.files;
}

async function poolsOf({ manifests }: InstallRequest, documents: DocumentWorkers): Promise<ReadonlySet<string>> {
  const candidates = manifests.filter(({ content }) => content.includes('MachineConfigPool'));
  return new Set(await parseManifests(documents, DOCUMENT_TASKS.poolNames, candidates, candidates));
}

/**
 * A pointer config contains the certificate authority of the cluster, so it differs between clusters. Other configs may
 * be equal.
 */
const made = (name: string, config: IgnitionConfig): MadeArtifact => ({
  name,
  content: Buffer.from(toIgnitionJson(config)),
  isSecret: config.ignition.security === undefined,
});
