import { parseIp } from '@muster/addresses';
import { createParser, holds } from '@muster/schema';
import {
  anything,
  flag,
  integer,
  isTrue,
  mapping,
  members,
  oneOf,
  scalarText,
  text,
  toInteger,
  uint16,
  uint32,
} from '../documents/values';
import { ROUTER_MODES } from './interface-sections';
import { checkControllers, checkNames, namesOf, withoutFamily } from './mac-mapping';
import {
  FAMILIES,
  familyOf,
  noFamily,
  type NetworkInterface,
  type NetworkState,
  type Report,
  sentenceOf,
} from './nmstate';
import { SECTIONS } from './nmstate.schema';
import { bondModeOf, firstOverlap, mappings, sectionsOf, textOf, texts, vrfTables, within } from './read-nmstate';

/** Reports contradictions and references to missing interfaces, which a schema cannot express. */
export function checkNmstate(state: NetworkState, report: Report): void {
  if (state.interfaces.length === 0) report(['interfaces'], 'The document describes no interface.');
  checkNames(state, report);
  checkControllers(state, report);
  checkRoutes(state, report);
  checkRules(state, report);
  for (const one of state.interfaces) {
    // nmstate does not check the settings of an interface that is absent or ignored.
    if (one.state !== 'up' && one.state !== 'down') continue;
    checkSections(one, report);
    checkIpv6(one, report);
    if (one.type === 'loopback') checkLoopback(one, report);
    checkMetric(one, report);
    if (one.type === 'bond') checkBond(one, report);
    checkBridgeOptions(one, report);
  }
  checkServers(state.dns, report);
  state.dns.options.forEach((option, index) => {
    const [name = '', value] = option.split(':');
    const known = value === undefined ? DNS_OPTIONS : DNS_OPTIONS_WITH_VALUE;
    if (!known.includes(name))
      report(
        ['dns-resolver', 'config', 'options', index],
        `nmstate does not support "${option}". Use ${DNS_OPTIONS.join(', ')}, or with a value, such as ndots:2: ${DNS_OPTIONS_WITH_VALUE.join(', ')}.`,
      );
  });
}

const DNS_OPTIONS: readonly string[] = [
  'debug',
  'edns0',
  'inet6',
  'ip6-bytestring',
  'ip6-dotint',
  'no-aaaa',
  'no-check-names',
  'no-ip6-dotint',
  'no-reload',
  'no-tld-query',
  'rotate',
  'single-request',
  'single-request-reopen',
  'trust-ad',
  'use-vc',
];
const DNS_OPTIONS_WITH_VALUE: readonly string[] = ['ndots', 'timeout', 'attempts'];

/** Reports settings that have no effect although the document is valid. */
export function adviseOnNmstate(state: NetworkState, report: Report): void {
  for (const { index, ipv4, ipv6 } of state.interfaces)
    for (const [family, settings] of [
      ['ipv4', ipv4],
      ['ipv6', ipv6],
    ] as const)
      if (!settings.isEnabled && (settings.addresses.length > 0 || settings.isDhcp))
        report(['interfaces', index, family], 'These settings have no effect until enabled is true.');
}

function checkServers({ servers }: NetworkState['dns'], report: Report): void {
  servers.forEach((server, index) => {
    const [address = '', ...zones] = server.split('%');
    if (!parseIp(address) || zones.length > (familyOf(address) === 'ipv6' ? 1 : 0))
      report(['dns-resolver', 'config', 'server', index], `"${server}" is not an IP address.`);
  });
}

function checkRoutes(state: NetworkState, report: Report): void {
  const names = new Set([...namesOf(state), 'lo']);
  const refused = new Map(FAMILIES.map((family) => [family, withoutFamily(state, family)]));
  const vrfs = vrfTables(state.interfaces);
  for (const { index, isAbsent, destination, nextHopAddress, nextHopInterface, raw } of state.routes) {
    if (isAbsent) continue;
    const path = ['routes', 'config', index];
    if (destination === '') report(path, 'destination is missing.');
    if (nextHopInterface === '' && raw['route-type'] === undefined) report(path, 'next-hop-interface is missing.');
    if (nextHopInterface !== '' && !names.has(nextHopInterface))
      report([...path, 'next-hop-interface'], `The document has no interface ${nextHopInterface}.`);
    else if (raw['route-type'] !== undefined) {
      if (!['', 'lo'].includes(nextHopInterface) || nextHopAddress !== '')
        report(path, 'A route with a route-type has no next hop.');
    } else if (destination !== '' && refused.get(familyOf(destination))?.has(nextHopInterface))
      report([...path, 'next-hop-interface'], noFamily(nextHopInterface, familyOf(destination)));
    if (/^0\..*\/([89]|\d\d)$/.test(destination) && raw['route-type'] === undefined)
      report([...path, 'destination'], `${destination} cannot be a destination. The default route is 0.0.0.0/0.`);
    if (raw['weight'] !== undefined && familyOf(destination) === 'ipv6')
      report([...path, 'weight'], 'nmstate supports weight for IPv4 only.');
    const vrf = textOf(raw['vrf-name']);
    if (vrf !== '' && !vrfs.has(vrf))
      report([...path, 'vrf-name'], `The document has no VRF ${vrf} whose state is up.`);
    else if (vrf !== '' && toInteger(raw['table-id']) !== toInteger(vrfs.get(vrf)))
      report([...path, 'table-id'], `The table of ${vrf} is ${textOf(vrfs.get(vrf))}. Remove table-id.`);
    if (destination !== '' && nextHopAddress !== '' && familyOf(destination) !== familyOf(nextHopAddress))
      report([...path, 'next-hop-address'], `${nextHopAddress} and ${destination} have different address families.`);
  }
}

