import { compareIps, type Family, formatIp, type IpAddress, parseIp } from './ip-address';

/** An address with a prefix length. `address` keeps its host bits; `network` and `last` are the ends of the range. */
export interface Cidr {
  readonly family: Family;
  readonly prefix: number;
  readonly address: IpAddress;
  readonly network: IpAddress;
  readonly last: IpAddress;
}

export const addressBits = (family: Family): number => (family === 4 ? 32 : 128);

/** `192.168.1.7/24`, `fd00::1/64`. Undefined when it is not that. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (!address || !/^\d{1,3}$/.test(digits)) return undefined;
  const prefix = Number(digits);
  if (prefix > addressBits(address.family)) return undefined;
  const masks = address.words.map((_, index) => maskOfWord(prefix - 32 * index));
  return {
    family: address.family,
    prefix,
    address,
    network: { family: address.family, words: address.words.map((word, index) => (word & (masks[index] ?? 0)) >>> 0) },
    last: { family: address.family, words: address.words.map((word, index) => (word | ~(masks[index] ?? 0)) >>> 0) },
  };
}

function maskOfWord(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? 0xffffffff : (0xffffffff << (32 - bits)) >>> 0;
}

/** Those that can be read, in order. */
export function parseCidrs(texts: readonly string[]): readonly Cidr[] {
  return texts.map(parseCidr).filter((cidr) => cidr !== undefined);
}

/** `192.168.1.0/24` for `192.168.1.7/24`. */
export function formatNetwork(cidr: Cidr): string {
  return `${formatIp(cidr.network)}/${cidr.prefix}`;
}

export function containsIp(cidr: Cidr, address: IpAddress): boolean {
  return (
    cidr.family === address.family && compareIps(cidr.network, address) <= 0 && compareIps(address, cidr.last) <= 0
  );
}

export function isSameNetwork(first: Cidr, second: Cidr): boolean {
  return first.prefix === second.prefix && compareIps(first.network, second.network) === 0;
}

export function cidrsOverlap(first: Cidr, second: Cidr): boolean {
  return (
    first.family === second.family &&
    compareIps(first.network, second.last) <= 0 &&
    compareIps(second.network, first.last) <= 0
  );
}

/** No host bits are set. */
export function isCanonical(cidr: Cidr): boolean {
  return compareIps(cidr.address, cidr.network) === 0;
}

/** The last address of an IPv4 network that has room for a broadcast address. */
export function isBroadcast(cidr: Cidr, address: IpAddress): boolean {
  return cidr.family === 4 && cidr.prefix < 31 && compareIps(cidr.last, address) === 0;
}

/** One pair that overlaps, or undefined. Sorted first, so that many subnets stay cheap. */
export function findOverlap(cidrs: readonly Cidr[]): readonly [Cidr, Cidr] | undefined {
  const sorted = [...cidrs].sort((a, b) => compareIps(a.network, b.network) || a.prefix - b.prefix);
  let widest: Cidr | undefined;
  for (const cidr of sorted) {
    if (widest && cidrsOverlap(widest, cidr)) return [widest, cidr];
    if (!widest || compareIps(widest.last, cidr.last) < 0) widest = cidr;
  }
  return undefined;
}
