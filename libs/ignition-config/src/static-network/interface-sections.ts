import { isObject } from '@muster/schema';
import { isTrue, toInteger } from '../documents/values';
import { macsecSettings } from './extra-sections';
import type { KeyfileSection, KeyfileSettings } from './ip-sections';
import type { NetworkInterface } from './nmstate';
import { BOND_FLAGS, bondModeOf, mappings, textOf, texts, within } from './read-nmstate';

/** The form of a type of interface in a keyfile. */
interface KeyfileType {
  /** The name of the type in NetworkManager. */
  readonly type: string;
  /** Section with the settings of this type only. */
  readonly section?: (raw: { readonly [key: string]: unknown }) => KeyfileSection;
  readonly isController?: true;
}

const MACVLAN_MODES = ['unknown', 'vepa', 'bridge', 'private', 'passthru', 'source'];
/** The partition of every port. */
const DEFAULT_PKEY = 0xffff;

const TYPES: ReadonlyMap<string, KeyfileType> = new Map<string, KeyfileType>([
  ['ethernet', { type: '802-3-ethernet' }],
  ['bond', { type: 'bond', isController: true, section: bondSection }],
  ['linux-bridge', { type: 'bridge', isController: true, section: bridgeSection }],
  ['vlan', { type: 'vlan', section: (raw) => ({ name: 'vlan', settings: vlanSettings(within(raw, 'vlan')) }) }],
  [
    'vrf',
    {
      type: 'vrf',
      isController: true,
      section: (raw) => ({ name: 'vrf', settings: { table: toInteger(within(raw, 'vrf')['route-table-id']) } }),
    },
  ],
  ['dummy', { type: 'dummy' }],
  ['loopback', { type: 'loopback' }],
  [
    'infiniband',
    {
      type: 'infiniband',
      section: (raw) => ({ name: 'infiniband', settings: infinibandSettings(within(raw, 'infiniband'), raw['mtu']) }),
    },
  ],
  [
    'mac-vlan',
    { type: 'macvlan', section: (raw) => ({ name: 'macvlan', settings: macvlanSettings(within(raw, 'mac-vlan')) }) },
  ],
  [
    'veth',
    { type: 'veth', section: (raw) => ({ name: 'veth', settings: { peer: textOf(within(raw, 'veth')['peer']) } }) },
  ],
  [
    'macsec',
    { type: 'macsec', section: (raw) => ({ name: 'macsec', settings: macsecSettings(within(raw, 'macsec')) }) },
  ],
  ['vxlan', { type: 'vxlan', section: (raw) => ({ name: 'vxlan', settings: vxlanSettings(within(raw, 'vxlan')) }) }],
]);

export const KEYFILE_TYPES: readonly string[] = [...TYPES.keys()];
export const keyfileTypeOf = (type: string): KeyfileType | undefined => TYPES.get(type);

/** Types whose hardware has no settings of Ethernet. */
const WITHOUT_ETHERNET: readonly string[] = ['infiniband', 'loopback'];

/** Returns the section of the interface's type, and `ethernet` when it differs from the defaults. */
export function interfaceSections(one: NetworkInterface): readonly KeyfileSection[] {
  const own = keyfileTypeOf(one.type)?.section?.(one.raw);
  const wire = within(one.raw, 'ethernet');
  // NetworkManager refuses a speed without a duplex. Like nmstate: both count only when they are not negotiated.
  const isFixed = wire['auto-negotiation'] !== undefined && !isTrue(wire['auto-negotiation']);
  const ethernet: KeyfileSettings = {
    ...(one.macAddress !== '' && { [one.isFoundByMac ? 'mac-address' : 'cloned-mac-address']: one.macAddress }),
    mtu: toInteger(one.raw['mtu']),
    'accept-all-mac-addresses':
      one.raw['accept-all-mac-addresses'] === undefined
        ? undefined
        : Number(isTrue(one.raw['accept-all-mac-addresses'])),
    'auto-negotiate': wire['auto-negotiation'] === undefined ? undefined : isTrue(wire['auto-negotiation']),
    ...(isFixed && { duplex: textOf(wire['duplex']) || undefined, speed: toInteger(wire['speed']) }),
  };
  const hasEthernet =
    !WITHOUT_ETHERNET.includes(one.type) && Object.values(ethernet).some((value) => value !== undefined);
  return [
    ...(own ? [own] : []),
    ...(hasEthernet ? [{ name: 'ethernet', settings: ethernet }] : []),
    ...sriovSection(one.raw),
  ];
}

