import { isIPv4 } from 'node:net';
import { DEFAULT_OS_IMAGES, STEP_TYPES } from '@muster/assisted-api';
import { type Environment, imageEndpoint, inexactNetworkLimits, restEndpoint, SettingsReader } from '@muster/nest-kit';
import { ALL_RULES, checkOverrides, type OverrideSubject } from '@muster/validation-rules';
import { agentBusProblem, EVERY_ADDRESS, LOOPBACK } from './bus-access';
import type { Surroundings } from './probes';

/** A problem that prevents installations, with its remedy. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly check: string;
  readonly problem: string;
  readonly remedy: string;
}

type Check = (settings: SettingsReader, around: Surroundings) => Promise<readonly Finding[]> | readonly Finding[];

const GIBIBYTE = 1024 ** 3;
/** Approximate size of one boot image with its parts. */
const IMAGE_SPACE_BYTES = 5 * GIBIBYTE;
/** The release date of this program. An earlier clock is wrong, and certificates would not be valid. */
const CLOCK_MS_MIN = Date.UTC(2026, 0, 1);

const found = (severity: Finding['severity'], check: string, problem: string, remedy: string): readonly Finding[] => [
  { severity, check, problem, remedy },
];

const hostAddresses: Check = (settings, around) => {
  const [isLocal, downloads] = [!settings.isSet('SERVICE_BASE_URL'), !settings.isSet('AGENT_DOCKER_IMAGE')];
  // One finding is enough for a start that serves this machine only.
  const needsImages = !isLocal && downloads && settings.isSet('MUSTER_HOST_BINARIES');
  return [
    ...addressFindings(settings, around, 'SERVICE_BASE_URL'),
    ...(needsImages || settings.isSet('IMAGE_SERVICE_BASE_URL')
      ? addressFindings(settings, around, 'IMAGE_SERVICE_BASE_URL')
      : []),
  ];
};

const ADDRESSES = {
  SERVICE_BASE_URL: {
    use: 'receive',
    endpointOf: restEndpoint,
    hostSetting: 'REST_HOST',
    portSettings: ['REST_PORT'],
  },
  IMAGE_SERVICE_BASE_URL: {
    use: 'download the executable from',
    endpointOf: imageEndpoint,
    hostSetting: 'IMAGE_HOST',
    portSettings: ['IMAGE_PORT', 'HTTP_LISTEN_PORT'],
  },
} as const;

function addressFindings(
  settings: SettingsReader,
  { addresses }: Surroundings,
  name: keyof typeof ADDRESSES,
): readonly Finding[] {
  const value = settings.get(name);
  const host = value === undefined ? '' : new URL(value).hostname;
  const isEvery = EVERY_ADDRESS.test(host.replace(/^\[|\]$/g, ''));
  const { use, endpointOf, hostSetting, portSettings } = ADDRESSES[name];
  const { scheme, port } = endpointOf(settings);
  if (value !== undefined && !isEvery && !LOOPBACK.test(host)) {
    const listener = settings.get(hostSetting);
    if (host.startsWith('[') && addresses.includes(host) && isIPv4(listener)) {
      const problem = `${name}=${value} is an IPv6 address of this machine, but Muster listens on ${listener}, IPv4 only: hosts cannot connect.`;
      return found('warning', 'addresses', problem, `Set ${hostSetting}=::.`);
    }
    const { protocol, port: named } = new URL(value);
    if (protocol !== 'http:' || scheme === 'http' || Number(named || 80) !== port) return [];
    const problem = `${name}=${value} uses http, but Muster listens on port ${port} with TLS: hosts cannot connect.`;
    const corrected = value.replace(/^http(:\/\/[^/]*?)(:\d*)?(\/.*)?$/i, `https$1:${port}$3`);
    return found('warning', 'addresses', problem, `Set ${name}=${corrected}.`);
  }
  const url = `${scheme}://${addresses[0] ?? '<address of this machine>'}`;
  return found(
    'warning',
    'addresses',
    value === undefined
      ? `${name} is not set: hosts ${use} the address 127.0.0.1, which is their own loopback address.`
      : `${name}=${value} is ${isEvery ? 'not the address of one machine' : 'a loopback address'}: other machines cannot reach it.`,
    port === 0
      ? // Each start would select another port, and images of hosts contain the URL.
        `Set ${portSettings.join(' or ')} to a port other than 0, and ${name}=${url}:<port>.`
      : `Set ${name}=${url}:${port}.`,
  );
}

const hostBus: Check = (settings) => {
  const problem = agentBusProblem(settings);
  if (problem === undefined) return [];
  return found(
    'warning',
    'addresses',
    `${problem}: agents on other machines use HTTP only.`,
    'Set NATS_HOST to an address that hosts can reach, NATS_PORT, and AGENT_NATS_URL with both, or leave all unset.',
  );
};

