import { isObject } from '@muster/schema';
import { stringify } from 'yaml';
import { withoutControls } from '../documents/read-yaml';
import { isTrue } from '../documents/values';
import { FAMILIES, type Family, type NetworkInterface, type NetworkState, type Report } from './nmstate';
import { canonicalMac, portsOf, textOf } from './read-nmstate';

/** The name of a port with a MAC address in the host's network document. */
export interface MacName {
  /** Upper case, separated by `:`. */
  readonly mac: string;
  readonly name: string;
}

const MAC = /^[0-9A-F]{2}(?::[0-9A-F]{2}){5}(?:(?::[0-9A-F]{2}){14})?$/;
/** Names that depend on the slot of the port, so that they are the same at each boot. */
const PREDICTABLE_NAME = /^en[PsvxXbucaipod]/;
/** Types of hardware interfaces. */
const HARDWARE_TYPES: ReadonlySet<string> = new Set(['ethernet', 'infiniband']);

/**
 * Returns the given mapping and the MAC addresses in the document, ordered by MAC address, independent of the order of
 * the input.
 */
export function completeMapping(
  given: readonly { readonly mac_address?: string; readonly logical_nic_name?: string }[],
  state: NetworkState,
): readonly MacName[] {
  const names = given.map((one) => ({
    mac: canonicalMac(one.mac_address ?? ''),
    name: one.logical_nic_name?.trim() ?? '',
  }));
  const isMapped = new Set(names.flatMap(({ mac, name }) => [mac, name]));
  const derived = state.interfaces
    .filter(({ type, macAddress }) => HARDWARE_TYPES.has(type) && macAddress !== '')
    .filter(({ name, macAddress }) => !isMapped.has(name) && !isMapped.has(macAddress))
    .map(({ name, macAddress }) => ({ mac: macAddress, name }));
  return [...names, ...derived].sort((first, second) => (first.mac < second.mac ? -1 : 1));
}

export function checkMapping(mapping: readonly MacName[], state: NetworkState, report: Report): void {
  if (mapping.length === 0) {
    report(['mac_interface_map'], 'No interface has a MAC address. Set mac_interface_map, or mac-address in the YAML.');
  }
  for (const { mac, name } of mapping) {
    if (!MAC.test(mac)) report(['mac_interface_map'], `"${mac}" is not a MAC address.`);
    if (name === '') report(['mac_interface_map'], `The MAC address ${mac} has no logical_nic_name.`);
  }
  for (const mac of repeated(mapping.map((one) => one.mac)))
    report(['mac_interface_map'], `MAC address ${mac} occurs twice.`);
  for (const name of repeated(mapping.map((one) => one.name)))
    report(['mac_interface_map'], `Interface ${name} occurs twice.`);

  const mapped = new Set(mapping.map(({ name }) => name));
  const described = new Map(state.interfaces.map((one) => [one.name, one]));
  const ports = state.interfaces
    .filter(({ type }) => type === 'bond')
    .flatMap((bond) => portsOf(bond).map(({ name }) => name));
  const hardware = state.interfaces
    .filter(({ type, state: wanted }) => type === 'ethernet' && wanted === 'up')
    .map(({ name }) => name);
  for (const name of new Set([...hardware, ...ports])) {
    const one = described.get(name);
    const isVirtual = one !== undefined && !HARDWARE_TYPES.has(one.type);
    if (mapped.has(name) || isVirtual || one?.isFoundByMac || PREDICTABLE_NAME.test(name)) continue;
    report(
      one ? ['interfaces', one.index, 'name'] : [],
      `Interface ${name} has no MAC address. Add it to mac_interface_map, or set its mac-address.`,
    );
  }
}

const repeated = (values: readonly string[]): readonly string[] => [
  ...new Set(values.filter((value, index) => value !== '' && values.indexOf(value) !== index)),
];

/** Returns the names of all interfaces and ports. */
export const namesOf = ({ interfaces }: NetworkState): ReadonlySet<string> =>
  new Set([...interfaces.map(({ name }) => name), ...interfaces.flatMap(portsOf).map(({ name }) => name)]);

export function checkNames({ interfaces }: NetworkState, report: Report): void {
  const seen = new Set<string>();
  for (const { index, name, type, isFoundByMac, macAddress } of interfaces) {
    // An Open vSwitch bridge and its internal interface usually have the same name.
    const key = type.startsWith('ovs-') ? `${type} ${name}` : name;
    if (seen.has(key)) report(['interfaces', index, 'name'], `Interface ${name} occurs twice.`);
    seen.add(key);
    if (isFoundByMac && macAddress === '')
      report(['interfaces', index, 'identifier'], `${name} has identifier mac-address, but no mac-address.`);
  }
}

