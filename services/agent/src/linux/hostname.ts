import type { Interface } from '../machine/inventory';

/** Names that no host of a cluster may have. */
const NAMELESS: ReadonlySet<string> = new Set(
  ['', '4', '6'].flatMap((family) => [`localhost${family}`, `localhost${family}.localdomain${family}`]),
);
const NAMING_TYPES = ['physical', 'vlan', 'bond'];

/** Returns the name of the machine, or one made from the MAC address of its first usable interface when it has no name. */
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
