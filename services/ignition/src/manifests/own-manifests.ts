import { type ManifestFile, type SystemManifestsInput, systemManifests } from '@muster/ignition-config';
import type { InstallRequest } from '../toolchain/toolchain.port';

export interface OwnManifestsSettings {
  readonly hasSingleNodeNames: boolean;
  /** Name of the cipher for cryptsetup; empty: aes-cbc-essiv:sha256. */
  readonly diskEncryptionCipher: string;
}

const WORKERS_OF_THEIR_OWN = 2;
const CIPHER = 'aes-cbc-essiv:sha256';

/** What the service adds to a cluster, by what it is made of. */
export function ownManifests(
  order: Pick<InstallRequest, 'settings' | 'hosts' | 'ntpServers' | 'bootstrapHostId'>,
  settings: OwnManifestsSettings,
): readonly ManifestFile[] {
  return systemManifests(toInput(order, settings));
}

function toInput(
  { settings, hosts, ntpServers, bootstrapHostId }: Parameters<typeof ownManifests>[0],
  { hasSingleNodeNames, diskEncryptionCipher }: OwnManifestsSettings,
): SystemManifestsInput {
  const workers = hosts.filter(({ role }) => role === 'worker').length;
  const isSingleNode = settings.controlPlaneCount === 1;
  const encryption = (settings.diskEncryption ?? {}) as { readonly [field: string]: unknown };
  const node = hosts.find(({ hostId }) => hostId === bootstrapHostId) ?? hosts[0];
  return {
    hasArbiters: hosts.some(({ role }) => role === 'arbiter'),
    isSingleNode,
    areMastersSchedulable: settings.schedulableMasters === true || workers < WORKERS_OF_THEIR_OWN,
    timeSources: ntpServers,
    isOnlyTime: Boolean(settings.ntpSources),
    encryption: {
      roles: textOf(encryption['enable_on']) || 'none',
      mode: textOf(encryption['mode']) || 'tpmv2',
      tangServers: parseTangServers(textOf(encryption['tang_servers'])),
      cipher: diskEncryptionCipher || CIPHER,
    },
    domain: `${settings.name ?? ''}.${settings.baseDnsDomain ?? ''}`,
    ownNamesAddress: hasSingleNodeNames && isSingleNode ? (node?.nodeAddress ?? '') : '',
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The contract has them as JSON text; it was checked when it was given. */
function parseTangServers(text: string): readonly { readonly url: string; readonly thumbprint: string }[] {
  if (text === '') return [];
  const servers = JSON.parse(text) as readonly { readonly url?: unknown; readonly thumbprint?: unknown }[];
  return servers.map(({ url, thumbprint }) => ({ url: textOf(url), thumbprint: textOf(thumbprint) }));
}
