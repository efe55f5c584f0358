import { certificatesFault, isRemoteUrl } from '@muster/ignition-config';
import { textAt } from '@muster/schema';
import { parseVersion } from '@muster/validation-rules';
import {
  isDomainName,
  isHostOrAddress,
  isProxyUrl,
  isSshPublicKeys,
  MAX_DOMAIN_CHARACTERS,
  wrongHostIn,
  noProxyFault,
} from '../../text-forms';
import { importedNames } from '../settings';
import type { BrokenInput, ClusterInput, ClusterInputRule } from './input-rule';

const MAX_NAME_CHARACTERS = 54;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME_WITH_DOTS = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;
/** A leading hyphen is refused, because the reference is also a command argument of programs. */
const RELEASE_IMAGE = /^[A-Za-z0-9][\w.:/@-]{0,511}$/;
const TAGS = /^\w+( \w+)*(,\w+( \w+)*)*$/;

/** Rules for the identity of a cluster and its access keys. */
export const IDENTITY_RULES: readonly ClusterInputRule[] = [
  {
    id: 'name-usable',
    subject: 'name',
    fields: ['name', 'platformType', 'userManagedNetworking'],
    check: (input) => {
      const { settings, kind } = input;
      const name = settings.name ?? '';
      // Day-2 clusters have names that were set when they were installed.
      const pattern = settings.platformType === 'none' || kind !== 'Cluster' ? NAME_WITH_DOTS : NAME;
      if (name.length <= MAX_NAME_CHARACTERS && pattern.test(name)) return undefined;
      return {
        ...(hasImportedNames(input) && { subject: API_NAME_OF_IMPORT }),
        reason:
          `The name "${name.slice(0, MAX_NAME_CHARACTERS)}"${hasImportedNames(input) ? IN_API_NAME : ''} is not valid. Use at most ${MAX_NAME_CHARACTERS} ` +
          'lower-case letters, digits and hyphens, beginning and ending with a letter or digit. Dots are allowed with platform none only.',
      };
    },
  },
  {
    id: 'base-domain-is-dns-name',
    subject: 'base_dns_domain',
    fields: ['baseDnsDomain'],
    check: (input) => {
      const domain = input.settings.baseDnsDomain ?? '';
      if (domain === '' || isDomainName(domain)) return undefined;
      const isImported = hasImportedNames(input);
      const shown = `"${domain.slice(0, MAX_DOMAIN_CHARACTERS)}"`;
      return {
        ...(isImported && { subject: API_NAME_OF_IMPORT }),
        reason:
          `${isImported ? `The domain ${shown}${IN_API_NAME}` : `base_dns_domain ${shown}`} is not a DNS name like example.com. ` +
          `Use at most ${MAX_DOMAIN_CHARACTERS} lower-case letters, digits, hyphens and dots. The top-level domain has at least two characters.`,
      };
    },
  },
  {
    id: 'version-readable',
    subject: 'openshift_version',
    fields: ['openshiftVersion'],
    check: ({ settings, kind }) => {
      const version = settings.openshiftVersion ?? '';
      if (parseVersion(version) || (version === '' && kind === 'AddHostsCluster')) return undefined;
      return { reason: `openshift_version "${version}" is not a version like 4.18 or 4.18.3.` };
    },
  },
  {
    id: 'release-image-readable',
    subject: 'ocp_release_image',
    fields: ['ocpReleaseImage'],
    check: ({ settings }) => {
      const image = settings.ocpReleaseImage ?? '';
      if (image === '' || RELEASE_IMAGE.test(image)) return undefined;
      return {
        reason: `ocp_release_image '${image.slice(0, 128)}' is not an image reference such as quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64.`,
      };
    },
  },
  {
    id: 'ssh-key-readable',
    subject: 'ssh_public_key',
    fields: ['sshPublicKey'],
    check: ({ settings }) =>
      isSshPublicKeys(settings.sshPublicKey ?? '')
        ? undefined
        : { reason: 'ssh_public_key is not a list of public keys in the format of ssh-keygen, one per line.' },
  },
  {
    id: 'http-proxy-is-url',
    subject: 'http_proxy',
    fields: ['proxy'],
    check: ({ settings }) => proxyUrl('http_proxy', settings.proxy?.httpProxy, ['http:']),
  },
  {
    id: 'https-proxy-is-url',
    subject: 'https_proxy',
    fields: ['proxy'],
    check: ({ settings }) => proxyUrl('https_proxy', settings.proxy?.httpsProxy, ['http:', 'https:']),
  },
  {
    id: 'no-proxy-names-places',
    subject: 'no_proxy',
    fields: ['proxy'],
    check: ({ settings }) => noProxyFault(settings.proxy?.noProxy),
  },
  {
    id: 'ntp-sources-are-hosts',
    subject: 'additional_ntp_source',
    fields: ['additionalNtpSource'],
    check: ({ settings }) => {
      const wrong = wrongHostIn(settings.additionalNtpSource ?? '');
      return wrong === undefined
        ? undefined
        : { reason: `additional_ntp_source "${wrong}" is neither a host name nor an address.` };
    },
  },
  {
    id: 'only-ntp-sources-are-hosts',
    subject: 'ntp_sources',
    fields: ['ntpSources'],
    check: ({ settings }) => {
      const wrong = wrongHostIn(settings.ntpSources ?? '');
      return wrong === undefined
        ? undefined
        : { reason: `ntp_sources "${wrong}" is neither a host name nor an address.` };
    },
  },
  {
    id: 'one-way-to-name-ntp-sources',
    subject: 'ntp_sources',
    fields: ['ntpSources', 'additionalNtpSource'],
    check: ({ settings }) =>
      settings.ntpSources && settings.additionalNtpSource
        ? {
            reason:
              'ntp_sources replaces all NTP sources, and additional_ntp_source adds to them. Set one of the two and leave the other empty.',
          }
        : undefined,
  },
  {
    id: 'tags-are-words',
    subject: 'tags',
    fields: ['tags'],
    check: ({ settings }) =>
      !settings.tags || TAGS.test(settings.tags)
        ? undefined
        : { reason: 'tags must be names of letters, digits and underscores, separated by commas.' },
  },
  {
    id: 'api-name-of-day-2-only',
    subject: 'api_vip_dns_name',
    fields: ['apiVipDnsName'],
    check: ({ given, kind, imported, before }) => {
      if (!given.apiVipDnsName) return undefined;
      if (kind !== 'AddHostsCluster')
        return { reason: 'api_vip_dns_name can be set only for a cluster that receives more hosts.' };
      if (isHostOrAddress(given.apiVipDnsName)) return undefined;
      const subject = imported && !before ? API_NAME_OF_IMPORT : 'api_vip_dns_name';
      return { subject, reason: `${subject} "${given.apiVipDnsName}" is neither a DNS name nor an address.` };
    },
  },
  {
    id: 'ignition-endpoint-usable',
    subject: 'ignition_endpoint',
    fields: ['ignitionEndpoint'],
    check: ({ given, before }) => {
      /** Returns '' for a member that was accepted earlier: a revision contains the members that it does not change. */
      const changed = (name: string): string => {
        const value = textAt(given.ignitionEndpoint, name) ?? '';
        return value === textAt(before?.ignitionEndpoint, name) ? '' : value;
      };
      const [url, authority] = [changed('url'), changed('ca_certificate')];
      if (url !== '' && !isHttpUrl(url))
        return {
          subject: 'ignition_endpoint.url',
          reason: `ignition_endpoint.url "${url.slice(0, 256)}" is not a URL like https://api.example.com:22623/config.`,
        };
      const fault = authority === '' ? undefined : authorityFault(authority);
      return fault === undefined
        ? undefined
        : {
            subject: 'ignition_endpoint.ca_certificate',
            reason: `ignition_endpoint.ca_certificate must be the base64 of PEM certificates: ${fault}`,
          };
    },
  },
];

/** The field of a request that imports a cluster. */
const API_NAME_OF_IMPORT = 'api_vip_dnsname';
const IN_API_NAME = ` in ${API_NAME_OF_IMPORT}`;

/** Returns whether name and domain are those in the name of the API. */
const hasImportedNames = ({ imported, before, settings }: ClusterInput): boolean =>
  imported && !before && importedNames(settings.apiVipDnsName ?? '') !== undefined;

const HTTP_URL = /^https?:\/\/[^\s/?#"'\\][^\s"'\\]*$/i;
/** The hosts read it with Ignition. */
const isHttpUrl = (text: string): boolean => HTTP_URL.test(text) && URL.canParse(text) && isRemoteUrl(text);

function authorityFault(base64: string): string | undefined {
  try {
    return certificatesFault(atob(base64));
  } catch {
    return 'it is not base64.';
  }
}

/** The URL may contain a password, so the message does not repeat it. */
function proxyUrl(field: string, url: string | undefined, schemes: readonly string[]): BrokenInput | undefined {
  if (!url || isProxyUrl(url, schemes)) return undefined;
  return { reason: `${field} is not an address like http://proxy.example.com:3128.`, allowed: schemes };
}
