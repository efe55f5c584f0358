import { formatIp, formatNetwork, isLinkLocal, parseCidr, parseIp } from '@muster/addresses';
import { isObject } from '@muster/schema';
import {
  flag,
  integer,
  ipv6Address,
  isTrue,
  listOf,
  mapping,
  members,
  oneOf,
  scalarText,
  text,
  toInteger,
  uint16,
  uint32,
} from '../documents/values';
import type { IpSettings, NetworkInterface, NetworkState, Route } from './nmstate';

const NOTHING: { readonly [key: string]: unknown } = {};

/** Reads a document that matches the schema. */
export function readNmstate(document: unknown): NetworkState {
  const root = isObject(document) ? document : NOTHING;
  const dns = within(root, 'dns-resolver', 'config');
  const interfaces = mappings(root['interfaces']).map(readInterface);
  const tables = vrfTables(interfaces);
  return {
    interfaces,
    // As in nmstate, a route that names a VRF is in the table of the VRF.
    routes: mappings(within(root, 'routes')['config'])
      .map((raw) => ({ 'table-id': tables.get(textOf(raw['vrf-name'])), ...raw }))
      .map(readRoute),
    rules: readRules(mappings(within(root, 'route-rules')['config'])),
    dns: { servers: texts(dns['server']), search: texts(dns['search']), options: texts(dns['options']) },
  };
}

export function within(value: unknown, ...keys: readonly string[]): { readonly [key: string]: unknown } {
  const found = keys.reduce<unknown>((one, key) => (isObject(one) ? one[key] : undefined), value);
  return isObject(found) ? found : NOTHING;
}

export const textOf = scalarText;
export const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);
export const mappings = (value: unknown): readonly { readonly [key: string]: unknown }[] =>
  Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? one : NOTHING)) : [];

/** Returns the normalised form in which MAC addresses are compared and stored. */
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
    ...addressesOf(raw),
    raw,
  };
}

/** As in nmstate, the loopback interface has its addresses unless the document sets others. */
function addressesOf(raw: { readonly [key: string]: unknown }): Pick<NetworkInterface, 'ipv4' | 'ipv6'> {
  const isLoopback = raw['type'] === 'loopback' && raw['name'] === 'lo';
  return {
    ipv4: isLoopback && raw['ipv4'] === undefined ? LOOPBACK.ipv4 : readIp(raw['ipv4']),
    ipv6: isLoopback && raw['ipv6'] === undefined ? LOOPBACK.ipv6 : readIp(raw['ipv6']),
  };
}

/** As in nmstate, without addresses that the host gets anyway: link-local ones of IPv6, and those with a limited lifetime. */
function readIp(value: unknown): IpSettings {
  const raw = within(value);
  const isKept = ({ ip, ...more }: { readonly [key: string]: unknown }): boolean => {
    const address = parseIp(textOf(ip));
    return (!address || !isLinkLocal(address)) && ['', 'forever'].includes(textOf(more['valid-life-time']));
  };
  return {
    isEnabled: isTrue(raw['enabled']),
    isDhcp: isTrue(raw['dhcp']),
    isAutoconf: isTrue(raw['autoconf']),
    addresses: mappings(raw['address'])
      .filter(isKept)
      .map((one) => `${textOf(one['ip'])}/${textOf(one['prefix-length'])}`),
    raw,
  };
}

/** Returns the tables of the VRFs that are up, by name. */
export const vrfTables = (interfaces: readonly NetworkInterface[]): ReadonlyMap<string, unknown> =>
  new Map(
    interfaces
      .filter(({ type, state }) => type === 'vrf' && state === 'up')
      .map(({ name, raw }) => [name, within(raw, 'vrf')['route-table-id']]),
  );

function readRoute(raw: { readonly [key: string]: unknown }, index: number): Route {
  return {
    index,
    isAbsent: raw['state'] === 'absent' || raw['state'] === 'ignore',
    destination: networkOf(textOf(raw['destination'])),
    nextHopAddress: textOf(raw['next-hop-address']),
    nextHopInterface: textOf(raw['next-hop-interface']),
    raw,
  };
}

