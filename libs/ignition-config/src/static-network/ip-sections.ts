import { keptByObject } from '@muster/schema';
import { isTrue, toInteger } from '../documents/values';
import {
  type Family,
  familyOf,
  type IpSettings,
  type NetworkInterface,
  type NetworkState,
  type Route,
  type RouteRule,
} from './nmstate';
import { networkOf, textOf } from './read-nmstate';

/** Settings of one section of a NetworkManager keyfile. Undefined settings are omitted. */
export type KeyfileSettings = { readonly [key: string]: string | number | boolean | undefined };

export interface KeyfileSection {
  readonly name: string;
  readonly settings: KeyfileSettings;
}

/** NetworkManager's value for no timeout. */
const NEVER_GIVE_UP_SECONDS = 2_147_483_647;
const MAIN_TABLE = 254;
const DEFAULT_IPV6_METRIC = 1_024;
/** The resolver uses servers with the lowest number first. */
const FIRST_DNS_PRIORITY = 40;
const SECOND_DNS_PRIORITY = 50;

/** The sections `ipv4` and `ipv6` of one interface. */
export function ipSections(one: NetworkInterface, state: NetworkState): readonly KeyfileSection[] {
  return (['ipv4', 'ipv6'] as const).map((family) => ({
    name: family,
    settings: {
      method: methodOf(family, one, state),
      ...addressSettings(one[family]),
      ...automaticSettings(family, one[family]),
      ...prefixSettings(one[family]),
      'dhcp-timeout': NEVER_GIVE_UP_SECONDS,
      'may-fail': mayFail(family, textOf(one.raw['wait-ip'])),
      ...dnsSettings(family, one, state),
      ...routeSettings(family, one, state),
    },
  }));
}

/** As in nmstate, an interface without addresses may have routes. NetworkManager ignores them unless the method is manual. */
function methodOf(family: Family, one: NetworkInterface, state: Pick<NetworkState, 'routes'>): string {
  const { isEnabled, isDhcp, isAutoconf, addresses } = one[family];
  if (!isEnabled) return 'disabled';
  if (isDhcp) return family === 'ipv4' || isAutoconf ? 'auto' : 'dhcp';
  if (addresses.length > 0 || routesOf(family, one, state).length > 0) return 'manual';
  return family === 'ipv4' ? 'disabled' : 'link-local';
}

const addressSettings = ({ isEnabled, addresses }: IpSettings): KeyfileSettings =>
  isEnabled ? Object.fromEntries(addresses.map((address, index) => [`address${index}`, address])) : {};

/** Only IPv4 has them. */
function prefixSettings({ isEnabled, raw }: IpSettings): KeyfileSettings {
  const metric = toInteger(raw['prefix-route-metric']) ?? -1;
  return {
    ...(isEnabled && raw['forwarding'] !== undefined && { forwarding: Number(isTrue(raw['forwarding'])) }),
    ...(isEnabled && metric >= 0 && { 'route-metric': metric }),
  };
}

const CLIENT_IDS: ReadonlyMap<string, string> = new Map([
  ['ll', 'mac'],
  ['iaid+duid', 'duid'],
]);

const DUID_TYPES: readonly string[] = ['llt', 'en', 'll', 'uuid'];

function automaticSettings(family: Family, { isEnabled, isDhcp, raw }: IpSettings): KeyfileSettings {
  const generation = { 'addr-gen-mode': raw['addr-gen-mode'] === 'stable-privacy' ? 1 : 0 };
  const isDescribed = isEnabled || Object.keys(raw).length > 0;
  const own: KeyfileSettings = family === 'ipv6' && isDescribed ? generation : {};
  if (!isEnabled || !isDhcp) return own;
  const clientId = textOf(raw['dhcp-client-id']) || 'll';
  const duid = textOf(raw['dhcp-duid']) || 'll';
  const hostname = textOf(raw['dhcp-custom-hostname']);
  // DHCPv4 has an option of its own for a fully qualified name.
  const isQualified = family === 'ipv4' && hostname.includes('.');
  const identity: KeyfileSettings =
    family === 'ipv4'
      ? { 'dhcp-client-id': CLIENT_IDS.get(clientId.toLowerCase()) ?? clientId }
      : {
          'dhcp-duid': DUID_TYPES.includes(duid.toLowerCase()) ? duid.toLowerCase() : duid,
          'dhcp-iaid': 'mac',
          'ra-timeout': NEVER_GIVE_UP_SECONDS,
          token: textOf(raw['token']) || undefined,
        };
  return {
    ...own,
    ...identity,
    'dhcp-send-hostname': isOn(raw['dhcp-send-hostname']),
    [isQualified ? 'dhcp-fqdn' : 'dhcp-hostname']: isOn(raw['dhcp-send-hostname']) ? hostname || undefined : undefined,
    'ignore-auto-dns': !isOn(raw['auto-dns']),
    'ignore-auto-routes': !isOn(raw['auto-routes']),
    'never-default': !isOn(raw['auto-gateway']),
    'route-metric': toInteger(raw['auto-route-metric']),
    'route-table': toInteger(raw['auto-route-table-id']),
  };
}

