import type { IpSettings, NetworkInterface, NetworkState, Route } from './nmstate';
import { isMapping, isTrue, wordOf } from '../shape/shape';

const NOTHING: { readonly [key: string]: unknown } = {};

/** Reads a document that has the right shape. */
export function readNmstate(document: unknown): NetworkState {
  const root = isMapping(document) ? document : NOTHING;
  const dns = within(root, 'dns-resolver', 'config');
  return {
    interfaces: mappings(root['interfaces']).map(readInterface),
    routes: mappings(within(root, 'routes')['config']).map(readRoute),
    rules: mappings(within(root, 'route-rules')['config']).map((raw, index) => ({ index, raw })),
    dns: { servers: texts(dns['server']), search: texts(dns['search']), options: texts(dns['options']) },
  };
}

export function within(value: unknown, ...keys: readonly string[]): { readonly [key: string]: unknown } {
  const found = keys.reduce<unknown>((one, key) => (isMapping(one) ? one[key] : undefined), value);
  return isMapping(found) ? found : NOTHING;
}

export const textOf = wordOf;
export const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);
export const mappings = (value: unknown): readonly { readonly [key: string]: unknown }[] =>
  Array.isArray(value) ? value.map((one: unknown) => (isMapping(one) ? one : NOTHING)) : [];

/** MAC addresses are written in many ways; this is the one that they are compared and stored in. */
export const canonicalMac = (mac: string): string => mac.trim().toUpperCase().replaceAll('-', ':');

function readInterface(raw: { readonly [key: string]: unknown }, index: number): NetworkInterface {
  return {
    index,
    name: textOf(raw['name']),
    profileName: textOf(raw['profile-name']),
    type: textOf(raw['type']) || 'ethernet',
    state: textOf(raw['state']) || 'up',
    isFoundByMac: raw['identifier'] === 'mac-address',
    macAddress: canonicalMac(textOf(raw['mac-address'])),
    controller: textOf(raw['controller']),
    ipv4: readIp(raw['ipv4']),
    ipv6: readIp(raw['ipv6']),
    raw,
  };
}

function readIp(value: unknown): IpSettings {
  const raw = within(value);
  return {
    isEnabled: isTrue(raw['enabled']),
    isDhcp: isTrue(raw['dhcp']),
    isAutoconf: isTrue(raw['autoconf']),
    addresses: mappings(raw['address']).map((one) => `${textOf(one['ip'])}/${textOf(one['prefix-length'])}`),
    raw,
  };
}

function readRoute(raw: { readonly [key: string]: unknown }, index: number): Route {
  return {
    index,
    isAbsent: raw['state'] === 'absent',
    destination: textOf(raw['destination']),
    nextHopAddress: textOf(raw['next-hop-address']),
    nextHopInterface: textOf(raw['next-hop-interface']),
    raw,
  };
}
