import { parseArgs } from 'node:util';
import type { InstallerSettings, InstallRole, ProgramSource } from './settings';

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

/** Reads the flags of assisted-installer and those of Muster. @throws Error that names the flag that is wrong */
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
    controller: programOf(values, values['controller-image'] ?? ''),
    logSender: programOf(values, values['agent-image'] ?? ''),
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

function programOf(
  values: {
    readonly 'host-binary-path'?: string;
    readonly 'host-binary-url'?: string;
    readonly 'host-binary-sha256'?: string;
  },
  image: string,
): ProgramSource {
  const path = values['host-binary-path'];
  if (!path) return { kind: 'container', image };
  return {
    kind: 'executable',
    path,
    url: values['host-binary-url'] ?? '',
    sha256: values['host-binary-sha256'] ?? '',
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
