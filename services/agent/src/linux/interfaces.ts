import type { NetworkInterfaceInfo } from 'node:os';
import type { Interface } from '../machine/inventory';
import type { MachineFiles } from './machine-files';

/** Addresses by interface name, as `os.networkInterfaces()` gives them. */
export type Addresses = { readonly [name: string]: readonly NetworkInterfaceInfo[] | undefined };

/** Bits of the kernel's interface flags, and their names in the contract. */
const FLAGS: readonly (readonly [number, string])[] = [
  [0x1, 'up'],
  [0x2, 'broadcast'],
  [0x8, 'loopback'],
  [0x10, 'pointtopoint'],
  [0x1000, 'multicast'],
];
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i;

export function readInterfaces(files: MachineFiles, addresses: Addresses): readonly Interface[] {
  return files
    .list('/sys/class/net')
    .filter((name) => files.exists(`/sys/class/net/${name}/address`))
    .map((name) => {
      const net = `/sys/class/net/${name}`;
      const flags = Number.parseInt(files.text(`${net}/flags`) ?? '0', 16);
      const cidrs = (family: 'IPv4' | 'IPv6'): string[] =>
        (addresses[name] ?? []).flatMap((one) =>
          one.family === family && one.cidr && !LINK_LOCAL.test(one.address) ? [one.cidr] : [],
        );
      return {
        flags: FLAGS.filter(([bit]) => flags & bit).map(([, word]) => word),
        has_carrier: files.text(`${net}/carrier`) === '1',
        ipv4_addresses: cidrs('IPv4'),
        ipv6_addresses: cidrs('IPv6'),
        mac_address: permanentMac(files, name),
        mtu: Number(files.text(`${net}/mtu`) ?? 0),
        name,
        product: files.text(`${net}/device/device`),
        speed_mbps: Number(files.text(`${net}/speed`) ?? 0),
        type: typeOf(files, name),
        vendor: files.text(`${net}/device/vendor`),
      };
    });
}

/** A member of a bond shows the bond's address; its own is kept aside. */
function permanentMac(files: MachineFiles, name: string): string | undefined {
  const own = files.text(`/sys/class/net/${name}/bonding_slave/perm_hwaddr`);
  const mac = own ?? files.text(`/sys/class/net/${name}/address`);
  return mac === '00:00:00:00:00:00' ? undefined : mac;
}

function typeOf(files: MachineFiles, name: string): string {
  const isVirtual = files.resolved(`/sys/class/net/${name}`)?.includes('/virtual/') ?? true;
  if (!isVirtual) return 'physical';
  return /^DEVTYPE=(.+)$/m.exec(files.text(`/sys/class/net/${name}/uevent`) ?? '')?.[1] ?? 'device';
}

/** Addresses that name the machine: the loopback has none. */
export function permanentMacs(files: MachineFiles): readonly string[] {
  return files.list('/sys/class/net').flatMap((name) => permanentMac(files, name) || []);
}