const simulatedImage: Check = (settings) =>
  settings.isSet('OS_IMAGES') || !settings.get('MUSTER_SIMULATED_IMAGE')
    ? []
    : found(
        'warning',
        'catalogue',
        'The 4.18 x86_64 image boots simulated hosts only.',
        'Set MUSTER_SIMULATED_IMAGE=false, or OS_IMAGES.',
      );

/**
 * OKD hosts need additional packages in the live system. They install them only when a setting names the image with the
 * packages.
 */
const okdPackages: Check = (settings) => {
  const releases = (settings.get('RELEASE_IMAGES') ?? []).filter(
    ({ version, simulated }) => version.includes('okd') && !simulated,
  );
  return releases.length === 0 || settings.isSet('OKD_RPMS_IMAGE') || !settings.get('ENABLE_OKD_SUPPORT')
    ? []
    : found(
        'warning',
        'catalogue',
        `RELEASE_IMAGES has OKD releases (${releases.map(({ version }) => version).join(', ')}), and OKD_RPMS_IMAGE is not set: discovery images have the configuration of OpenShift.`,
        'Set OKD_RPMS_IMAGE to the image okd-rpms of the release, or ENABLE_OKD_SUPPORT=false.',
      );
};

const IS_REMOTE = /^https?:/i;
const isServer = (url: string): boolean => IS_REMOTE.test(url) && URL.canParse(url);

const catalogue: Check = async (settings, { failureOf }) => {
  const given = settings.get('OS_IMAGES');
  const place = given ? 'in OS_IMAGES' : 'of the default catalogue';
  const images = given ?? (settings.get('MUSTER_SIMULATED_IMAGE') ? [] : DEFAULT_OS_IMAGES);
  const urls = images.map(({ url }) => (isServer(url) ? new URL(url).origin : url));
  const results = await Promise.all([...new Set(urls)].map(async (url) => ({ url, failure: await failureOf(url) })));
  return results.flatMap(({ url, failure }) => {
    if (failure === undefined) return [];
    // The URL, which may contain a password, is in the reason without it.
    if (IS_REMOTE.test(url) && !isServer(url)) return found('error', 'catalogue', `${failure}.`, 'Correct OS_IMAGES.');
    return IS_REMOTE.test(url)
      ? found(
          'error',
          'catalogue',
          `The image server ${url} ${place} cannot be reached: ${failure}.`,
          'Correct OS_IMAGES, the proxy or the firewall, or set OS_IMAGES with file:// URLs.',
        )
      : found(
          'error',
          'catalogue',
          `The image ${url} ${place} cannot be read: ${failure}.`,
          'Correct OS_IMAGES or IMAGE_DIRECTORY, or copy the image to that path.',
        );
  });
};

const gib = (bytes: number): string => `${(bytes / GIBIBYTE).toFixed(1)} GiB`;

const diskSpace: Check = async (settings, { freeBytes }) => {
  const directory = settings.get('MUSTER_DATA_DIRECTORY');
  const free = await freeBytes(directory);
  if (free >= settings.get('MUSTER_DISK_RESERVE')) return [];
  const problem = `${directory} has ${gib(free)} free, less than MUSTER_DISK_RESERVE.`;
  return found('error', 'disk', problem, 'Free disk space, or set MUSTER_DATA_DIRECTORY to a larger disk.');
};

/** Images of files and images that are streamed are not stored. A disk with less than the reserve was reported before. */
const imageSpace: Check = async (settings, { freeBytes }) => {
  const dataDirectory = settings.get('MUSTER_DATA_DIRECTORY');
  const directory = settings.get('DATA_DIR') ?? dataDirectory;
  const free = await freeBytes(directory);
  const isReported = directory === dataDirectory && free < settings.get('MUSTER_DISK_RESERVE');
  const areStored = (settings.get('OS_IMAGES') ?? DEFAULT_OS_IMAGES).some(({ url }) => IS_REMOTE.test(url));
  if (!areStored || settings.get('OS_IMAGES_FETCH') === 'stream' || free >= IMAGE_SPACE_BYTES || isReported) return [];
  const problem = `${directory} has ${gib(free)} free; one boot image needs about ${gib(IMAGE_SPACE_BYTES)}.`;
  return found('warning', 'disk', problem, 'Free disk space, or set DATA_DIR to a larger disk.');
};

const clock: Check = (_settings, { nowMs }) => {
  if (nowMs >= CLOCK_MS_MIN) return [];
  const problem = `The clock of this machine shows ${new Date(nowMs).toISOString()}. Certificates that it issues would not be valid.`;
  return found('error', 'clock', problem, 'Synchronise the clock with NTP.');
};

