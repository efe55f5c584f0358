import {
  type Cidr,
  containsIp,
  type Family,
  formatNetwork,
  isLinkLocal,
  isSameNetwork,
  isUnspecified,
  parseCidr,
  parseCidrs,
  parseIp,
} from '@muster/addresses';
import { cidrsOf, type Hardware, type Route } from '../hardware/hardware';
import { type ClusterSettingsFacts, isLoadBalancerUserManaged, isSingleNode } from './cluster-settings.facts';

/** Returns the default routes with a gateway, lowest metric first, of one family or both. */
export function defaultRoutes(hardware: Hardware, family?: Family): readonly Route[] {
  return hardware.routes
    .filter((route) => {
      const [destination, gateway] = [parseIp(route.destination), parseIp(route.gateway)];
      if (!destination || !gateway) return false;
      return isUnspecified(destination) && !isUnspecified(gateway) && (!family || destination.family === family);
    })
    .sort((first, second) => first.metric - second.metric);
}

/** Returns the first of the networks that contains the address. */
export function networkOfAddress(networks: Iterable<Cidr>, text: string): Cidr | undefined {
  const address = parseIp(text);
  if (!address) return undefined;
  for (const cidr of networks) if (containsIp(cidr, address)) return cidr;
  return undefined;
}

/**
 * Returns the machine networks that the VIPs and the hosts' interfaces determine, in canonical form. Undefined when
 * they do not change. Used while the cluster is pending for input or insufficient.
 */
export function deriveMachineNetworks(
  settings: ClusterSettingsFacts,
  hosts: readonly Hardware[],
): readonly string[] | undefined {
  const derived = candidateNetworks(settings, hosts);
  const isSame = derived?.join() === settings.machineNetworks.join();
  return isSame ? undefined : derived;
}

/**
 * Returns whether no host has an address in the machine networks any more. Derived networks end with their last host. They are kept
 * together with a network that cannot be derived again.
 */
export function areNetworksAbandoned(settings: ClusterSettingsFacts, hosts: readonly Hardware[]): boolean {
  const networks = parseCidrs(settings.machineNetworks);
  if (hasNetworkOfUser(settings, networks)) return false;
  return networks.every(
    (network) => !hosts.some((host) => cidrsOf(host).some(({ address }) => containsIp(network, address))),
  );
}

/** A second network without a VIP was set by a user, except on a single node, whose networks are all derived without VIPs. */
function hasNetworkOfUser(settings: ClusterSettingsFacts, [first]: readonly Cidr[]): boolean {
  const hasSecondVip = Math.max(settings.apiVips.length, settings.ingressVips.length) > 1;
  if (!first || isSingleNode(settings) || hasSecondVip) return false;
  return networksOfOtherFamilies(settings, first).length > 0;
}

function candidateNetworks(settings: ClusterSettingsFacts, hosts: readonly Hardware[]): readonly string[] | undefined {
  if (isSingleNode(settings)) return singleNodeNetworks(settings, hosts);
  if (settings.userManagedNetworking || isLoadBalancerUserManaged(settings)) return undefined;
  return settings.vipDhcpAllocation ? onlyNetwork(hosts) : networksOfVips(settings, hosts);
}

/** DHCP allocates VIPs in the network of the hosts, if there is exactly one. */
function onlyNetwork(hosts: readonly Hardware[]): readonly string[] | undefined {
  const networks = distinctNetworks(hosts.flatMap(cidrsOf));
  const [only] = networks;
  return only && networks.length === 1 ? [formatNetwork(only)] : undefined;
}

/** Most hosts are in all networks, so the addresses of the others are usually not read. */
function* addressesIn(hosts: readonly Hardware[]): Iterable<Cidr> {
  for (const host of hosts) yield* cidrsOf(host);
}

function networksOfVips(settings: ClusterSettingsFacts, hosts: readonly Hardware[]): readonly string[] | undefined {
  if (settings.apiVips.length + settings.ingressVips.length === 0) return undefined;
  const networkOf = (vip = ''): Cidr | undefined => networkOfAddress(addressesIn(hosts), vip);
  const networkAt = (index: number): Cidr | undefined =>
    networkOf(settings.apiVips[index]) ?? networkOf(settings.ingressVips[index]);
  const [primary, secondary] = [networkAt(0), networkAt(1)];
  const isAsBefore = (index: number, found: Cidr | undefined): boolean => {
    const before = parseCidr(settings.machineNetworks[index] ?? '');
    return found !== undefined && before !== undefined && isSameNetwork(found, before);
  };
  // A second network without a VIP was set by a user and is kept.
  if (!primary || (isAsBefore(0, primary) && (!secondary || isAsBefore(1, secondary)))) return undefined;
  return [primary, ...(secondary ? [secondary] : networksOfOtherFamilies(settings, primary))].map(formatNetwork);
}

/** Returns the present networks after the first that are of another address family of the cluster than the first network. */
const networksOfOtherFamilies = (
  { clusterNetworks, machineNetworks }: ClusterSettingsFacts,
  first: Cidr,
): readonly Cidr[] => {
  const families = familiesInOrder(clusterNetworks.map(({ cidr }) => cidr));
  return parseCidrs(machineNetworks.slice(1)).filter(
    ({ family }) => family !== first.family && families.includes(family),
  );
};

/**
 * Returns the networks of a single node, one per address family of the cluster: its only network, or the network of the
 * default route.
 */
function singleNodeNetworks(settings: ClusterSettingsFacts, hosts: readonly Hardware[]): readonly string[] | undefined {
  const [host] = hosts;
  const families = familiesInOrder(settings.clusterNetworks.map(({ cidr }) => cidr));
  const agree = [...families].sort().join() === [...familiesInOrder(settings.serviceNetworks)].sort().join();
  if (!host || settings.machineNetworks.length > 0 || families.length === 0 || !agree) return undefined;
  const networks = families.map((family) => networkOfFamily(host, family));
  return networks.every((cidr) => cidr !== undefined) ? networks.map(formatNetwork) : undefined;
}

function networkOfFamily(host: Hardware, family: Family): Cidr | undefined {
  const networks = distinctNetworks(cidrsOf(host)).filter((cidr) => cidr.family === family);
  if (networks.length <= 1) return networks[0];
  const [route] = defaultRoutes(host, family);
  const gateway = parseIp(route?.gateway ?? '');
  if (!route || !gateway) return undefined;
  return isLinkLocal(gateway) ? networkOfInterface(host, route) : networks.find((cidr) => containsIp(cidr, gateway));
}

/**
 * Returns the widest network of the interface of an IPv6 route. IPv6 routers announce their link-local address, which is in no network
 * of the host. Beside the network that a router announces, an interface may have an address with a prefix length of 128 from DHCPv6.
 */
function networkOfInterface({ nics }: Hardware, route: Route): Cidr | undefined {
  const own = parseCidrs(nics.find(({ name }) => name === route.interface)?.ipv6Addresses ?? []);
  return distinctNetworks(own).toSorted((one, other) => one.prefix - other.prefix)[0];
}

const familiesInOrder = (cidrs: readonly string[]): readonly Family[] => [
  ...new Set(parseCidrs(cidrs).map(({ family }) => family)),
];

function distinctNetworks(addresses: readonly Cidr[]): readonly Cidr[] {
  const networks = new Map<string, Cidr>();
  for (const cidr of addresses) {
    if (!isLinkLocal(cidr.address)) networks.set(formatNetwork(cidr), cidr);
  }
  return [...networks.values()];
}
