import { parseIp } from '@muster/addresses';
import { familyOf, type NetworkState, type Report } from './nmstate';
import { portsOf } from './read-nmstate';

/** Reports contradictions and references to missing interfaces, which a schema cannot express. */
export function checkNmstate(state: NetworkState, report: Report): void {
  if (state.interfaces.length === 0) report(['interfaces'], 'The document describes no interface.');
  checkNames(state, report);
  checkControllers(state, report);
  checkRoutes(state, report);
  state.dns.servers.forEach((server, index) => {
    const [address = ''] = server.split('%');
    if (!parseIp(address)) report(['dns-resolver', 'config', 'server', index], `"${server}" is not an IP address.`);
  });
}

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

function checkNames({ interfaces }: NetworkState, report: Report): void {
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

function checkControllers({ interfaces }: NetworkState, report: Report): void {
  const owners = new Map<string, string>();
  for (const controller of interfaces)
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
}

function checkRoutes({ interfaces, routes }: NetworkState, report: Report): void {
  const names = new Set([
    ...interfaces.map(({ name }) => name),
    ...interfaces.flatMap(portsOf).map(({ name }) => name),
  ]);
  for (const { index, isAbsent, destination, nextHopAddress, nextHopInterface, raw } of routes) {
    if (isAbsent) continue;
    const path = ['routes', 'config', index];
    if (destination === '') report(path, 'destination is missing.');
    if (nextHopInterface === '' && raw['route-type'] === undefined) report(path, 'next-hop-interface is missing.');
    if (nextHopInterface !== '' && !names.has(nextHopInterface))
      report([...path, 'next-hop-interface'], `The document has no interface ${nextHopInterface}.`);
    if (destination !== '' && nextHopAddress !== '' && familyOf(destination) !== familyOf(nextHopAddress))
      report([...path, 'next-hop-address'], `${nextHopAddress} and ${destination} have different address families.`);
  }
}
