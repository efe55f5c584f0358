import { parseArgs } from 'node:util';

export type InstallRole = 'bootstrap' | 'master' | 'worker' | 'arbiter';

/** A program in a container image, or this executable. */
export type ProgramSource =
  | { readonly kind: 'container'; readonly image: string }
  /** `path`: on this host. `url`, `sha256`: for other hosts. */
  | { readonly kind: 'executable'; readonly path: string; readonly url: string; readonly sha256: string };

/** Settings of one installation, from the install step. Empty text and empty list: not set. */
export interface InstallerSettings {
  readonly role: InstallRole;
  readonly clusterId: string;
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly bootDevice: string;
  /** URL of the service, such as `http://host:port`. */
  readonly serviceUrl: string;
  readonly token: string;
  readonly isInsecure: boolean;
  /** File with the certificate authority of the service. */
  readonly caPath: string;
  readonly openshiftVersion: string;
  readonly mcoImage: string;
  /** Image reference, or a JSON object of image references by operator. */
  readonly mustGatherImage: string;
  /** The program that runs in the new cluster. */
  readonly controller: ProgramSource;
  /** The program that sends the logs of this host. */
  readonly logSender: ProgramSource;
  /** Image for an installation on the file system from which the host runs. */
  readonly coreosImage: string;
  /** 0 for workers. */
  readonly controlPlaneCount: number;
  readonly checksClusterVersion: boolean;
  readonly skipsDiskCleanup: boolean;
  readonly skipsMcoReboot: boolean;
  readonly notifiesReboots: boolean;
  readonly formatDisks: readonly string[];
  /** Additional arguments of coreos-installer. */
  readonly installerArgs: readonly string[];
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  /** Addresses of the service, which the controller uses under the name assisted-api.local.openshift.io. */
  readonly serviceIps: readonly string[];
}

/** Returns the proxy environment for commands that use the network. */
export function proxyEnvironment(settings: InstallerSettings): { readonly [name: string]: string } {
  const given = { HTTP_PROXY: settings.httpProxy, HTTPS_PROXY: settings.httpsProxy, NO_PROXY: settings.noProxy };
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== '')
      .flatMap(([name, value]) => [
        [name, value],
        [name.toLowerCase(), value],
      ]),
  );
}

const ROLES: readonly InstallRole[] = ['bootstrap', 'master', 'worker', 'arbiter'];
const text = { type: 'string' } as const;
const list = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
const OPTIONS = {
  role: text,
  'cluster-id': text,
  'infra-env-id': text,
  'host-id': text,
  'boot-device': text,
  url: text,
  'openshift-version': text,
  'mco-image': text,
  'must-gather-image': text,
  'controller-image': text,
  'agent-image': text,
  'coreos-image': text,
  'control-plane-count': text,
  'installer-args': text,
  cacert: text,
  'http-proxy': text,
  'https-proxy': text,
  'no-proxy': text,
  'service-ips': text,
  'host-binary-path': text,
  'host-binary-url': text,
  'host-binary-sha256': text,
  'format-disk': list,
  insecure: flag,
  verbose: flag,
  'check-cluster-version': flag,
  'skip-installation-disk-cleanup': flag,
  'enable-skip-mco-reboot': flag,
  'notify-num-reboots': flag,
} as const;

/**
 * Parses the flags of assisted-installer and those of Muster.
 * @throws Error with the name of the invalid flag
 */
export function parseInstallFlags(
  args: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): InstallerSettings {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const required = (name: 'cluster-id' | 'host-id' | 'url'): string => {
    const value = values[name];
    if (!value) throw new Error(`--${name} is missing.`);
    return value;
  };
  const role = ROLES.find((one) => one === (values.role ?? 'master'));
  if (!role) throw new Error(`--role is "${values.role}". Allowed: ${ROLES.join(', ')}.`);
  const coreosImage = values['coreos-image'] ?? '';
  const bootDevice = values['boot-device'] ?? '';
  if (bootDevice === '' && coreosImage === '') throw new Error('--boot-device is missing.');
  const count = Number(values['control-plane-count'] ?? 0);
  if (!Number.isInteger(count) || count < 0)
    throw new Error(`--control-plane-count is "${values['control-plane-count']}". Use a whole number from 0.`);
  return {
    role,
    clusterId: required('cluster-id'),
    infraEnvId: values['infra-env-id'] ?? required('cluster-id'),
    hostId: required('host-id'),
    bootDevice,
    serviceUrl: required('url'),
    token: environment['PULL_SECRET_TOKEN'] ?? '',
    isInsecure: values.insecure ?? false,
    caPath: values.cacert ?? '',
    openshiftVersion: values['openshift-version'] ?? '',
    mcoImage: values['mco-image'] ?? '',
    mustGatherImage: values['must-gather-image'] ?? '',
    ...programsOf(values),
    coreosImage,
    controlPlaneCount: role === 'worker' ? 0 : count,
    checksClusterVersion: values['check-cluster-version'] ?? false,
    skipsDiskCleanup: values['skip-installation-disk-cleanup'] ?? false,
    skipsMcoReboot: values['enable-skip-mco-reboot'] ?? false,
    notifiesReboots: values['notify-num-reboots'] ?? false,
    formatDisks: values['format-disk'] ?? [],
    installerArgs: parseInstallerArgs(values['installer-args'] ?? ''),
    httpProxy: values['http-proxy'] ?? '',
    httpsProxy: values['https-proxy'] ?? '',
    noProxy: values['no-proxy'] ?? '',
    serviceIps: (values['service-ips'] ?? '').split(',').filter((ip) => ip !== ''),
  };
}

const EXECUTABLE_PREFIX = 'muster-host:';

/** A controller with a container image uses it also beside the executable. Logs are sent without a registry if possible. */
function programsOf(values: {
  readonly 'agent-image'?: string;
  readonly 'controller-image'?: string;
  readonly 'host-binary-path'?: string;
  readonly 'host-binary-url'?: string;
  readonly 'host-binary-sha256'?: string;
}): Pick<InstallerSettings, 'controller' | 'logSender'> {
  const { 'agent-image': agent = '', 'controller-image': controller = '', 'host-binary-path': path = '' } = values;
  const { 'host-binary-url': url = '', 'host-binary-sha256': sha256 = '' } = values;
  const programOf = (image: string): ProgramSource =>
    path === '' ? { kind: 'container', image } : { kind: 'executable', path, url, sha256 };
  const isContainer = controller !== '' && !controller.startsWith(EXECUTABLE_PREFIX);
  return {
    controller: isContainer ? { kind: 'container', image: controller } : programOf(controller),
    logSender: programOf(agent),
  };
}

function parseInstallerArgs(json: string): readonly string[] {
  if (json === '') return [];
  const fail = (): never => {
    throw new Error(`--installer-args is "${json}". Use a JSON array of strings.`);
  };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return fail();
  }
  return Array.isArray(value) && value.every((arg): arg is string => typeof arg === 'string') ? value : fail();
}
