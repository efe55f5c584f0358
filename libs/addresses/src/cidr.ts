import { keptByText } from '@muster/schema';
import { compareIps, type Family, formatIp, type IpAddress, parseIp } from './ip-address';

/**
 * An address with a prefix length. `address` keeps its host bits. `network` and `last` are the first and the last
 * address of the network.
 */
export interface Cidr {
  readonly family: Family;
  readonly prefix: number;
  readonly address: IpAddress;
  readonly network: IpAddress;
  readonly last: IpAddress;
}

export const addressBits = (family: Family): number => (family === 4 ? 32 : 128);

/** Each rule that reads a network parses it again. The hosts of a cluster report the same networks. */
const KEPT_CIDRS_MAX = 5_000;

/** Parses `192.168.1.7/24` or `fd00::1/64`. Returns undefined for any other text. */
export const parseCidr: (text: string) => Cidr | undefined = keptByText(toCidr, KEPT_CIDRS_MAX);

function toCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (!address || !/^\d{1,3}$/.test(digits)) return undefined;
  const prefix = Number(digits);
  if (prefix > addressBits(address.family)) return undefined;
  const bits = bitsPerPart(address.family);
  const end = (fill: boolean): IpAddress => ({
    family: address.family,
    parts: address.parts.map((part, index) => withHostBits(part, bits, prefix - bits * index, fill)),
  });
  return { family: address.family, prefix, address, network: end(false), last: end(true) };
}

const bitsPerPart = (family: Family): number => (family === 4 ? 8 : 16);

/** Returns the part with all bits after its first `prefix` bits set to 1 or to 0. */
function withHostBits(part: number, bits: number, prefix: number, fill: boolean): number {
  const hostMask = 2 ** Math.max(0, bits - Math.max(0, prefix)) - 1;
  return fill ? part | hostMask : part & ~hostMask;
}

/** Returns the CIDRs that can be parsed, in the order of the texts. */
export function parseCidrs(texts: readonly string[]): readonly Cidr[] {
  return texts.map(parseCidr).filter((cidr) => cidr !== undefined);
}

/** Returns `192.168.1.0/24` for `192.168.1.7/24`. */
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

/** Returns true when no host bits are set. */
export function isCanonical(cidr: Cidr): boolean {
  return compareIps(cidr.address, cidr.network) === 0;
}

/** Returns true for the last address of an IPv4 network that is large enough for a broadcast address. */
export function isBroadcast(cidr: Cidr, address: IpAddress): boolean {
  return cidr.family === 4 && cidr.prefix < 31 && compareIps(cidr.last, address) === 0;
}

/** Returns one pair of CIDRs that overlap, or undefined. Sorts the CIDRs first, so the cost is O(n log n). */
export function findOverlap(cidrs: readonly Cidr[]): readonly [Cidr, Cidr] | undefined {
  const sorted = [...cidrs].sort((a, b) => compareIps(a.network, b.network) || a.prefix - b.prefix);
  let widest: Cidr | undefined;
  for (const cidr of sorted) {
    if (widest && cidrsOverlap(widest, cidr)) return [widest, cidr];
    if (!widest || compareIps(widest.last, cidr.last) < 0) widest = cidr;
  }
  return undefined;
}

/** A range of addresses that includes both ends. */
export interface AddressRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** Parses "10.0.0.3-10.0.0.9" and single addresses. Texts that cannot be parsed are omitted. */
export function parseAddressRanges(texts: readonly string[]): readonly AddressRange[] {
  return texts.flatMap((text) => {
    const [from = '', to = from] = text.split('-');
    const [first, last] = [parseIp(from), parseIp(to)];
    return first && last && compareIps(first, last) <= 0 ? [{ first, last }] : [];
  });
}

/** Returns the index of the first range of a sorted list, from `start` on, that does not end below the given address. */
function indexFrom(list: readonly AddressRange[], address: IpAddress, start = 0): number {
  let end = list.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    const range = list[middle];
    if (range && compareIps(range.last, address) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}

function isListed(list: readonly AddressRange[], address: IpAddress): boolean {
  const range = list[indexFrom(list, address)];
  return range !== undefined && compareIps(range.first, address) <= 0;
}

/** One range of a list. */
interface Cursor {
  readonly list: readonly AddressRange[];
  readonly index: number;
  readonly range: AddressRange;
}

function cursorAt(list: readonly AddressRange[], index: number): Cursor | undefined {
  const range = list[index];
  return range && { list, index, range };
}

const endsBefore = (first: Cursor, second: Cursor): boolean => compareIps(first.range.last, second.range.last) < 0;

/** Replaces the top of a heap, which is the range that ends first. */
function replaceTop(heap: Cursor[], cursor: Cursor): void {
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    const isRight = right !== undefined && left !== undefined && endsBefore(right, left);
    const child = isRight ? right : left;
    if (!child || !endsBefore(child, cursor)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = cursor;
}

/**
 * Returns an address that is in all sorted lists, or undefined. Each step passes a range, the one that ends first. A search by address
 * would ask each list about each address, because hundreds of hosts may each miss other addresses.
 */
function firstCommon(lists: readonly (readonly AddressRange[])[]): IpAddress | undefined {
  const heap = lists.map((list) => cursorAt(list, 0)).filter((cursor) => cursor !== undefined);
  if (heap.length < lists.length) return undefined;
  // A sorted array is a heap.
  heap.sort((a, b) => compareIps(a.range.last, b.range.last));
  let address = heap.map(({ range }) => range.first).reduce((a, b) => (compareIps(a, b) < 0 ? b : a));
  for (let top = heap[0]; top && compareIps(top.range.last, address) < 0; top = heap[0]) {
    const next = cursorAt(top.list, indexFrom(top.list, address, top.index + 1));
    if (!next) return undefined;
    if (compareIps(address, next.range.first) < 0) address = next.range.first;
    replaceTop(heap, next);
  }
  return address;
}

/**
 * Checks an address against the lists of free addresses that the hosts reported for its network. The ranges of a list are sorted and
 * do not overlap. Returns `unverified` when the lists have no address in common, because then the reports are inconsistent.
 */
export function verifyByFreeAddresses(
  lists: readonly (readonly AddressRange[])[],
  vip: string,
): 'succeeded' | 'failed' | 'unverified' {
  const address = parseIp(vip);
  if (!address || lists.length === 0) return 'unverified';
  if (lists.every((list) => isListed(list, address))) return 'succeeded';
  return firstCommon(lists) ? 'failed' : 'unverified';
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
