import { type InfraEnvDocument, UNSET_TIME } from '@muster/assisted-api';
import type { EventData, ImageEvent, InfraEnvEvent } from '@muster/contracts';
import { infraEnvHref } from './hrefs';
import { type Occurrence, orAbsent, type Patch, unchanged, type ViewRows } from './view-rows';

type InfraEnvChange =
  Exclude<InfraEnvEvent, { readonly type: 'InfraEnvRegistered' | 'InfraEnvDeregistered' }> | ImageEvent;
type Settings = NonNullable<EventData<'InfraEnvRegistered'>['settings']>;

export const INFRA_ENV_VIEW: ViewRows<InfraEnvChange, InfraEnvDocument> = {
  InfraEnvSettingsRevised: (infraEnv, data) => ({
    ...(data.changes ? settingsPatch(data.changes) : {}),
    pull_secret_set: infraEnv.pull_secret_set || data.pullSecretReplaced,
    // The next download makes another image.
    size_bytes: undefined,
  }),
  ImageSigningKeyRotated: unchanged,
  ImageFirstDownloaded: sizePatch,
  ImageDownloadCompleted: sizePatch,
};

/** Only for the image that the download URL names. */
function sizePatch(
  infraEnv: InfraEnvDocument,
  { imageType, bytes }: EventData<'ImageFirstDownloaded' | 'ImageDownloadCompleted'>,
): Patch<InfraEnvDocument> {
  return imageType === infraEnv.type ? { size_bytes: bytes } : {};
}

/** Member of the contract for each setting that is shown as it is. */
const SHOWN_AS_GIVEN = {
  clusterId: 'cluster_id',
  openshiftVersion: 'openshift_version',
  sshAuthorizedKey: 'ssh_authorized_key',
  additionalNtpSources: 'additional_ntp_sources',
  ntpSources: 'ntp_sources',
  ignitionConfigOverride: 'ignition_config_override',
  additionalTrustBundle: 'additional_trust_bundle',
  kernelArguments: 'kernel_arguments',
  staticNetworkConfig: 'static_network_config',
  rendezvousIp: 'rendezvous_ip',
} as const satisfies { readonly [Setting in keyof Settings]?: keyof InfraEnvDocument };

function settingsPatch(settings: Settings): Patch<InfraEnvDocument> {
  const patch: { -readonly [Member in keyof InfraEnvDocument]?: InfraEnvDocument[Member] | undefined } = {};
  for (const [setting, member] of Object.entries(SHOWN_AS_GIVEN)) {
    const value = settings[setting as keyof typeof SHOWN_AS_GIVEN];
    if (value !== undefined) patch[member] = orAbsent(value);
  }
  if (settings.networkDiscoveryDelaySeconds !== undefined)
    patch.network_discovery_delay_seconds = settings.networkDiscoveryDelaySeconds;
  if (settings.name !== undefined) patch.name = settings.name;
  if (settings.cpuArchitecture) patch.cpu_architecture = settings.cpuArchitecture;
  if (settings.imageType) patch.type = settings.imageType;
  if (settings.proxy) patch.proxy = shownProxy(settings.proxy);
  return patch;
}

/** Replaced as a whole. */
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