function bondSection(raw: { readonly [key: string]: unknown }): KeyfileSection {
  const bond = within(raw, 'link-aggregation');
  const options = Object.entries(within(bond, 'options')).map(([key, value]) => [
    key === 'balance_slb' ? 'balance-slb' : key,
    bondOption(key, value),
  ]);
  return {
    name: 'bond',
    settings: {
      mode: bondModeOf(raw),
      ...Object.fromEntries(options),
      ...allSlavesActive(within(bond, 'options')['all_slaves_active']),
    },
  };
}

/** NetworkManager reads flags and numbers in decimal form only. */
function bondOption(key: string, value: unknown): string | number | undefined {
  if (BOND_FLAGS.includes(key)) return Number(isTrue(value));
  return Array.isArray(value)
    ? texts(value).join(',') || undefined
    : (toInteger(value) ?? (textOf(value) || undefined));
}

/** nmstate uses names, the kernel uses numbers. */
const ALL_SLAVES_ACTIVE: ReadonlyMap<string, number> = new Map([
  ['dropped', 0],
  ['delivered', 1],
]);

const allSlavesActive = (value: unknown): KeyfileSettings =>
  value === undefined ? {} : { all_slaves_active: ALL_SLAVES_ACTIVE.get(textOf(value)) ?? textOf(value) };

/** Virtual functions of a network card. */
function sriovSection(raw: { readonly [key: string]: unknown }): readonly KeyfileSection[] {
  const sriov = within(raw, 'ethernet', 'sr-iov');
  const total = toInteger(sriov['total-vfs']);
  if (Object.keys(sriov).length === 0 || total === 0) return [];
  const functions = mappings(sriov['vfs']).map(
    (one) => [`vf.${textOf(one['id'])}`, virtualFunction(one) || undefined] as const,
  );
  const autoprobe = sriov['drivers-autoprobe'];
  return [
    {
      name: 'sriov',
      settings: {
        'autoprobe-drivers': autoprobe === undefined ? undefined : Number(isTrue(autoprobe)),
        'total-vfs': total,
        ...Object.fromEntries(functions),
      },
    },
  ];
}

function virtualFunction(one: { readonly [key: string]: unknown }): string {
  const vlan = toInteger(one['vlan-id']);
  const protocol = textOf(one['vlan-proto']).toLowerCase() === '802.1ad' ? 'ad' : 'q';
  const attributes: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ['mac', textOf(one['mac-address']) || undefined],
    ['spoof-check', flagOf(one['spoof-check'])],
    ['trust', flagOf(one['trust'])],
    ['min-tx-rate', toInteger(one['min-tx-rate'])],
    ['max-tx-rate', toInteger(one['max-tx-rate'])],
    ['vlans', vlan === undefined ? undefined : `${vlan}.${toInteger(one['qos']) ?? 0}.${protocol}`],
  ];
  return attributes.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])).join(' ');
}

/** Options with the same name in NetworkManager. */
const BRIDGE_NUMBERS = [
  'multicast-last-member-count',
  'multicast-last-member-interval',
  'multicast-membership-interval',
  'multicast-querier-interval',
  'multicast-query-interval',
  'multicast-query-response-interval',
  'multicast-startup-query-count',
  'multicast-startup-query-interval',
  'vlan-default-pvid',
];
const BRIDGE_FLAGS = ['multicast-querier', 'multicast-query-use-ifaddr', 'multicast-snooping'];
/** In the order of their numbers in the kernel. */
export const ROUTER_MODES: readonly string[] = ['disabled', 'auto', 'enabled'];

const flagOf = (value: unknown): boolean | undefined => (value === undefined ? undefined : isTrue(value));
const routerModeOf = (value: string): string => ROUTER_MODES[Number(value)] ?? value.toLowerCase();
/** NetworkManager reads the name in this form only. */
const vlanProtocolOf = (value: unknown): string | undefined => textOf(value).replace('1q', '1Q') || undefined;

function bridgeSection(raw: { readonly [key: string]: unknown }): KeyfileSection {
  const options = within(raw, 'bridge', 'options');
  const stp = within(options, 'stp');
  const filters = mappings(within(raw, 'bridge')['port']).some((port) => Object.keys(within(port, 'vlan')).length > 0);
  return {
    name: 'bridge',
    settings: {
      ...Object.fromEntries(BRIDGE_NUMBERS.map((key) => [key, toInteger(options[key])])),
      ...Object.fromEntries(BRIDGE_FLAGS.map((key) => [key, flagOf(options[key])])),
      'ageing-time': toInteger(options['mac-ageing-time']),
      'forward-delay': toInteger(stp['forward-delay']),
      'group-address': textOf(options['group-addr']).toUpperCase() || undefined,
      'group-forward-mask': toInteger(options['group-fwd-mask'] ?? options['group-forward-mask']),
      'hello-time': toInteger(stp['hello-time']),
      'max-age': toInteger(stp['max-age']),
      'multicast-hash-max': toInteger(options['hash-max']),
      'multicast-router':
        options['multicast-router'] === undefined ? undefined : routerModeOf(textOf(options['multicast-router'])),
      priority: toInteger(stp['priority']),
      stp: flagOf(stp['enabled']),
      'vlan-filtering': filters,
      'vlan-protocol': vlanProtocolOf(options['vlan-protocol']),
    },
  };
}

