import { cidrsOverlap, formatNetwork, parseCidr, parseCidrs } from '@muster/addresses';

/** A network port of a host, as its inventory has it. */
export interface Port {
  readonly macAddress: string;
  /** With prefix length. */
  readonly addresses: readonly string[];
}

/** MAC address of the first port with an address in one of the networks; empty when there is none. */
export function bootMacAddressOf(ports: readonly Port[], machineNetworks: readonly string[]): string {
  const networks = parseCidrs(machineNetworks);
  const isInside = (address: string): boolean => {
    const own = parseCidr(address);
    return own !== undefined && networks.some((network) => cidrsOverlap(network, own));
  };
  return ports.find(({ addresses }) => addresses.some(isInside))?.macAddress ?? '';
}

/** The first of a host's addresses that lies in one of the networks, and that network's own address; empty when none does. */
export function nodeAddressOf(
  ports: readonly Port[],
  machineNetworks: readonly string[],
): { readonly address: string; readonly network: string } {
  const addresses = ports.flatMap((port) => port.addresses);
  for (const cidr of machineNetworks) {
    const network = parseCidr(cidr);
    const address = addresses.find((one) => {
      const own = parseCidr(one);
      return network !== undefined && own !== undefined && cidrsOverlap(network, own);
    });
    if (address) return { address: withoutPrefix(address), network: withoutPrefix(cidr) };
  }
  return { address: '', network: '' };
}

const withoutPrefix = (cidr: string): string => cidr.split('/')[0] ?? '';

/** The networks that a host is in, each once. */
export function networksOf(ports: readonly Port[]): readonly string[] {
  return [...new Set(parseCidrs(ports.flatMap(({ addresses }) => addresses)).map(formatNetwork))];
}