const FIRST_PRIORITY = 30_000;

/** Like nmstate: a rule without a priority comes after all others, in the order of the document. */
function readRules(all: readonly { readonly [key: string]: unknown }[]): NetworkState['rules'] {
  const given = all.map((raw) => toInteger(raw['priority']) ?? -1);
  let last = given.reduce((max, one) => Math.max(max, one), FIRST_PRIORITY - 1);
  return all.map((raw, index) => {
    const priority = given[index] ?? -1;
    return { index, priority: priority < 0 ? (last += 1) : priority, raw };
  });
}

/** Returns a network without the bits of a host. An address is the network of that address. */
export function networkOf(text: string): string {
  const address = parseIp(text);
  const cidr = parseCidr(address ? `${formatIp(address)}/${address.family === 4 ? 32 : 128}` : text);
  return cidr ? formatNetwork(cidr) : text;
}

/** Second names that nmstate accepts for members. Policies have the first names. */
const SECOND_NAMES: ReadonlyMap<string, string> = new Map([
  ['bond', 'link-aggregation'],
  ['ports', 'port'],
  ['accept-all-mac', 'promiscuous'],
  ['suppress_prefixlength', 'suppress-prefix-length'],
]);

/** Returns the document with the first names of all members, and without members that have no value. */
export function canonicalDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalDocument);
  if (!isObject(value)) return value;
  const given = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(
    given.map(([key, one]) => {
      const first = SECOND_NAMES.get(key) ?? key;
      // Open vSwitch defines the members of ovs-db, and a member without a value removes a setting.
      return [Object.hasOwn(value, first) ? key : first, key === 'ovs-db' ? one : canonicalDocument(one)];
    }),
  );
}

/** A member of a bond, bridge or VRF, with the settings of its controller for it. */
export interface Port {
  readonly name: string;
  readonly raw: { readonly [key: string]: unknown };
}

export function portsOf({ type, raw }: NetworkInterface): readonly Port[] {
  switch (type) {
    case 'bond': {
      const bond = within(raw, 'link-aggregation');
      const named = mappings(bond['ports-config']).map((one) => ({ name: textOf(one['name']), raw: one }));
      return named.length > 0 ? named : texts(bond['port']).map((name) => ({ name, raw: {} }));
    }
    case 'vrf':
      return texts(within(raw, 'vrf')['port']).map((name) => ({ name, raw: {} }));
    case 'linux-bridge':
      return mappings(within(raw, 'bridge')['port']).map((one) => ({ name: textOf(one['name']), raw: one }));
    default:
      return [];
  }
}

/** In the order of their numbers. */
export const BOND_MODES: readonly string[] = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
];

/** The options of a bond that are true or false. */
export const BOND_FLAGS: readonly string[] = [
  'balance_slb',
  'balance-slb',
  'lacp_active',
  'tlb_dynamic_lb',
  'use_carrier',
];

const uint8 = integer(0, 255);

/** A name or its number in the kernel, which is its place in the list. */
const kernelName = (...names: readonly string[]) => oneOf([...names, ...names.keys()]);

export const bondOptions = mapping({
  ...members(uint8, ['num_grat_arp', 'num_unsol_na', 'arp_missed_max']),
  ...members(uint16, ['ad_actor_sys_prio', 'ad_user_port_key']),
  ...members(uint32, ['arp_interval', 'downdelay', 'lp_interval', 'miimon', 'min_links', 'packets_per_slave']),
  ...members(uint32, ['resend_igmp', 'updelay']),
  ...members(flag, BOND_FLAGS),
  ...members(text, ['ad_actor_system', 'arp_ip_target', 'primary']),
  ns_ip6_target: listOf(ipv6Address),
  ad_select: kernelName('stable', 'bandwidth', 'count'),
  all_slaves_active: kernelName('dropped', 'delivered'),
  arp_all_targets: kernelName('any', 'all'),
  arp_validate: kernelName('none', 'active', 'backup', 'all', 'filter', 'filter_active', 'filter_backup'),
  fail_over_mac: kernelName('none', 'active', 'follow'),
  lacp_rate: kernelName('slow', 'fast'),
  primary_reselect: kernelName('always', 'better', 'failure'),
  xmit_hash_policy: kernelName('layer2', 'layer3+4', 'layer2+3', 'encap2+3', 'encap3+4', 'vlan+srcmac'),
});