function checkRules({ rules }: NetworkState, report: Report): void {
  for (const { index, raw } of rules) {
    if (raw['state'] === 'absent') continue;
    const path = ['route-rules', 'config', index];
    if (raw['fwmask'] !== undefined && raw['fwmark'] === undefined)
      report([...path, 'fwmask'], 'fwmask requires fwmark. Add fwmark, or remove fwmask.');
    const [from, to, family] = [textOf(raw['ip-from']), textOf(raw['ip-to']), textOf(raw['family'])];
    if (`${from}${to}${family}` === '')
      report(path, 'ip-from, ip-to or family is required. For every address, set family to ipv4 or ipv6.');
    else if (from !== '' && to !== '' && familyOf(from) !== familyOf(to))
      report([...path, 'ip-to'], 'ip-from and ip-to have different address families.');
    else if (family !== '')
      for (const key of ['ip-from', 'ip-to']) {
        const value = textOf(raw[key]);
        if (value !== '' && familyOf(value) !== family)
          report([...path, key], `${value} is not in the address family ${family}.`);
      }
  }
}

function checkSections({ index, type, state, raw }: NetworkInterface, report: Report): void {
  for (const key of SECTIONS)
    if (raw[key] !== undefined && !sectionsOf(type).includes(key))
      report(['interfaces', index, key], `An interface of type ${type} has no ${key}. Remove it, or change the type.`);
  const [section = ''] = sectionsOf(type);
  if (state === 'up' && ['bond', 'vrf'].includes(type) && raw[section] === undefined)
    report(['interfaces', index], `An interface of type ${type} requires ${section}.`);
}

/** -1 is the default. */
function checkMetric({ index, ipv4: { raw } }: NetworkInterface, report: Report): void {
  const metrics = [raw['auto-route-metric'], raw['prefix-route-metric']].map((value) => toInteger(value) ?? -1);
  if (new Set(metrics.filter((metric) => metric >= 0)).size > 1)
    report(
      ['interfaces', index, 'ipv4', 'prefix-route-metric'],
      'NetworkManager requires the same prefix-route-metric and auto-route-metric.',
    );
}

function checkLoopback({ index, ipv4, ipv6 }: NetworkInterface, report: Report): void {
  const path = ['interfaces', index];
  if (isTrue(ipv4.raw['dhcp']) || (ipv4.raw['enabled'] !== undefined && !ipv4.isEnabled))
    report([...path, 'ipv4'], 'A loopback interface has IPv4, and no automatic addresses.');
  if (ipv6.isDhcp || ipv6.isAutoconf) report([...path, 'ipv6'], 'A loopback interface has no automatic addresses.');
}

const IPV6_MTU_MIN = 1_280;

function checkIpv6({ index, name, ipv6, raw }: NetworkInterface, report: Report): void {
  if (!ipv6.isEnabled) return;
  const mtu = toInteger(raw['mtu']) ?? IPV6_MTU_MIN;
  if (mtu < IPV6_MTU_MIN)
    report(['interfaces', index, 'mtu'], `IPv6 requires an MTU of at least ${IPV6_MTU_MIN}, not ${mtu}.`);
  const token = textOf(ipv6.raw['token']);
  if (!['', '::'].includes(token) && ipv6.raw['autoconf'] !== undefined && !ipv6.isAutoconf)
    report(['interfaces', index, 'ipv6', 'token'], 'token requires autoconf.');
  if (ipv6.isDhcp || !ipv6.isAutoconf) return;
  const advice = 'Set dhcp to true as well: the router then tells the host whether to use DHCP.';
  report(
    ['interfaces', index, 'ipv6', 'autoconf'],
    `${name} has autoconf without dhcp, which nmstate does not support. ${advice}`,
  );
}

const LACP = '802.3ad';
const MODES_WITHOUT_ARP: readonly string[] = [LACP, 'balance-tlb', 'balance-alb'];

