export type Family = 4 | 6;

/** An address as unsigned 32-bit words, most significant first: one word for IPv4, four for IPv6. */
export interface IpAddress {
  readonly family: Family;
  readonly words: readonly number[];
}

const IPV4_OCTETS = 4;
const IPV6_GROUPS = 8;
const MAX_ADDRESS_CHARACTERS = 45;

/** Undefined when the text is not an address. Zones (`%eth0`) and prefixes are not part of an address. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > MAX_ADDRESS_CHARACTERS) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const octets = text.split('.');
  if (octets.length !== IPV4_OCTETS) return undefined;
  let word = 0;
  for (const octet of octets) {
    // A leading zero means octal to some programs and decimal to others, so it is refused.
    if (!/^(0|[1-9]\d{0,2})$/.test(octet) || Number(octet) > 255) return undefined;
    word = word * 256 + Number(octet);
  }
  return { family: 4, words: [word] };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (!head || (halves.length === 2 && !tail)) return undefined;
  const missing = IPV6_GROUPS - head.length - (tail?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])];
  const words = [0, 2, 4, 6].map((at) => (groups[at] ?? 0) * 0x10000 + (groups[at + 1] ?? 0));
  return { family: 6, words };
}

/** 16-bit groups of one side of `::`; those that end the address may end as an IPv4 address. */
function parseGroups(half: string, endsAddress: boolean): readonly number[] | undefined {
  if (half === '') return [];
  const groups: number[] = [];
  const parts = half.split(':');
  for (const [index, part] of parts.entries()) {
    if (endsAddress && index === parts.length - 1 && part.includes('.')) {
      const word = parseIpv4(part)?.words[0];
      if (word === undefined) return undefined;
      groups.push(Math.floor(word / 0x10000), word % 0x10000);
    } else if (/^[\da-f]{1,4}$/i.test(part)) {
      groups.push(parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

/** Canonical text (RFC 5952 for IPv6). */
export function formatIp(address: IpAddress): string {
  if (address.family === 4) {
    const word = address.words[0] ?? 0;
    return [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff).join('.');
  }
  const groups = address.words.flatMap((word) => [Math.floor(word / 0x10000), word % 0x10000]);
  const { start, length } = longestZeroRun(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  groups.forEach((group, index) => {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  });
  return best;
}

/** Below zero, zero or above zero, IPv4 before IPv6. */
export function compareIps(first: IpAddress, second: IpAddress): number {
  if (first.family !== second.family) return first.family - second.family;
  for (const [index, word] of first.words.entries()) {
    const difference = word - (second.words[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isUnspecified(address: IpAddress): boolean {
  return address.words.every((word) => word === 0);
}

/** fe80::/10: every interface has one, so it says nothing about networks. */
export function isLinkLocal(address: IpAddress): boolean {
  return address.family === 6 && ((address.words[0] ?? 0) & 0xffc00000) >>> 0 === 0xfe800000;
}