/** Automatic settings are enabled unless they are set to false. */
const isOn = (value: unknown): boolean => value === undefined || value === null || isTrue(value);

function mayFail(family: Family, waitIp: string): boolean | undefined {
  if (waitIp === '' || waitIp === 'any') return undefined;
  return !waitIp.includes(family);
}

/**
 * Returns the interface whose section contains the name servers of a family. Undefined when there is none. A link-local server is
 * reached only through the interface in its text.
 */
export function dnsCarrier(
  family: Family,
  { dns, interfaces }: Pick<NetworkState, 'dns' | 'interfaces'>,
): NetworkInterface | undefined {
  const able = interfaces.filter((one) => mayHaveDns(one) && one[family].isEnabled);
  const linkName = family === 'ipv6' ? dns.servers.find((server) => server.includes('%'))?.split('%')[1] : undefined;
  if (linkName !== undefined) return able.find(({ name }) => name === linkName);
  const isPreferred = ({ isDhcp, addresses, raw }: IpSettings): boolean =>
    isDhcp ? !isOn(raw['auto-dns']) : addresses.length > 0;
  return able.find((one) => isPreferred(one[family])) ?? able.find((one) => one[family].isDhcp);
}

/** As in nmstate, the loopback interface has no name servers, although it has addresses. */
const mayHaveDns = ({ state, controller, name }: NetworkInterface): boolean =>
  state === 'up' && controller === '' && name !== LOOPBACK;

function dnsSettings(family: Family, one: NetworkInterface, state: NetworkState): KeyfileSettings {
  const { dns } = state;
  const names: KeyfileSettings = {
    'dns-search': dns.search.join(';') || undefined,
    'dns-options': dns.options.join(';') || undefined,
  };
  if (dns.servers.length === 0) {
    const carrier = dns.search.length + dns.options.length > 0 ? searchCarrier(state) : undefined;
    const isCarrier = carrier?.one === one && carrier.family === family;
    return isCarrier ? { 'dns-priority': FIRST_DNS_PRIORITY, ...names } : {};
  }
  const servers = dns.servers.filter((server) => familyOf(server) === family);
  const isFirst = family === familyOf(dns.servers[0] ?? '');
  if (servers.length === 0 || dnsCarrier(family, state) !== one) return {};
  return {
    dns: servers.map((server) => server.split('%')[0]).join(';'),
    'dns-priority': isFirst ? FIRST_DNS_PRIORITY : SECOND_DNS_PRIORITY,
    ...(isFirst && names),
  };
}

/**
 * Returns the section for search domains and options without name servers, as nmstate chooses it: of the first automatic interface, else
 * of the first other one, and IPv6 before IPv4.
 */
export function searchCarrier({ interfaces }: Pick<NetworkState, 'interfaces'>) {
  const able = interfaces.filter(mayHaveDns);
  const isAutomatic = ({ isEnabled, isDhcp }: IpSettings): boolean => isEnabled && isDhcp;
  const isStatic = ({ isEnabled, addresses }: IpSettings): boolean => isEnabled && addresses.length > 0;
  for (const isFit of [isAutomatic, isStatic]) {
    const one = able.find(({ ipv4, ipv6 }) => isFit(ipv4) || isFit(ipv6));
    if (one) return { one, family: isFit(one.ipv6) ? 'ipv6' : 'ipv4' };
  }
  return undefined;
}

const LOOPBACK = 'lo';

/** A blackhole route has no interface and is written to the section of the loopback interface. */
const carrierOf = ({ nextHopInterface }: Route): string => nextHopInterface || LOOPBACK;

/** Returns whether the document has routes or rules that belong to none of its interfaces. */
export function needsLoopback(state: NetworkState): boolean {
  if (state.interfaces.some(({ name }) => name === LOOPBACK)) return false;
  return (
    state.routes.some((route) => !route.isAbsent && carrierOf(route) === LOOPBACK) ||
    rulesByCarrier(state).has(LOOPBACK)
  );
}

const routesOf = (family: Family, { name }: NetworkInterface, { routes }: Pick<NetworkState, 'routes'>) =>
  routes.filter((one) => !one.isAbsent && carrierOf(one) === name && familyOf(one.destination) === family);

function routeSettings(family: Family, one: NetworkInterface, state: NetworkState): KeyfileSettings {
  const routes = routesOf(family, one, state);
  const rules = (rulesByCarrier(state).get(one.name) ?? []).filter(({ raw }) => ruleFamily(raw) === family);
  return {
    ...Object.fromEntries(routes.flatMap((route, index) => routeLines(family, route, index))),
    ...Object.fromEntries(rules.map((rule, index) => [`routing-rule${index}`, ruleLine(rule)])),
  };
}

