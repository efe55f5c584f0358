import { compareIps, formatIp, type IpAddress, parseIp } from './ip-address';

/** Both ends belong to the range. */
export interface AddressRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** Parses "10.0.0.3-10.0.0.9" and single addresses. Leaves out texts that cannot be parsed. */
export function parseAddressRanges(texts: readonly string[]): readonly AddressRange[] {
  return texts.flatMap((text) => {
    const [from = '', to = from] = text.split('-');
    const [first, last] = [parseIp(from), parseIp(to)];
    return first && last && compareIps(first, last) <= 0 ? [{ first, last }] : [];
  });
}

const larger = (a: IpAddress, b: IpAddress): IpAddress => (compareIps(a, b) >= 0 ? a : b);
const smaller = (a: IpAddress, b: IpAddress): IpAddress => (compareIps(a, b) <= 0 ? a : b);

/** Both lists are sorted, so one pass over the two is enough. */
function intersect(ours: readonly AddressRange[], theirs: readonly AddressRange[]): readonly AddressRange[] {
  const both: AddressRange[] = [];
  for (let [i, j] = [0, 0]; i < ours.length && j < theirs.length;) {
    const [our, their] = [ours[i], theirs[j]];
    if (!our || !their) break;
    const [first, last] = [larger(our.first, their.first), smaller(our.last, their.last)];
    if (compareIps(first, last) <= 0) both.push({ first, last });
    if (compareIps(our.last, their.last) < 0) i += 1;
    else j += 1;
  }
  return both;
}

/**
 * Checks an address against the lists of free addresses that the hosts reported for its network. Returns `unverified` when the
 * lists have no address in common: the hosts contradict each other.
 */
export function verifyByFreeAddresses(
  lists: readonly (readonly AddressRange[])[],
  vip: string,
): 'succeeded' | 'failed' | 'unverified' {
  const [head, ...rest] = lists;
  const address = parseIp(vip);
  const common = rest.reduce((ranges, list) => intersect(ranges, list), head ?? []);
  if (!address || common.length === 0) return 'unverified';
  const isFree = common.some(({ first, last }) => compareIps(first, address) <= 0 && compareIps(address, last) <= 0);
  return isFree ? 'succeeded' : 'failed';
}

/** Returns the IPv4 addresses as sorted ranges. Agents scan IPv4 networks only. */
export function toRanges(addresses: readonly string[]): string[] {
  const numbers = addresses.flatMap((text) => {
    const address = parseIp(text);
    return address?.family === 4 ? [toNumber(address)] : [];
  });
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last.last + 1) last.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? toText(first) : `${toText(first)}-${toText(last)}`));
}

const OCTET_VALUES = 256;
const toNumber = ({ parts }: IpAddress): number => parts.reduce((number, octet) => number * OCTET_VALUES + octet, 0);
const toText = (number: number): string =>
  formatIp({ family: 4, parts: [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff) });
