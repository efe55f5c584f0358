import { compareIps, formatIp, type IpAddress, parseIp } from '../addresses/ip-address';

/** Both ends included. */
export interface AddressRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** "10.0.0.3-10.0.0.9" and single addresses; what cannot be read is left out. */
export function parseAddressRanges(texts: readonly string[]): readonly AddressRange[] {
  return texts.flatMap((text) => {
    const [from = '', to = from] = text.split('-');
    const [first, last] = [parseIp(from), parseIp(to)];
    return first && last && compareIps(first, last) <= 0 ? [{ first, last }] : [];
  });
}

const larger = (a: IpAddress, b: IpAddress): IpAddress => (compareIps(a, b) >= 0 ? a : b);
const smaller = (a: IpAddress, b: IpAddress): IpAddress => (compareIps(a, b) <= 0 ? a : b);

/** Both lists ascend, so one walk through the two is enough. */
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
 * What the lists of free addresses that hosts reported for one network say of an address. Nothing when they have none in common:
 * then some host sees what others do not, and nobody knows.
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

/** Addresses as ranges, ascending: a network that is mostly free takes a few words. IPv4 only, as the agents scan. */
export function toRanges(addresses: readonly string[]): string[] {
  const numbers = addresses.flatMap((text) => {
    const address = parseIp(text);
    return address?.family === 4 ? [address.words[0] ?? 0] : [];
  });
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last.last + 1) last.last = number;
    else ranges.push({ first: number, last: number });
  }
  const text = (word: number): string => formatIp({ family: 4, words: [word] });
  return ranges.map(({ first, last }) => (first === last ? text(first) : `${text(first)}-${text(last)}`));
}