function routeLines(family: Family, { destination, nextHopAddress, raw }: Route, index: number): [string, string][] {
  const given = toInteger(raw['metric']);
  const metric = given === undefined || given < 0 ? (family === 'ipv6' ? DEFAULT_IPV6_METRIC : 0) : given;
  const cwnd = toInteger(raw['cwnd']);
  const options: readonly (readonly [string, string | number | undefined])[] = [
    ['table', tableOf(raw['table-id'])],
    ['weight', toInteger(raw['weight'])],
    ['cwnd', cwnd],
    ['lock-cwnd', cwnd === undefined ? undefined : 'true'],
    ['type', textOf(raw['route-type']) || undefined],
    ['src', textOf(raw['source']) || undefined],
    ['initcwnd', toInteger(raw['initcwnd'])],
    ['initrwnd', toInteger(raw['initrwnd'])],
    ['mtu', toInteger(raw['mtu'])],
    ['lock-mtu', flagOf(raw['lock-mtu'])],
    ['quickack', flagOf(raw['quickack'])],
    ['advmss', toInteger(raw['advmss'])],
  ];
  const written = options.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
  return [
    [`route${index}`, `${destination},${nextHopAddress},${metric}`],
    [`route${index}_options`, written.join(',')],
  ];
}

/** 0 is the main table. */
const tableOf = (value: unknown): number => toInteger(value) || MAIN_TABLE;
const flagOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(isTrue(value)));

function ruleFamily(raw: { readonly [key: string]: unknown }): Family {
  return textOf(raw['family']) === 'ipv6' ? 'ipv6' : familyOf(`${textOf(raw['ip-from'])}${textOf(raw['ip-to'])}`);
}

/**
 * Returns the rules by the name of the interface whose section contains them, as nmstate chooses it: the interface in the rule, else one
 * with routes in its table, else the first one. NetworkManager adds the rules of a section together with its routes.
 */
const rulesByCarrier = keptByObject((state: NetworkState): ReadonlyMap<string, readonly RouteRule[]> => {
  const carriers = { ipv4: ruleCarriers('ipv4', state), ipv6: ruleCarriers('ipv6', state) };
  const found = new Map<string, RouteRule[]>();
  for (const rule of state.rules.filter(({ raw }) => raw['state'] !== 'absent')) {
    const { names, byTable } = carriers[ruleFamily(rule.raw)];
    const iif = textOf(rule.raw['iif']);
    const [first = LOOPBACK] = names;
    const carrier = names.has(iif) ? iif : (byTable.get(tableOf(rule.raw['route-table'])) ?? first);
    const known = found.get(carrier);
    if (known) known.push(rule);
    else found.set(carrier, [rule]);
  }
  return found;
});

function ruleCarriers(family: Family, { interfaces, routes }: Pick<NetworkState, 'interfaces' | 'routes'>) {
  const able = interfaces.filter(
    (one) => one.name !== LOOPBACK && one.state === 'up' && methodOf(family, one, { routes }) !== 'disabled',
  );
  const names = new Set(able.map(({ name }) => name));
  const tables = [
    ...routes
      .filter((route) => !route.isAbsent && familyOf(route.destination) === family && names.has(route.nextHopInterface))
      .map(({ nextHopInterface, raw }) => [tableOf(raw['table-id']), nextHopInterface] as const),
    ...able
      .filter((one) => one[family].isDhcp)
      .map((one) => [tableOf(one[family].raw['auto-route-table-id']), one.name] as const),
  ];
  // The first entry of a table remains.
  return { names, byTable: new Map(tables.reverse()) };
}

const EVERYTHING: { readonly [family in Family]: string } = { ipv4: '0.0.0.0/0', ipv6: '::/0' };

function ruleLine({ priority, raw }: RouteRule): string {
  const mark = toInteger(raw['fwmark']);
  const mask = toInteger(raw['fwmask']);
  const [from, to] = [raw['ip-from'], raw['ip-to']].map((range) => networkOf(textOf(range)));
  const words: readonly (readonly [string, string | number | undefined])[] = [
    ['priority', priority],
    ['to', to || undefined],
    ['from', from || (to ? undefined : EVERYTHING[ruleFamily(raw)])],
    ['iif', textOf(raw['iif']) || undefined],
    ['suppress_prefixlength', toInteger(raw['suppress-prefix-length'])],
    ['type', textOf(raw['action']) || undefined],
    ['table', tableOf(raw['route-table'])],
    ['fwmark', mark === undefined ? undefined : `${mark}${mask === undefined ? '' : `/${mask}`}`],
  ];
  return words.flatMap(([word, value]) => (value === undefined ? [] : [`${word} ${value}`])).join(' ');
}