/** The sections of types whose section has another name, or that have several. */
const SECTIONS_OF_TYPE: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...['ethernet', 'veth', 'tun', 'unknown'].map((type) => [type, ['ethernet', 'veth']] as const),
  ...['linux-bridge', 'ovs-bridge'].map((type) => [type, ['bridge']] as const),
  ['bond', ['link-aggregation']],
  ['ovs-interface', ['patch', 'dpdk']],
  ['ipsec', ['libreswan']],
]);
export const sectionsOf = (type: string): readonly string[] => SECTIONS_OF_TYPE.get(type) ?? [type];

/** Returns the name of a bond's mode. */
export function bondModeOf(raw: { readonly [key: string]: unknown }): string {
  const mode = textOf(within(raw, 'link-aggregation')['mode']);
  return mode === 'lacp' ? '802.3ad' : (BOND_MODES[Number(mode)] ?? mode);
}

/** First and last VLAN of a trunk tag. */
function rangeOf(tag: { readonly [key: string]: unknown }): readonly [number, number] {
  const { min, max } = within(tag, 'id-range');
  const id = toInteger(tag['id']);
  return [id ?? toInteger(min) ?? 0, id ?? toInteger(max) ?? 0];
}

/** Returns the first VLAN that is in two trunk tags. */
export function firstOverlap(tags: readonly { readonly [key: string]: unknown }[]): number | undefined {
  const sorted = tags.map(rangeOf).sort(([one], [other]) => one - other);
  return sorted.find(([first], index) => first <= (sorted[index - 1]?.[1] ?? -1))?.[0];
}

/** Returns the document's interfaces, then the ports and veth peers that it names without describing them. */
export function withPlainPorts(state: NetworkState): readonly NetworkInterface[] {
  const known = new Set(state.interfaces.map(({ name }) => name));
  const plain = [...new Set(state.interfaces.flatMap(portsOf).map(({ name }) => name))].filter(
    (name) => !known.has(name),
  );
  const ports = plain.map((name, at) => plainPort(name, state.interfaces.length + at));
  return [...state.interfaces, ...ports, ...vethPeers(state, new Set([...known, ...plain]))];
}

/** The peers of veth pairs that the document does not describe. */
function vethPeers(state: NetworkState, known: ReadonlySet<string>): readonly NetworkInterface[] {
  const described = state.interfaces.filter(({ type }) => type === 'veth');
  return described.flatMap(({ name, state: ownState, raw }) => {
    const peer = textOf(within(raw, 'veth')['peer']);
    if (known.has(peer)) return [];
    const ipv6 = { ...OFF, raw: { enabled: false } };
    return [{ ...plainPort(peer, known.size), type: 'veth', state: ownState, ipv6, raw: { veth: { peer: name } } }];
  });
}

/** The interface whose profile contains routes and rules that belong to no other interface. */
export const loopback = (index: number): NetworkInterface => ({
  ...plainPort('lo', index),
  type: 'loopback',
  ...LOOPBACK,
});

const OFF = { isEnabled: false, isDhcp: false, isAutoconf: false, addresses: [], raw: {} };
const LOOPBACK = {
  ipv4: { ...OFF, isEnabled: true, addresses: ['127.0.0.1/8'] },
  ipv6: { ...OFF, isEnabled: true, addresses: ['::1/128'] },
};

const plainPort = (name: string, index: number): NetworkInterface => ({
  index,
  name,
  profileName: '',
  type: 'ethernet',
  state: 'up',
  isFoundByMac: false,
  macAddress: '',
  controller: '',
  ipv4: OFF,
  ipv6: OFF,
  raw: {},
});
