import { COLLECTIONS, type InfraEnvDocument, UNSET_TIME } from '@muster/assisted-api';
import type { EventData, ImageEvent, InfraEnvEvent } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import { putOrRemove, type ReadModelChange, type RecordedEvent } from '@muster/ports';
import { keysOf } from '@muster/schema';
import { eventDocuments } from '../event-log/event-document';
import { INFRA_ENV_LOG } from '../event-log/infra-env-log';
import { type DataByType, rowsOf } from '../event-rows';
import { addUsage, infraEnvUsageChanges } from './usage-counts';
import {
  infraEnvHref,
  type Occurrence,
  orAbsent,
  type Patch,
  patched,
  patchesOf,
  unchanged,
  type ViewRows,
} from './view-rows';

type InfraEnvChange =
  Exclude<InfraEnvEvent, { readonly type: 'InfraEnvRegistered' | 'InfraEnvDeregistered' }> | ImageEvent;
type Settings = NonNullable<EventData<'InfraEnvRegistered'>['settings']>;

export const INFRA_ENV_VIEW: ViewRows<DataByType<InfraEnvChange>, InfraEnvDocument> = {
  InfraEnvSettingsRevised: (infraEnv, data) => ({
    ...(data.changes ? settingsPatch(data.changes) : {}),
    pull_secret_set: infraEnv.pull_secret_set || data.pullSecretReplaced,
    // The next download creates another image.
    size_bytes: undefined,
  }),
  ImageSigningKeyRotated: unchanged,
  ImageFirstDownloaded: sizePatch,
  ImageDownloadCompleted: sizePatch,
};

/** Only for the image to which the download URL refers. */
function sizePatch(
  infraEnv: InfraEnvDocument,
  { imageType, bytes }: EventData<'ImageFirstDownloaded' | 'ImageDownloadCompleted'>,
): Patch<InfraEnvDocument> {
  return imageType === infraEnv.type ? { size_bytes: bytes } : {};
}

/** Settings that documents contain unchanged, with their member of the v2 API. */
const SHOWN_AS_GIVEN = {
  clusterId: 'cluster_id',
  openshiftVersion: 'openshift_version',
  sshAuthorizedKey: 'ssh_authorized_key',
  additionalNtpSources: 'additional_ntp_sources',
  ntpSources: 'ntp_sources',
  additionalTrustBundle: 'additional_trust_bundle',
  kernelArguments: 'kernel_arguments',
  rendezvousIp: 'rendezvous_ip',
} as const satisfies { readonly [Setting in keyof Settings]?: keyof InfraEnvDocument };

function settingsPatch(settings: Settings): Patch<InfraEnvDocument> {
  const patch: { -readonly [Member in keyof InfraEnvDocument]?: InfraEnvDocument[Member] | undefined } = {};
  for (const setting of keysOf(SHOWN_AS_GIVEN)) {
    const value = settings[setting];
    if (value !== undefined) patch[SHOWN_AS_GIVEN[setting]] = orAbsent(value);
  }
  if (settings.networkDiscoveryDelaySeconds !== undefined)
    patch.network_discovery_delay_seconds = settings.networkDiscoveryDelaySeconds;
  if (settings.ignitionConfigOverride)
    patch._ignition_override_digest = orAbsent(settings.ignitionConfigOverride.digest);
  if (settings.staticNetworkConfig) patch._static_networks_digest = orAbsent(settings.staticNetworkConfig.digest);
  if (settings.trustBundle) patch._trust_bundle_digest = orAbsent(settings.trustBundle.digest);
  if (settings.name !== undefined) patch.name = settings.name;
  if (settings.cpuArchitecture) patch.cpu_architecture = settings.cpuArchitecture;
  if (settings.imageType) patch.type = settings.imageType;
  if (settings.proxy) patch.proxy = shownProxy(settings.proxy);
  return patch;
}

/** A proxy is replaced as a whole. */
function shownProxy(given: NonNullable<Settings['proxy']>): InfraEnvDocument['proxy'] {
  const shown = { http_proxy: given.httpProxy, https_proxy: given.httpsProxy, no_proxy: given.noProxy };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value));
}

/** The document of a new infra-env. */
export function registeredInfraEnv(
  data: EventData<'InfraEnvRegistered'>,
  { at, position }: Occurrence,
): InfraEnvDocument {
  return {
    kind: 'InfraEnv',
    id: data.infraEnvId,
    href: infraEnvHref(data.infraEnvId),
    name: '',
    user_name: data.owner?.userName ?? '',
    org_id: data.owner?.orgId ?? '',
    email_domain: data.owner?.emailDomain ?? '',
    cpu_architecture: 'x86_64',
    type: 'full-iso',
    proxy: {},
    pull_secret_set: data.pullSecretSet,
    expires_at: UNSET_TIME,
    created_at: at,
    updated_at: at,
    ...(data.settings ? settingsPatch(data.settings) : {}),
    _position: position,
  };
}

const infraEnvPatch = patchesOf(INFRA_ENV_VIEW);
const logEntries = rowsOf(INFRA_ENV_LOG);

/** Returns the document after the event; undefined after the deletion of the infra-env. */
export function evolveInfraEnvDocument(
  before: InfraEnvDocument | undefined,
  event: InfraEnvEvent | ImageEvent,
  occurrence: Occurrence,
): InfraEnvDocument | undefined {
  if (event.type === 'InfraEnvRegistered') return registeredInfraEnv(event.data, occurrence);
  if (!before || event.type === 'InfraEnvDeregistered') return undefined;
  return patched({ ...before }, infraEnvPatch(before, event, occurrence), occurrence);
}

/** Returns all changes of the documents for an event of an infra-env or its image. */
export async function projectInfraEnv(
  infraEnvId: string,
  event: RecordedEvent<InfraEnvEvent | ImageEvent>,
  occurrence: Occurrence,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const before = await read(COLLECTIONS.infraEnvs, infraEnvId);
  if (before && before._position >= event.position) return [];
  const after = evolveInfraEnvDocument(before, event, occurrence);
  const infraEnv = after ?? before;
  if (!infraEnv) return [];

  const changes = after === before ? [] : [putOrRemove(COLLECTIONS.infraEnvs, infraEnvId, after)];
  for (const { clusterId, by } of infraEnvUsageChanges(before, after)) {
    const cluster = await read(COLLECTIONS.clusters, clusterId);
    if (cluster) changes.push(putOrRemove(COLLECTIONS.clusters, clusterId, addUsage(cluster, by)));
  }
  const entries = logEntries(event, { infraEnv, before }) ?? [];
  const subject = { clusterId: infraEnv.cluster_id, infraEnvId, owner: infraEnv };
  return [...changes, ...eventDocuments(event, entries, subject)];
}
