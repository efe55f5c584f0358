import { isTrue } from '../documents/values';
import { extraSections, mptcpFlags } from './extra-sections';
import { interfaceSections, KEYFILE_TYPES, keyfileTypeOf, portSection } from './interface-sections';
import { dnsCarrier, ipSections, type KeyfileSection, needsLoopback, searchCarrier } from './ip-sections';
import { namesOf } from './mac-mapping';
import { FAMILIES, familyOf, noFamily, type NetworkInterface, type NetworkState, type Report } from './nmstate';
import { loopback, type Port, portsOf, textOf, within, withPlainPorts } from './read-nmstate';

export interface Keyfile {
  /** `<interface>.nmconnection`. */
  readonly fileName: string;
  readonly content: string;
}

/** Settings that only nmstate on the host supports. */
const BEYOND_KEYFILES = ['ovs-db', 'dispatch', 'pci-address', 'copy-mac-from'] as const;

/** Types that exist only with the members of their section. nmstate may know an earlier interface, a keyfile does not. */
const DESCRIBED_TYPES: readonly string[] = ['vlan', 'vxlan', 'veth', 'mac-vlan', 'macsec', 'infiniband'];

/** Keyfiles are used for releases before 4.18 and for every ramdisk: minimal images and network boot. */
const NOT_IN_KEYFILES = 'cannot be written as a NetworkManager keyfile. Use OpenShift 4.18 or later with a full image.';

/** Reports what keyfiles cannot express. The same document may be valid as an nmstate policy. */
export function checkForKeyfiles(state: NetworkState, report: Report): void {
  for (const { index, type, raw } of state.interfaces.filter(isWritten))
    if (DESCRIBED_TYPES.includes(type) && raw[type] === undefined)
      report(['interfaces', index], `An interface of type ${type} requires ${type}.`);
  const files = new Set<string>();
  for (const one of state.interfaces.filter((other) => isWritten(other) && KEYFILE_TYPES.includes(other.type))) {
    const file = fileNameOf(one);
    if (files.has(file))
      report(
        ['interfaces', one.index, 'profile-name'],
        `Two interfaces have the keyfile ${file}. Use each profile-name once.`,
      );
    files.add(file);
  }
  for (const { index, name, type, raw } of state.interfaces) {
    if (!KEYFILE_TYPES.includes(type))
      report(
        ['interfaces', index, 'type'],
        `type '${type}' ${NOT_IN_KEYFILES} Supported in keyfiles: ${KEYFILE_TYPES.join(', ')}.`,
      );
    for (const key of BEYOND_KEYFILES)
      if (raw[key] !== undefined) report(['interfaces', index, key], `${key} (${name}) ${NOT_IN_KEYFILES}`);
  }
  for (const family of FAMILIES) {
    // The loopback interface has addresses without settings.
    const without = state.interfaces.filter((one) => one.raw[family] === undefined && !one[family].isEnabled);
    const unset = new Set(without.map(({ name }) => name));
    for (const { index, isAbsent, destination, nextHopInterface } of state.routes)
      if (!isAbsent && destination !== '' && familyOf(destination) === family && unset.has(nextHopInterface))
        report(['routes', 'config', index, 'next-hop-interface'], noFamily(nextHopInterface, family));
  }
  const names = namesOf(state);
  for (const { index, raw } of state.rules) {
    const iif = textOf(raw['iif']);
    if (raw['state'] !== 'absent' && iif !== '' && iif !== 'lo' && !names.has(iif))
      report(['route-rules', 'config', index, 'iif'], `The document has no interface ${iif}.`);
  }
  const families = state.dns.servers.map(familyOf);
  if (families.filter((family, index) => family !== families[index - 1]).length > 2)
    report(
      ['dns-resolver', 'config', 'server'],
      'In a keyfile, no name server can be between two of the other address family. List all of one family first.',
    );
  const { options, search, servers } = state.dns;
  if (servers.length === 0 && search.length + options.length > 0 && !searchCarrier(state))
    report(
      ['dns-resolver', 'config', search.length > 0 ? 'search' : 'options'],
      'No interface has an address or DHCP, which search domains and options require.',
    );
  const missing = FAMILIES.find(
    (family) => state.dns.servers.some((server) => familyOf(server) === family) && !dnsCarrier(family, state),
  );
  if (missing)
    report(
      ['dns-resolver', 'config', 'server'],
      `No interface has ${missing} enabled, which these name servers require.`,
    );
}