function checkBond({ index, name, raw }: NetworkInterface, report: Report): void {
  const bond = within(raw, 'link-aggregation');
  const options = within(bond, 'options');
  const mode = bondModeOf(raw);
  const path = ['interfaces', index, 'link-aggregation'];
  for (const key of ['lacp_rate', 'lacp_active'])
    if (options[key] !== undefined && mode !== LACP)
      report(
        [...path, 'options', key],
        `${key} requires mode ${LACP}, and the mode of ${name} is ${mode}. Remove ${key}, or change the mode.`,
      );
  const isHashedBySource = ['vlan+srcmac', '5'].includes(textOf(options['xmit_hash_policy']));
  for (const key of ['balance_slb', 'balance-slb'])
    if (isTrue(options[key]) && !(mode === 'balance-xor' && isHashedBySource))
      report([...path, 'options', key], `${key} requires mode balance-xor and xmit_hash_policy vlan+srcmac.`);
  const interval = toInteger(options['arp_interval']);
  for (const key of ['arp_ip_target', 'ns_ip6_target'])
    if (interval === 0 && (textOf(options[key]) || texts(options[key]).length > 0))
      report([...path, 'options', key], `${key} requires an arp_interval above 0.`);
  if ((interval ?? 0) > 0) {
    const place = [...path, 'options', 'arp_interval'];
    if ((toInteger(options['miimon']) ?? 0) > 0)
      report(place, `${name} has miimon and arp_interval. Keep one of them.`);
    else if (MODES_WITHOUT_ARP.includes(mode))
      report(place, `arp_interval cannot be used in mode ${mode}. Use miimon.`);
  }
  checkBondPorts(bond, (problem) => {
    report([...path, 'ports-config'], `port and ports-config of ${name} ${problem}`);
  });
}

function checkBondPorts(bond: { readonly [key: string]: unknown }, report: (problem: string) => void): void {
  if (bond['port'] === undefined || bond['ports-config'] === undefined) return;
  const plain = texts(bond['port']);
  const described = mappings(bond['ports-config']).map((port) => textOf(port['name']));
  const single = [
    ...plain.filter((port) => !described.includes(port)),
    ...described.filter((port) => !plain.includes(port)),
  ];
  if (single.length > 0)
    report(`name different ports. Only in one of them: ${single.join(', ')}. Remove port, or name the same ports.`);
}

const centiseconds = integer(0, Number.MAX_SAFE_INTEGER);

const multicastRouter = holds(
  (value) => [...ROUTER_MODES, '0', '1', '2'].includes(scalarText(value).toLowerCase()),
  `one of ${ROUTER_MODES.join(', ')}, 0, 1, 2`,
);

/** The options of a bridge depend on its type. */
const BRIDGE_OPTIONS = {
  'linux-bridge': mapping({
    ...members(centiseconds, ['gc-timer', 'hello-timer']),
    'group-addr': text,
    ...members(uint16, ['group-forward-mask', 'group-fwd-mask', 'vlan-default-pvid']),
    ...members(uint32, ['hash-max', 'mac-ageing-time']),
    ...members(uint32, ['multicast-last-member-count', 'multicast-startup-query-count']),
    ...members(centiseconds, ['multicast-last-member-interval', 'multicast-membership-interval']),
    ...members(centiseconds, ['multicast-querier-interval', 'multicast-query-interval']),
    ...members(centiseconds, ['multicast-query-response-interval', 'multicast-startup-query-interval']),
    ...members(flag, ['multicast-querier', 'multicast-query-use-ifaddr', 'multicast-snooping']),
    'multicast-router': multicastRouter,
    stp: mapping({
      enabled: flag,
      'forward-delay': integer(2, 30),
      'hello-time': integer(1, 10),
      'max-age': integer(6, 40),
      priority: uint16,
    }),
    'vlan-protocol': oneOf(['802.1q', '802.1ad']),
  }),
  'ovs-bridge': mapping({
    stp: anything,
    ...members(flag, ['rstp', 'mcast-snooping-enable']),
    ...members(text, ['fail-mode', 'datapath']),
  }),
};

const BRIDGE_PARSERS = new Map(
  Object.entries(BRIDGE_OPTIONS).map(([type, schema]) => [
    type,
    createParser(schema, { name: 'options', reportsAll: true }),
  ]),
);

function checkBridgeOptions({ index, type, raw }: NetworkInterface, report: Report): void {
  mappings(within(raw, 'bridge')['port']).forEach((port, at) => {
    const vlan = within(port, 'vlan');
    const isNative = isTrue(vlan['enable-native']);
    const reportVlan = (problem: string) => report(['interfaces', index, 'bridge', 'port', at, 'vlan'], problem);
    if (vlan['mode'] === 'trunk' && vlan['trunk-tags'] === undefined) reportVlan('mode trunk requires trunk-tags.');
    if (vlan['mode'] === 'trunk' && (toInteger(vlan['tag']) ?? 0) > 0 && !isNative)
      reportVlan('tag requires enable-native in mode trunk.');
    if (vlan['mode'] === 'access' && (isNative || mappings(vlan['trunk-tags']).length > 0))
      reportVlan('enable-native and trunk-tags require mode trunk.');
    const overlap = firstOverlap(mappings(vlan['trunk-tags']));
    if (overlap !== undefined) reportVlan(`trunk-tags contains ${overlap} twice.`);
  });
  const options = within(raw, 'bridge')['options'];
  const checked = options === undefined ? undefined : BRIDGE_PARSERS.get(type)?.(options);
  if (checked?.kind !== 'invalid') return;
  for (const violation of checked.violations)
    report(['interfaces', index, 'bridge', 'options', ...violation.place], sentenceOf(violation));
}
