import type { NetworkInterfaceInfo } from 'node:os';
import { containsIp, parseCidr } from '@muster/addresses';
import type { Interface, Route } from '../machine/inventory';
import { LEASE_INTERFACES } from './dhcp-leases';
import type { MachineFiles } from './machine-files';

/** Addresses by interface name, as `os.networkInterfaces()` returns them. */
export type Addresses = { readonly [name: string]: readonly NetworkInterfaceInfo[] | undefined };

/** Bits of the interface flags of the kernel, with their names in the v2 API. */
const FLAGS: readonly (readonly [number, string])[] = [
  [0x1, 'up'],
  [0x2, 'broadcast'],
  [0x8, 'loopback'],
  [0x10, 'pointtopoint'],
  [0x1000, 'multicast'],
];
const IS_UP = 0x1;
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i;

/** The interfaces of the machine. */
const namesOf = (files: MachineFiles): readonly string[] =>
  files.list('/sys/class/net').filter((name) => !isOfLease(files, name));

/** A lease for a VIP is requested on an interface that exists only meanwhile. Other steps run at the same time. */
const isOfLease = (files: MachineFiles, name: string): boolean =>
  LEASE_INTERFACES.includes(name) && typeOf(files, name) !== 'physical';

export function readInterfaces(files: MachineFiles, addresses: Addresses): readonly Interface[] {
  const byInterface = new Map<string, NetworkInterfaceInfo[]>();
  for (const [label, infos = []] of Object.entries(addresses)) {
    // An address can have a label of its own, which begins with the name of its interface: eth0:1.
    const name = label.replace(/:.*/, '');
    byInterface.set(name, [...(byInterface.get(name) ?? []), ...infos]);
  }
  return namesOf(files)
    .filter((name) => files.exists(`/sys/class/net/${name}/address`))
    .map((name) => {
      const net = `/sys/class/net/${name}`;
      const flags = Number.parseInt(files.text(`${net}/flags`) ?? '0', 16);
      const cidrs = (family: 'IPv4' | 'IPv6'): string[] =>
        (byInterface.get(name) ?? []).flatMap((one) =>
          one.family === family && one.cidr && !LINK_LOCAL.test(one.address) ? [one.cidr] : [],
        );
      return {
        flags: [...FLAGS.filter(([bit]) => flags & bit).map(([, name]) => name), ...runningFlag(files, net, flags)],
        has_carrier: files.text(`${net}/carrier`) === '1',
        ipv4_addresses: cidrs('IPv4'),
        ipv6_addresses: cidrs('IPv6').map((cidr) => withPrefixOfLink(files, name, cidr)),
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

const IPV6_BITS = 128;
const HAS_GATEWAY = 0x2;

/** DHCPv6 assigns /128 addresses. The prefix of their link is that of a route without a gateway. */
function withPrefixOfLink(files: MachineFiles, name: string, cidr: string): string {
  const own = parseCidr(cidr);
  if (own?.prefix !== IPV6_BITS) return cidr;
  for (const line of (files.text('/proc/net/ipv6_route') ?? '').split('\n')) {
    const [destination = '', prefix = '', , , , , , , flags = '', device] = line.trim().split(/\s+/);
    const bits = Number.parseInt(prefix, 16);
    const isOnLink = device === name && !(Number.parseInt(flags, 16) & (HAS_GATEWAY | IS_REJECT));
    if (!isOnLink || !(bits > 0 && bits < IPV6_BITS)) continue;
    const link = parseCidr(`${toIpv6(destination)}/${bits}`);
    if (link && containsIp(link, own.address)) return cidr.replace(/128$/, String(bits));
  }
  return cidr;
}

/** The kernel computes this flag from the operational state. The flags file does not contain it. */
const runningFlag = (files: MachineFiles, net: string, flags: number): readonly string[] =>
  flags & IS_UP && ['up', 'unknown'].includes(files.text(`${net}/operstate`) ?? '') ? ['running'] : [];

/** Lengths of MAC addresses in bytes: Ethernet, FireWire, InfiniBand. The address of a tunnel is the IP address of its end. */
const MAC_BYTES = [6, 8, 20];

/** A member of a bond has the MAC address of the bond. Its own address is in a separate file. */
function permanentMac(files: MachineFiles, name: string): string | undefined {
  const own = files.text(`/sys/class/net/${name}/bonding_slave/perm_hwaddr`);
  const mac = own ?? files.text(`/sys/class/net/${name}/address`) ?? '';
  return MAC_BYTES.includes(mac.split(':').length) && /[^0:]/.test(mac) ? mac : undefined;
}

/** Returns `physical` or the kind of the link as netlink names it; `device` for kinds that /sys does not contain. */
function typeOf(files: MachineFiles, name: string): string {
  const net = `/sys/class/net/${name}`;
  const isVirtual = files.resolved(net)?.includes('/virtual/') ?? true;
  if (!isVirtual) return 'physical';
  const kind = /^DEVTYPE=(.+)$/m.exec(files.text(`${net}/uevent`) ?? '')?.[1];
  if (kind) return kind;
  if (files.exists(`${net}/tun_flags`)) return 'tun';
  // The peer of the pair is another interface.
  const other = files.text(`${net}/iflink`);
  return other !== undefined && other !== '0' && other !== files.text(`${net}/ifindex`) ? 'veth' : 'device';
}

/** The kernel has chosen the address of an interface, such as ifb0, and chooses another one at the next boot. */
const RANDOM = '1';

/**
 * MAC addresses that identify the machine, without the loopback interface. Random ones only when it has no others: a machine
 * without a serial number would get another id with each boot.
 */
export function permanentMacs(files: MachineFiles): readonly string[] {
  const names = namesOf(files).filter((name) => permanentMac(files, name));
  const lasting = names.filter((name) => files.text(`/sys/class/net/${name}/addr_assign_type`) !== RANDOM);
  return (lasting.length > 0 ? lasting : names).flatMap((name) => permanentMac(files, name) ?? []);
}

const IS_REJECT = 0x200;
const IS_LOCAL = 0x80000000;
const METRIC_UNSET = 0xffffffff;

/** `architecture`: output of `uname -m`. */
export function readRoutes(files: MachineFiles, architecture: string): readonly Route[] {
  const isBigEndian = BIG_ENDIAN.includes(architecture);
  const routes = [...readIpv4(files, (hex) => toIpv4(hex, isBigEndian)), ...readIpv6(files)];
  return routes.filter((route) => !isOfLease(files, route.interface));
}

function readIpv4(files: MachineFiles, toAddress: (hex: string) => string): readonly Route[] {
  const [, ...lines] = (files.text('/proc/net/route') ?? '').split('\n');
  return lines.flatMap((line): Route[] => {
    const [name, destination, gateway, flags, , , metric] = line.trim().split(/\s+/);
    if (!name || !destination || !gateway || !(Number.parseInt(flags ?? '0', 16) & IS_UP)) return [];
    const via = toAddress(gateway);
    return [
      {
        destination: toAddress(destination),
        family: 2,
        gateway: via === '0.0.0.0' ? undefined : via,
        interface: name,
        metric: Number(metric),
      },
    ];
  });
}

/** Machines whose numbers begin with the highest byte. */
const BIG_ENDIAN = ['s390x'];

/** The kernel prints the address as a number, and the byte order of the machine determines its first byte. */
function toIpv4(hex: string, isBigEndian: boolean): string {
  const bytes = (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  return (isBigEndian ? bytes : bytes.reverse()).join('.');
}

function readIpv6(files: MachineFiles): readonly Route[] {
  return (files.text('/proc/net/ipv6_route') ?? '').split('\n').flatMap((line): Route[] => {
    const [destination, , , , nextHop, metric, , , flags, name] = line.trim().split(/\s+/);
    if (!destination || !nextHop || !metric || !flags || !name) return [];
    const bits = Number.parseInt(flags, 16);
    const isOfHosts = bits & IS_UP && !(bits & IS_REJECT) && !(bits & IS_LOCAL) && !destination.startsWith('ff');
    if (!isOfHosts) return [];
    const via = toIpv6(nextHop);
    const cost = Number.parseInt(metric, 16);
    return [
      {
        destination: toIpv6(destination),
        family: 10,
        gateway: via === '::' ? undefined : via,
        interface: name,
        metric: cost === METRIC_UNSET ? undefined : cost,
      },
    ];
  });
}

/** The URL parser returns an address in its shortest form. */
const toIpv6 = (hex: string): string =>
  new URL(`http://[${(hex.match(/.{4}/g) ?? []).join(':')}]/`).hostname.slice(1, -1);

/** Names that a host of a cluster must not have. */
const NAMELESS: ReadonlySet<string> = new Set(
  ['', '4', '6'].flatMap((family) => [`localhost${family}`, `localhost${family}.localdomain${family}`]),
);
const NAMING_TYPES = ['physical', 'vlan', 'bond'];

/**
 * Returns the name of the machine, or a name made from the MAC address of its first usable interface when it has none.
 */
export function hostnameOf(name: string, interfaces: readonly Interface[]): string {
  const trimmed = name.trim();
  if (!NAMELESS.has(trimmed)) return trimmed;
  const card = [...interfaces]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .find(
      ({ type, mac_address, ipv4_addresses, ipv6_addresses }) =>
        NAMING_TYPES.includes(type ?? '') && mac_address && ipv4_addresses.length + ipv6_addresses.length > 0,
    );
  return card?.mac_address?.toLowerCase().replaceAll(':', '-') ?? trimmed;
}