const vlanSettings = (vlan: { readonly [key: string]: unknown }): KeyfileSettings => ({
  'egress-priority-map': prioritiesOf(vlan['egress-qos-map']),
  flags:
    (vlan['reorder-headers'] === undefined || isTrue(vlan['reorder-headers']) ? 1 : 0) +
    (REGISTRATION_FLAGS.get(textOf(vlan['registration-protocol'])) ?? 0) +
    (isTrue(vlan['loose-binding']) ? 4 : 0),
  'ingress-priority-map': prioritiesOf(vlan['ingress-qos-map']),
  id: toInteger(vlan['id']),
  parent: textOf(vlan['base-iface']),
  protocol: vlanProtocolOf(vlan['protocol']),
});

const REGISTRATION_FLAGS: ReadonlyMap<string, number> = new Map([
  ['gvrp', 2],
  ['mvrp', 8],
]);

const prioritiesOf = (map: unknown): string | undefined =>
  mappings(map)
    .map(({ from, to }) => [toInteger(from) ?? 0, toInteger(to) ?? 0] as const)
    .sort(([first], [second]) => first - second)
    .map((pair) => pair.join(':'))
    .join(';') || undefined;

function infinibandSettings(infiniband: { readonly [key: string]: unknown }, mtu: unknown): KeyfileSettings {
  const key = toInteger(infiniband['pkey']);
  return {
    mtu: toInteger(mtu),
    'p-key': key === DEFAULT_PKEY ? undefined : key,
    parent: textOf(infiniband['base-iface']) || undefined,
    'transport-mode': textOf(infiniband['mode']),
  };
}

const macvlanSettings = (macvlan: { readonly [key: string]: unknown }): KeyfileSettings => ({
  mode: Math.max(MACVLAN_MODES.indexOf(textOf(macvlan['mode'])), 0),
  parent: textOf(macvlan['base-iface']),
  promiscuous: flagOf(macvlan['promiscuous']),
  tap: false,
});

const vxlanSettings = (vxlan: { readonly [key: string]: unknown }): KeyfileSettings => ({
  id: toInteger(vxlan['id']),
  learning: flagOf(vxlan['learning']),
  local: textOf(vxlan['local']) || undefined,
  parent: textOf(vxlan['base-iface']) || undefined,
  remote: textOf(vxlan['remote']) || undefined,
  'destination-port': toInteger(vxlan['destination-port']),
});

/** Returns the controller's settings for a port: `bond-port` or `bridge-port`. Undefined when there are none. */
export function portSection(
  controllerType: string,
  raw: { readonly [key: string]: unknown },
): KeyfileSection | undefined {
  if (controllerType === 'bond') {
    const settings = { prio: toInteger(raw['priority']), 'queue-id': toInteger(raw['queue-id']) };
    return isEmpty(settings) ? undefined : { name: 'bond-port', settings };
  }
  if (controllerType !== 'linux-bridge') return undefined;
  const settings = {
    'hairpin-mode': raw['stp-hairpin-mode'] === undefined ? undefined : isTrue(raw['stp-hairpin-mode']),
    'path-cost': toInteger(raw['stp-path-cost']),
    priority: toInteger(raw['stp-priority']),
    vlans: portVlans(within(raw, 'vlan')),
  };
  return isEmpty(settings) ? undefined : { name: 'bridge-port', settings };
}

const isEmpty = (settings: KeyfileSettings): boolean => Object.values(settings).every((value) => value === undefined);

function portVlans(vlan: { readonly [key: string]: unknown }): string | undefined {
  const tag = toInteger(vlan['tag']);
  const isAccess = textOf(vlan['mode']) !== 'trunk';
  const own = tag !== undefined && (isAccess || isTrue(vlan['enable-native'])) ? [`${tag} pvid untagged`] : [];
  const trunk = mappings(vlan['trunk-tags']).map((one) => {
    const range = one['id-range'];
    return isObject(range) ? `${textOf(range['min'])}-${textOf(range['max'])}` : textOf(one['id']);
  });
  return [...own, ...trunk].join(',') || undefined;
}
