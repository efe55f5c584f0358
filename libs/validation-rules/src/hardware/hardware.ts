import { type Cidr, parseCidrs } from '@muster/addresses';
import type { DiskFacts, HardwareFacts, NicFacts, Plain, RouteFacts } from '@muster/contracts';
import { keptByObject } from '@muster/schema';

export type Hardware = Plain<HardwareFacts>;
export type Disk = Plain<DiskFacts>;
export type Nic = Plain<NicFacts>;
export type Route = Plain<RouteFacts>;

/** The hardware that rules read without an inventory. The result is `pending` in that case. */
export const NO_HARDWARE: Hardware = {
  hostname: '',
  cpuArchitecture: '',
  cpuCount: 0,
  physicalMemoryBytes: 0,
  usableMemoryBytes: 0,
  physicalMemoryMethod: '',
  disks: [],
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
  gpus: [],
  hasVirtualization: false,
  secureBootState: '',
  truncation: 'none',
  diskCount: 0,
  virtualNicTypes: [],
  physicalNicCount: 0,
};

/** Returns the addresses with prefix of every interface, IPv4 before IPv6 for each interface. */
export function addressesOf(hardware: Hardware): readonly string[] {
  return hardware.nics.flatMap((nic) => [...nic.ipv4Addresses, ...nic.ipv6Addresses]);
}

/**
 * Returns the addresses of every interface with their networks, in the order of `addressesOf`. They are parsed once per
 * inventory, because a change of one host compares the addresses of all hosts of its cluster.
 */
export const cidrsOf: (hardware: Hardware) => readonly Cidr[] = keptByObject((hardware) =>
  parseCidrs(addressesOf(hardware)),
);