/** Returns the document as files for NetworkManager in the order of file names. The document must be valid. */
export function renderKeyfiles(given: NetworkState): readonly Keyfile[] {
  // An interface that is absent or ignored has no ports either.
  const state = { ...given, interfaces: given.interfaces.filter(isWritten) };
  const plain = withPlainPorts(state);
  const interfaces = needsLoopback(state) ? [...plain, loopback(plain.length)] : plain;
  const controllers = new Map(
    interfaces.flatMap((one) => portsOf(one).map((port) => [port.name, { one, port }] as const)),
  );
  const whole: NetworkState = {
    ...state,
    interfaces: interfaces.map((one) => ({
      ...one,
      controller: one.controller || ipController(controllers.get(one.name)?.one),
    })),
  };
  return whole.interfaces
    .map((one) => ({
      fileName: fileNameOf(one),
      content: formatKeyfile(sectionsOf(one, whole, controllers.get(one.name))),
    }))
    .sort((first, second) => (first.fileName < second.fileName ? -1 : 1));
}

const isWritten = ({ state }: NetworkInterface): boolean => state === 'up' || state === 'down';
const fileNameOf = ({ profileName, name }: NetworkInterface): string =>
  `${(profileName || name).replaceAll('/', '_')}.nmconnection`;

/** Members of a bond or bridge have no addresses. Those of a VRF do. */
const ipController = (controller: NetworkInterface | undefined): string =>
  controller && controller.type !== 'vrf' ? controller.name : '';

function sectionsOf(
  one: NetworkInterface,
  state: NetworkState,
  membership: { readonly one: NetworkInterface; readonly port: Port } | undefined,
): readonly KeyfileSection[] {
  const named = one.controller === '' ? undefined : state.interfaces.find(({ name }) => name === one.controller);
  const controller = membership?.one ?? named;
  const type = keyfileTypeOf(one.type);
  const lldp = within(one.raw, 'lldp')['enabled'];
  const connection: KeyfileSection = {
    name: 'connection',
    settings: {
      autoconnect: one.state === 'up',
      'autoconnect-priority': 1,
      'autoconnect-slaves': type?.isController ? 1 : -1,
      id: one.profileName || one.name,
      'interface-name': one.isFoundByMac ? undefined : one.name,
      lldp: lldp === undefined ? undefined : Number(isTrue(lldp)),
      master: controller?.name,
      'mptcp-flags': mptcpFlags(one),
      'slave-type': controller && keyfileTypeOf(controller.type)?.type,
      type: type?.type,
    },
  };
  const port = membership && portSection(membership.one.type, membership.port.raw);
  return [
    connection,
    ...interfaceSections(one),
    ...extraSections(one),
    ...(one.controller === '' ? ipSections(one, state) : []),
    ...(port ? [port] : []),
  ];
}

/** Returns NetworkManager's keyfile format. Line breaks become blanks. */
function formatKeyfile(sections: readonly KeyfileSection[]): string {
  return sections
    .map(({ name, settings }) => {
      const lines = Object.entries(settings).flatMap(([key, value]) =>
        value === undefined ? [] : [`${key}=${escaped(String(value))}`],
      );
      return `[${name}]\n${lines.map((line) => `${line}\n`).join('')}`;
    })
    .join('\n');
}

/** In a value of a keyfile, a backslash begins an escape sequence, and blanks at the start are ignored. */
const escaped = (value: string): string =>
  value
    .replaceAll('\\', '\\\\')
    .replace(/[\r\n]+/g, ' ')
    .replace(/^[ \t]+/, (blanks) => blanks.replaceAll(' ', '\\s').replaceAll('\t', '\\t'));
