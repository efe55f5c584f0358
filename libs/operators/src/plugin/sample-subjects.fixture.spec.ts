import type { OperatorPlugin } from './operator-plugin';
import {
  NO_SHAPE,
  type OperatorCluster,
  type OperatorDisk,
  type OperatorHardware,
  type OperatorHost,
  shapeOf,
} from './operator-facts';
import { STANDARD_SETTINGS } from './operator-settings';

export const GIB = 1024 ** 3;
export const GB = 1_000_000_000;
export const INSTALLATION_DISK = '/dev/sda';

export const disk = (changes: Partial<OperatorDisk> = {}): OperatorDisk => ({
  id: INSTALLATION_DISK,
  name: 'sda',
  path: '/dev/sda',
  byPath: '',
  byId: '',
  driveType: 'SSD',
  sizeBytes: 120 * GB,
  model: '',
  serial: '',
  hctl: '',
  bootable: false,
  removable: false,
  isInstallationMedia: false,
  hasUuid: true,
  agentReasons: [],
  holders: '',
  iscsiHostIpAddress: '',
  ...changes,
});

/** The installation disk and further disks of the given sizes in GB. */
export const disks = (...extraGb: readonly number[]): OperatorDisk[] => [
  disk(),
  ...extraGb.map((gb, index) => disk({ id: `/dev/sd${index + 2}`, name: `sd${index + 2}`, sizeBytes: gb * GB })),
];

export const hardware = (changes: Partial<OperatorHardware> = {}): OperatorHardware => ({
  hostname: 'node',
  cpuArchitecture: 'x86_64',
  cpuCount: 64,
  virtualNicTypes: [],
  physicalNicCount: 1,
  physicalMemoryBytes: 256 * GIB,
  usableMemoryBytes: 256 * GIB,
  physicalMemoryMethod: 'dmidecode',
  disks: disks(),
  nics: [],
  routes: [],
  manufacturer: '',
  productName: '',
  serialNumber: '',
  isVirtual: false,
  tpmVersion: '',
  bootMode: '',
  bootDeviceType: '',
  gpuCount: 0,
  truncation: 'none',
  diskCount: 1,
  gpus: [],
  hasVirtualization: true,
  secureBootState: 'Disabled',
  ...changes,
});

export const nic = (vendorId: string, productId: string): OperatorHardware['nics'][number] => ({
  name: 'ens1',
  macAddress: '',
  ipv4Addresses: [],
  ipv6Addresses: [],
  mtu: 1500,
  speedMbps: 0,
  type: '',
  hasCarrier: true,
  vendorId,
  productId,
});

/** `role`, or `auto-assign>suggestion`. */
export function host(role: string, changes: Partial<OperatorHardware> | undefined = {}): OperatorHost {
  const [given = '', suggested = given] = role.split('>');
  return {
    role: given,
    effectiveRole: suggested,
    hardware: hardware(changes),
    installationDiskId: INSTALLATION_DISK,
  };
}
export const unseen = (role: string): OperatorHost => ({ ...host(role), hardware: undefined });
export const hosts = (...roles: readonly string[]): OperatorHost[] => roles.map((role) => host(role));

export const cluster = (changes: Partial<OperatorCluster> = {}): OperatorCluster => ({
  release: [4, 18, 3],
  cpuArchitecture: 'x86_64',
  isSingleNode: false,
  hasSchedulableMasters: false,
  operators: [],
  minStorageGb: 0,
  shape: NO_SHAPE,
  settings: STANDARD_SETTINGS,
  ...changes,
});

/** Five hosts: three control plane hosts and two workers. */
export const WITH_WORKERS = shapeOf(hosts('master', 'master', 'master', 'worker', 'worker'));

export const statusOfHost = (plugin: OperatorPlugin, subject: OperatorHost, of: OperatorCluster): string =>
  plugin.host?.claim(subject, of).status ?? 'nothing';
export const statusOfCluster = (
  plugin: OperatorPlugin,
  subjects: readonly OperatorHost[],
  changes: Partial<OperatorCluster> = {},
): string => plugin.cluster?.claim(subjects, cluster({ shape: shapeOf(subjects), ...changes })).status ?? 'nothing';