export function checkControllers({ interfaces }: NetworkState, report: Report): void {
  const owners = new Map<string, string>();
  for (const controller of interfaces.filter(hasPorts))
    for (const { name } of portsOf(controller)) {
      const owner = owners.get(name);
      if (owner !== undefined)
        report(
          ['interfaces', controller.index],
          `${name} cannot be a port of ${controller.name} because it is a port of ${owner}.`,
        );
      if (name === controller.name) report(['interfaces', controller.index], `${name} cannot be a port of itself.`);
      owners.set(name, controller.name);
    }
  const byPort = ownersOf(interfaces);
  const byName = new Map(interfaces.map((one) => [one.name, one]));
  for (const one of interfaces.filter(({ state }) => state === 'up')) {
    const { index, name, controller } = one;
    const owner = byPort.get(name);
    if (owner && owner.type !== 'vrf')
      for (const family of FAMILIES.filter((given) => one[given].isEnabled))
        report(
          ['interfaces', index, family],
          `${name} is a port of ${owner.name}, so it has no ${family}. Move it to ${owner.name}.`,
        );
    const wanted = byName.get(controller);
    if (controller !== '' && !wanted)
      report(['interfaces', index, 'controller'], `The document has no interface ${controller}.`);
    else if (wanted && portsOf(wanted).length > 0 && owner !== wanted)
      report(['interfaces', index, 'controller'], `${name} is not in the list of ports of ${controller}.`);
  }
}

/** An interface that is absent or ignored has no ports, also when the document names some. */
const hasPorts = ({ state }: NetworkInterface): boolean => state === 'up' || state === 'down';

/** Returns the controllers that are up or down, by the names of their ports. */
const ownersOf = (interfaces: readonly NetworkInterface[]): ReadonlyMap<string, NetworkInterface> =>
  new Map(interfaces.filter(hasPorts).flatMap((one) => portsOf(one).map(({ name }) => [name, one] as const)));

/**
 * Returns the names of interfaces that cannot have a route of the family. An interface without settings for the family
 * is not one of them, because a host with a policy keeps its present settings.
 */
export function withoutFamily({ interfaces }: NetworkState, family: Family): ReadonlySet<string> {
  const owners = ownersOf(interfaces);
  const isPort = (name: string): boolean => (owners.get(name)?.type ?? 'vrf') !== 'vrf';
  // A bridge of Open vSwitch has the name of its internal interface, which has the addresses.
  const own = interfaces.filter(({ type }) => type !== 'ovs-bridge');
  const disabled = own.filter(
    (one) => one.state !== 'up' || (one.raw[family] !== undefined && !one[family].isEnabled) || isPort(one.name),
  );
  const described = new Set(own.map(({ name }) => name));
  return new Set([
    ...disabled.map(({ name }) => name),
    ...[...owners.keys()].filter((name) => isPort(name) && !described.has(name)),
  ]);
}

/** Keys whose value is the name of an interface, at any place of the document. */
const NAMING_KEYS: ReadonlySet<string> = new Set([
  'base-iface',
  'next-hop-interface',
  'iif',
  'copy-mac-from',
  'controller',
  'primary',
  'peer',
  'port1',
  'port2',
]);
/** Keys whose value is a list of names, or of mappings with a name. */
const LISTING_KEYS: ReadonlySet<string> = new Set(['interfaces', 'port', 'ports-config']);

/**
 * Returns the document as an nmstate policy (YAML). The host finds each mapped interface by its MAC address and
 * replaces its name in the document by the real name. All values whose defaults differ between versions are explicit.
 */
export function renderNmpolicy(document: unknown, mapping: readonly MacName[]): string {
  const captured = new Map(mapping.map(({ name }, index) => [name, `{{ capture.iface${index}.interfaces.0.name }}`]));
  const capture = Object.fromEntries(
    mapping.map(({ mac }, index) => [`iface${index}`, `interfaces.mac-address == "${mac}"`]),
  );
  const policy = { capture, desiredState: rename(document, captured) };
  return withoutControls(stringify(policy, { lineWidth: 0, aliasDuplicateObjects: false }));
}

function rename(value: unknown, captured: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => rename(one, captured));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renameUnder(key, one, captured)]));
}

function renameUnder(key: string, value: unknown, captured: ReadonlyMap<string, string>): unknown {
  if (NAMING_KEYS.has(key)) return captured.get(textOf(value)) ?? value;
  if (key === 'ipv4' || key === 'ipv6') return withExplicitAutomatics(key, value);
  if (key === 'server' && Array.isArray(value)) return value.map((one: unknown) => renameLink(textOf(one), captured));
  if (key === 'mac-address') return canonicalMac(textOf(value));
  if (!LISTING_KEYS.has(key) || !Array.isArray(value)) return rename(value, captured);
  return value.map((one: unknown) => {
    if (!isObject(one)) return captured.get(textOf(one)) ?? one;
    const renamed = rename(one, captured);
    const name = captured.get(textOf(one['name']));
    return isObject(renamed) && name !== undefined ? { ...renamed, name } : renamed;
  });
}

/** A link-local name server contains the name of its link, as in `fe80::1%eth0`. */
function renameLink(server: string, captured: ReadonlyMap<string, string>): string {
  const [address, link = ''] = server.split('%');
  return captured.has(link) ? `${address}%${captured.get(link)}` : server;
}

function withExplicitAutomatics(family: string, value: unknown): unknown {
  if (!isObject(value) || !isTrue(value['enabled'])) return value;
  return { dhcp: false, ...(family === 'ipv6' && { autoconf: false }), ...value };
}
