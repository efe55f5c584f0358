import { parseCidr, parseIp } from '@muster/addresses';
import type { Refusal } from '@muster/problems';
import { isObject } from '@muster/schema';

/** Maximum length of a DNS name of a cluster. */
export const MAX_DOMAIN_CHARACTERS = 181;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** Number of parts in the key material of each type of public key, including the type. */
const SSH_KEY_PARTS: ReadonlyMap<string, number> = new Map([
  ['ssh-rsa', 3],
  ['ssh-dss', 5],
  ['ssh-ed25519', 2],
  ['ecdsa-sha2-nistp256', 3],
  ['ecdsa-sha2-nistp384', 3],
  ['ecdsa-sha2-nistp521', 3],
  ['sk-ssh-ed25519@openssh.com', 3],
  ['sk-ecdsa-sha2-nistp256@openssh.com', 4],
]);
/** A name of a host or domain, as proxies accept it. */
const PLACE = /^\.?[a-z0-9_][a-z0-9_-]{0,62}(?:\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const LENGTH_BYTES = 4;
/** Programs of the hosts refuse braces and some other characters in the name of a host. */
const URL = /^([a-z]+:)\/\/(?:[^\s/@]*@)?(\[[0-9a-fA-F:]+\]|[^\s\p{Cc}/:@?#%\\^`{|}]+)(?::(\d{1,5}))?\/?$/u;
const PORTS = 65_536;

/** One or more labels of lower-case letters, digits and hyphens. */
export function isDnsName(text: string): boolean {
  return text.length <= MAX_DOMAIN_CHARACTERS && text.split('.').every((label) => DNS_LABEL.test(label));
}

/** A DNS name of a domain. Its last label has at least two characters. */
export function isDomainName(text: string): boolean {
  return isDnsName(text) && !/(?:^|\.).$/.test(text);
}

export function isHostOrAddress(text: string): boolean {
  return isDnsName(text.toLowerCase()) || parseIp(text) !== undefined;
}

const itemsOf = (list: string): readonly string[] => list.split(',').map((item) => item.trim());

/**
 * Returns the first item of a comma-separated list that is neither a host name nor an address. Empty items are skipped.
 */
export const wrongHostIn = (list: string): string | undefined =>
  itemsOf(list).find((item) => item !== '' && !isHostOrAddress(item));

const isPlace = (item: string): boolean => PLACE.test(item) || (parseIp(item) ?? parseCidr(item)) !== undefined;

/**
 * Returns the fault of a comma-separated list of places that are reached without a proxy: names of hosts or domains, addresses and
 * networks. Empty items are skipped. As in assisted-service v2, each list with `*` is accepted.
 */
export function noProxyFault(list = ''): { readonly reason: string } | undefined {
  if (list.includes('*')) return undefined;
  const wrong = itemsOf(list).findIndex((item) => item !== '' && !isPlace(item));
  // The item is not shown, because it can be the URL of a proxy with its credentials.
  return wrong < 0
    ? undefined
    : { reason: `Item ${wrong + 1} of no_proxy is neither a name, nor an address, nor a network.` };
}

/**
 * Returns whether each line is a public key as `ssh-keygen` writes it, with complete key material. Empty lines are
 * ignored.
 */
export function isSshPublicKeys(text: string): boolean {
  return text
    .split('\n')
    .map((line) => line.trim())
    .every((line) => line === '' || isSshPublicKey(line));
}

/** The key material is a list of parts, each preceded by its length. The first part repeats the type of the key. */
function isSshPublicKey(line: string): boolean {
  const [kind = '', material = ''] = line.split(' ', 2);
  const parts = SSH_KEY_PARTS.get(kind);
  if (parts === undefined || material === '' || !BASE64.test(material)) return false;
  const bytes = Uint8Array.from(atob(material), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  let found = 0;
  let at = 0;
  for (; at + LENGTH_BYTES <= bytes.length; found += 1) {
    const length = view.getUint32(at);
    const part = bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length);
    if (part.length !== length || length === 0) return false;
    if (found === 0 && (length !== kind.length || String.fromCharCode(...part) !== kind)) return false;
    at += LENGTH_BYTES + length;
  }
  return found === parts && at === bytes.length;
}

/** Returns whether the text has the form `scheme://[credentials@]host[:port]` with one of the schemes (`http:`). */
export function isProxyUrl(text: string, schemes: readonly string[]): boolean {
  const [, scheme, host, port] = URL.exec(text) ?? [];
  return scheme !== undefined && schemes.includes(scheme) && host !== undefined && Number(port ?? 0) < PORTS;
}

/**
 * Returns whether two plain JSON values are equal. Undefined members count as absent. The order of members is ignored.
 */
export function isSameValue(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (!hasMembers(first) || !hasMembers(second) || Array.isArray(first) !== Array.isArray(second)) return false;
  let others = 0;
  for (const name in second) if (second[name] !== undefined) others += 1;
  for (const name in first) {
    const value = first[name];
    if (value === undefined) continue;
    if (!Object.hasOwn(second, name) || !isSameValue(value, second[name])) return false;
    others -= 1;
  }
  return others === 0;
}

const hasMembers = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null;

/** Replaces secrets in texts that are stored or shown. */
export const MASK = '*****';

const CREDENTIALS = /^([a-z]+:\/\/)[^\s/@]*@/;

/**
 * Returns the URL as it may be stored and shown. URLs without credentials and texts that are not URLs are returned
 * unchanged.
 */
export const maskedProxyUrl = (url: string): string => url.replace(CREDENTIALS, `$1${MASK}@`);

/** Names of members of an install-config whose texts are credentials: `pullSecret`, `password`, `private-key-password`. */
const CREDENTIAL_NAME = /password|secret|token/i;
const URL_CREDENTIALS = /^([a-z][a-z\d+.-]*:\/\/)(?!\*{5}:\*{5}@)[^\s/@]*@/i;

/** Returns the value with masks in place of credentials: those in URLs and in members with such a name. */
export function withoutCredentials(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return value !== '' && CREDENTIAL_NAME.test(name) ? MASK : value.replace(URL_CREDENTIALS, `$1${MASK}@`);
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutCredentials(item, key)]));
}

/** Returns whether the URL contains the mask that replaces credentials. */
export const isMaskedProxyUrl = (url: string): boolean => CREDENTIALS.test(url) && maskedProxyUrl(url) === url;

/** The characters before the @ that the programs of the hosts accept, which are written in Go. */
const READABLE_CREDENTIALS = /^[a-z]+:\/\/(?:[\w.~:!$&'()*+,;=-]|%[0-9a-fA-F]{2})*@/;

/** With each % doubled, the URL is in a line of a unit. Ignition refuses lines of more than 2,048 bytes. */
const PROXY_CHARACTERS_MAX = 1_500;

/**
 * Returns the reason why the URL of a proxy is too long or its user or password cannot be read. Undefined when there is none.
 */
export function proxyCredentialsRefusal(url: string, subject: string): Refusal | undefined {
  if (url.length > PROXY_CHARACTERS_MAX)
    return {
      code: 'invalid-input',
      reason: `${subject} has ${url.length} characters. Allowed: at most ${PROXY_CHARACTERS_MAX}.`,
      subject,
    };
  if (!CREDENTIALS.test(url) || READABLE_CREDENTIALS.test(url)) return undefined;
  const reason = `The user or the password in ${subject} has a character that must be in percent-encoding, such as %23 for #.`;
  return { code: 'invalid-input', reason, subject };
}
