import { keptByText } from '@muster/schema';
import { IPv4, IPv6 } from 'ipaddr.js';

export type Family = 4 | 6;

/** An IP address as a plain value: four octets for IPv4, eight 16-bit groups for IPv6, most significant first. */
export interface IpAddress {
  readonly family: Family;
  readonly parts: readonly number[];
}

const ADDRESS_CHARACTERS_MAX = 45;
/** Longer or other texts are refused before they reach the parser, because the parser throws for invalid addresses. */
const ADDRESS_CHARACTERS = /^[\da-f.:]+$/i;
const LINK_LOCAL_MASK = 0xffc0;
const LINK_LOCAL = 0xfe80;

/** The addresses of a host are read by many rules, and again with each of its reports. */
const ADDRESSES_MAX = 20_000;

/**
 * Returns undefined when the text is not an address. Addresses with a zone (`%eth0`), a prefix, or an octet with a
 * leading zero are refused.
 */
export const parseIp = keptByText(parse, ADDRESSES_MAX, ADDRESS_CHARACTERS_MAX);

function parse(text: string): IpAddress | undefined {
  if (text.length > ADDRESS_CHARACTERS_MAX || !ADDRESS_CHARACTERS.test(text)) return undefined;
  if (text.includes(':'))
    return IPv6.isValid(text) && !hasPaddedOctet(text)
      ? { family: 6, parts: IPv6.parse(withFirstGroup(text)).parts }
      : undefined;
  return IPv4.isValidFourPartDecimal(text) ? { family: 4, parts: IPv4.parse(text).octets } : undefined;
}

/** The parser reads `::10.0.0.1` as `::ffff:10.0.0.1`, which is another address. */
const withFirstGroup = (text: string): string => text.replace(/^::(?=\d+\.)/, '0::');

/** Some programs read `::ffff:010.0.0.1` as octal and others as decimal. */
const hasPaddedOctet = (text: string): boolean =>
  text.includes('.') && /[:.]0\d/.test(text.slice(text.lastIndexOf(':')));

/** Returns the canonical text (RFC 5952 for IPv6). */
export function formatIp({ family, parts }: IpAddress): string {
  return family === 4 ? parts.join('.') : new IPv6([...parts]).toRFC5952String();
}

/**
 * Returns a number below, equal to or above zero. IPv4 sorts before IPv6. Lists of free addresses are compared millions of times, and an
 * iterator takes three times as long as an index.
 */
export function compareIps(first: IpAddress, second: IpAddress): number {
  if (first.family !== second.family) return first.family - second.family;
  for (let index = 0; index < first.parts.length; index += 1) {
    const difference = (first.parts[index] ?? 0) - (second.parts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isUnspecified({ parts }: IpAddress): boolean {
  return parts.every((part) => part === 0);
}

/** Returns true for addresses in fe80::/10. Every interface has such an address, so it does not identify a network. */
export function isLinkLocal({ family, parts }: IpAddress): boolean {
  return family === 6 && ((parts[0] ?? 0) & LINK_LOCAL_MASK) === LINK_LOCAL;
}
