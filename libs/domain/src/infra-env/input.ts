import { parseIp } from '@muster/addresses';
import { ADDED_KARGS_LENGTH_MAX, kargRefusal } from '@muster/boot-image';
import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { certificatesFault } from '@muster/ignition-config';
import type { Refusal } from '@muster/problems';
import { createJsonParser, enumOf, formatViolation } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { isProxyUrl, isSshPublicKeys, wrongHostIn, noProxyFault } from '../text-forms';
import { IMAGE_TYPES } from './state';

type Settings = Plain<InfraEnvSettings>;

const MAX_TRUST_BUNDLE_CHARACTERS = 65_535;
/** Matches one character or one quoted part at a time. Nested repetition would take exponential time on some inputs. */
const KERNEL_ARGUMENT = /^(?:[^ \t\n\r"]|"[^"]*")+$/;
/** The boot images append kernel arguments. They cannot replace or delete the arguments that they contain. */
const KERNEL_OPERATIONS = ['append'] as const;
const ARCHITECTURES = ['x86_64', 'aarch64', 'arm64', 'ppc64le', 's390x'];

export interface InfraEnvInput {
  /** The values that the user set. */
  readonly given: Settings;
  /** The settings after the command. */
  readonly settings: Settings;
  /** The settings before the command; undefined for a new infra-env. */
  readonly before: Settings | undefined;
}

interface InfraEnvInputRule {
  readonly id: string;
  readonly subject: string;
  readonly check: (input: InfraEnvInput) => Omit<Refusal, 'code' | 'subject'> | undefined;
}

/** All rules for user input. The first violated rule determines the refusal. */
export const INFRA_ENV_INPUT_RULES: readonly InfraEnvInputRule[] = [
  {
    id: 'name-given',
    subject: 'name',
    check: ({ settings }) => (settings.name ? undefined : { reason: 'The infra-env has no name. Set name.' }),
  },
  {
    id: 'cluster-unchanged',
    subject: 'cluster_id',
    check: ({ given, before }) =>
      before && given.clusterId !== undefined && given.clusterId !== (before.clusterId ?? '')
        ? { reason: 'The cluster of an infra-env cannot be changed. Bind single hosts, or register another infra-env.' }
        : undefined,
  },
  {
    id: 'image-type-known',
    subject: 'image_type',
    check: ({ settings }) => oneOf('image_type', settings.imageType, IMAGE_TYPES),
  },
  {
    id: 'architecture-known',
    subject: 'cpu_architecture',
    check: ({ settings }) => oneOf('cpu_architecture', settings.cpuArchitecture, ARCHITECTURES),
  },
  {
    id: 'minimal-image-of-architecture',
    subject: 'image_type',
    check: ({ settings }) =>
      settings.cpuArchitecture === 's390x' && settings.imageType === 'minimal-iso'
        ? { reason: 'Machines of architecture s390x cannot boot a minimal image. Use full-iso.', allowed: ['full-iso'] }
        : undefined,
  },
  {
    id: 'rendezvous-of-disconnected-image',
    subject: 'rendezvous_ip',
    check: ({ settings }) => {
      const { rendezvousIp = '', imageType } = settings;
      if (rendezvousIp === '') return undefined;
      if (imageType !== 'disconnected-iso')
        return {
          reason: 'rendezvous_ip can be set only with image_type disconnected-iso.',
          allowed: ['disconnected-iso'],
        };
      return parseIp(rendezvousIp) ? undefined : { reason: `rendezvous_ip "${rendezvousIp}" is not an address.` };
    },
  },
  {
    id: 'one-way-to-name-ntp-sources',
    subject: 'ntp_sources',
    check: ({ settings }) =>
      settings.ntpSources && settings.additionalNtpSources
        ? {
            reason:
              'ntp_sources replaces all NTP sources, and additional_ntp_sources adds to them. Set one of the two.',
          }
        : undefined,
  },
  {
    id: 'ntp-sources-are-hosts',
    subject: 'ntp_sources',
    check: ({ settings }) => hosts('ntp_sources', settings.ntpSources),
  },
  {
    id: 'additional-ntp-sources-are-hosts',
    subject: 'additional_ntp_sources',
    check: ({ settings }) => hosts('additional_ntp_sources', settings.additionalNtpSources),
  },
  {
    id: 'discovery-delay-not-negative',
    subject: 'network_discovery_delay_seconds',
    check: ({ settings: { networkDiscoveryDelaySeconds: seconds = 0 } }) =>
      seconds >= 0 ? undefined : { reason: `network_discovery_delay_seconds ${seconds} is negative. Use 0 or more.` },
  },
  {
    id: 'http-proxy-is-url',
    subject: 'proxy.http_proxy',
    check: ({ settings }) => proxy('http_proxy', settings.proxy?.httpProxy, ['http:']),
  },
  {
    id: 'https-proxy-is-url',
    subject: 'proxy.https_proxy',
    check: ({ settings }) => proxy('https_proxy', settings.proxy?.httpsProxy, ['http:', 'https:']),
  },
  {
    id: 'no-proxy-names-places',
    subject: 'proxy.no_proxy',
    check: ({ given }) => noProxyFault(given.proxy?.noProxy),
  },
  {
    id: 'ssh-key-readable',
    subject: 'ssh_authorized_key',
    check: ({ settings }) =>
      isSshPublicKeys(settings.sshAuthorizedKey ?? '')
        ? undefined
        : { reason: 'ssh_authorized_key is not a list of public keys in the format of ssh-keygen, one per line.' },
  },
  {
    id: 'kernel-arguments-readable',
    subject: 'kernel_arguments',
    check: ({ settings: { kernelArguments = '' } }) => {
      if (kernelArguments === '') return undefined;
      return parseKernelArguments(kernelArguments).kind === 'valid'
        ? undefined
        : {
            reason:
              'kernel_arguments must be a list of {"operation", "value"}. The only supported operation is append, and each value is one argument of a kernel command line.',
            allowed: KERNEL_OPERATIONS,
          };
    },
  },
  {
    id: 'kernel-arguments-bootable',
    subject: 'kernel_arguments',
    // Only the given ones: an infra-env that has other arguments from an earlier version can still be changed.
    check: ({ given: { kernelArguments = '' }, before }) => {
      const read = readKernelArguments(kernelArguments);
      if ('refusal' in read) return undefined;
      for (const value of read.kernelArguments) {
        const reason = kargRefusal(value);
        if (reason !== undefined)
          return { reason: `The kernel argument ${JSON.stringify(value.slice(0, 200))} is refused: ${reason}.` };
      }
      const { length } = read.kernelArguments.join(' ');
      return length <= ADDED_KARGS_LENGTH_MAX || kernelArguments === before?.kernelArguments
        ? undefined
        : {
            reason: `kernel_arguments have ${length} characters in all. The boot menus of an image have room for ${ADDED_KARGS_LENGTH_MAX}.`,
          };
    },
  },
];

/** Returns why the text cannot be the additional trust bundle of an infra-env; undefined when it can. */
export function trustBundleProblem(bundle: string): ReturnType<InfraEnvInputRule['check']> {
  if (bundle.length > MAX_TRUST_BUNDLE_CHARACTERS)
    return { reason: `additional_trust_bundle may have at most ${MAX_TRUST_BUNDLE_CHARACTERS} characters.` };
  const fault = bundle === '' ? undefined : certificatesFault(bundle);
  return fault === undefined
    ? undefined
    : { reason: `additional_trust_bundle must be a list of PEM certificates: ${fault}` };
}

export function infraEnvInputRefusal(input: InfraEnvInput): Refusal | undefined {
  for (const { subject, check } of INFRA_ENV_INPUT_RULES) {
    const broken = check(input);
    if (broken) return { code: 'invalid-input', subject, ...broken };
  }
  return undefined;
}

const parseKernelArguments = createJsonParser(
  Type.Array(
    Type.Object({
      operation: enumOf(KERNEL_OPERATIONS),
      value: Type.String({ pattern: KERNEL_ARGUMENT.source }),
    }),
  ),
  { name: 'kernel_arguments' },
);

/** The arguments that an infra-env adds to the kernel's command line, from the text of its setting. */
export function readKernelArguments(
  setting: string,
): { readonly kernelArguments: readonly string[] } | { readonly refusal: Refusal } {
  const parsed = parseKernelArguments(setting || '[]');
  if (parsed.kind === 'valid') return { kernelArguments: parsed.value.map(({ value }) => value) };
  const reason = `The kernel arguments of the infra-env cannot be used: ${formatViolation(parsed.violations[0])}.`;
  return { refusal: { code: 'invalid-input', reason, subject: 'kernel_arguments' } };
}

function oneOf(
  field: string,
  value: string | undefined,
  allowed: readonly string[],
): ReturnType<InfraEnvInputRule['check']> {
  if (!value || allowed.includes(value)) return undefined;
  return { reason: `${field} "${value}" is not an allowed value.`, allowed };
}

function hosts(field: string, list: string | undefined): ReturnType<InfraEnvInputRule['check']> {
  const wrong = wrongHostIn(list ?? '');
  return wrong === undefined ? undefined : { reason: `${field} "${wrong}" is neither a host name nor an address.` };
}

/** The URL may contain a password, so the message does not repeat it. */
function proxy(
  field: string,
  url: string | undefined,
  schemes: readonly string[],
): ReturnType<InfraEnvInputRule['check']> {
  if (!url || isProxyUrl(url, schemes)) return undefined;
  return { reason: `${field} is not an address like http://proxy.example.com:3128.`, allowed: schemes };
}