const componentImages: Check = (settings) => {
  const names = ['AGENT_DOCKER_IMAGE', 'INSTALLER_IMAGE', 'CONTROLLER_IMAGE'] as const;
  const unset = settings.isSet('MUSTER_HOST_BINARIES') ? [] : names.filter((name) => !settings.isSet(name));
  return unset.length === 0
    ? []
    : found(
        'warning',
        'component images',
        `Hosts use the default images of ${unset.join(', ')}, which may not exist, and no host executable is configured.`,
        `Set ${unset.join(', ')} to images that hosts can pull, or set MUSTER_HOST_BINARIES.`,
      );
};

const toolchain: Check = async (settings, { canExecute }) => {
  const path = settings.get('OPENSHIFT_INSTALL_PATH');
  const setting = settings.get('INSTALL_TOOLCHAIN');
  if (setting === 'builtin')
    return found(
      'warning',
      'toolchain',
      'INSTALL_TOOLCHAIN=builtin supports simulated releases only: no real machine can be installed.',
      'Unset INSTALL_TOOLCHAIN.',
    );
  return path !== undefined && !(await canExecute(path))
    ? found(
        'error',
        'toolchain',
        `OPENSHIFT_INSTALL_PATH=${path} is not a program that the service can run.`,
        'Correct the path, or unset OPENSHIFT_INSTALL_PATH: the installer is then read from each release.',
      )
    : [];
};

const workDirectory: Check = async (settings, { canWrite }) => {
  const path = settings.get('WORK_DIR');
  if (path === undefined || (await canWrite(path))) return [];
  const problem = `WORK_DIR=${path} is not a directory to which the service can write.`;
  return found('error', 'toolchain', problem, 'Correct the path or its permissions.');
};

const programs: Check = async (settings, { hasProgram }) => {
  if (settings.isSet('NATS_URL') || (await hasProgram('nats-server'))) return [];
  return found(
    'error',
    'bus',
    'The program nats-server is not installed.',
    'Install the package nats-server, or set NATS_URL.',
  );
};

/** A misspelled id disables nothing. */
const disabledIds: Check = (settings) => {
  const isRule = (subject: OverrideSubject) => (id: string) =>
    id !== ALL_RULES && checkOverrides(subject, [id]).unknown.length === 0;
  const ruleIds = 'The ids are in docs/reference/validations.md.';
  const lists = [
    ['DISABLED_HOST_VALIDATIONS', isRule('host'), ruleIds],
    ['DISABLED_CLUSTER_VALIDATIONS', isRule('cluster'), ruleIds],
    [
      'DISABLED_STEPS',
      (id: string) => STEP_TYPES.some((type) => type === id),
      `The steps are ${STEP_TYPES.join(', ')}.`,
    ],
  ] as const;
  return lists.flatMap(([name, isKnown, knownIds]) => {
    const unknown = settings.get(name).filter((id) => !isKnown(id));
    if (unknown.length === 0) return [];
    const problem = `${name} contains ${unknown.join(', ')}, which does not exist and disables nothing.`;
    return found('warning', 'settings', problem, `Correct or remove it. ${knownIds}`);
  });
};

const inexactLimits: Check = (settings) => {
  const limits = inexactNetworkLimits(settings);
  if (limits.length === 0) return [];
  const problem = `HW_VALIDATOR_REQUIREMENTS limits ${limits.join(' and ')}, which hosts may exceed within a step of the measurement.`;
  return found('warning', 'settings', problem, 'The exact limits are in docs/reference/settings.md.');
};

/** Checks that need no network. `npm start` runs them too. The start itself reports the simulated image. */
const LOCAL: readonly Check[] = [
  hostAddresses,
  hostBus,
  okdPackages,
  diskSpace,
  imageSpace,
  clock,
  componentImages,
  toolchain,
  workDirectory,
  programs,
  disabledIds,
  inexactLimits,
];

export const localFindings = (environment: Environment, around: Surroundings): Promise<readonly Finding[]> =>
  findingsOf(LOCAL, environment, around);

/** Runs all checks. The settings must be valid, so run `checkSettings` first. */
export const allFindings = (environment: Environment, around: Surroundings): Promise<readonly Finding[]> =>
  findingsOf([...LOCAL, simulatedImage, catalogue], environment, around);

async function findingsOf(
  checks: readonly Check[],
  environment: Environment,
  around: Surroundings,
): Promise<readonly Finding[]> {
  const settings = new SettingsReader(environment);
  return (await Promise.all(checks.map((check) => check(settings, around)))).flat();
}

export const findingText = ({ check, problem, remedy }: Finding): string => `${check}: ${problem} ${remedy}`;
