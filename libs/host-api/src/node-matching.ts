import type { KubeNode } from './kube-resources';
import type { ServiceHost } from './service-api';

interface InventoryNames {
  readonly hostname?: string;
  readonly interfaces?: readonly {
    readonly ipv4_addresses?: readonly string[] | null;
    readonly ipv6_addresses?: readonly string[] | null;
  }[];
}

/** Returns the host's addresses without prefix length, as its inventory lists them. */
export function addressesOf(host: ServiceHost): readonly string[] {
  return (inventoryOf(host).interfaces ?? [])
    .flatMap(({ ipv4_addresses, ipv6_addresses }) => [...(ipv4_addresses ?? []), ...(ipv6_addresses ?? [])])
    .map((address) => address.replace(/\/.*/, ''));
}

/** Returns the name that the host's node has: the requested one, or the one that the host reports. */
export function nodeNameOf(host: ServiceHost): string {
  return (host.requested_hostname || inventoryOf(host).hostname || '').toLowerCase();
}

/** Returns the node that a host became: by name, otherwise by an internal address that the host has. */
export function nodeOf(host: ServiceHost, nodes: readonly KubeNode[]): KubeNode | undefined {
  const name = nodeNameOf(host);
  const addresses = new Set(addressesOf(host));
  return (
    nodes.find((node) => name !== '' && node.name.toLowerCase() === name) ??
    nodes.find((node) => node.internalAddresses.some((address) => addresses.has(address)))
  );
}

/**
 * Whether the log of the machine-config server shows that the host fetched its ignition. The line that counts is
 * `… from <address>:<port> User-Agent:"Ignition/…"`; an IPv6 address may carry a zone and brackets.
 */
export function hasFetchedIgnition(host: ServiceHost, machineConfigServerLog: string): boolean {
  const addresses = addressesOf(host).map((address) => address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (addresses.length === 0) return false;
  return new RegExp(`(?<![\\d.:a-f])(${addresses.join('|')})(%[\\w.-]+)?\\]?:\\d+"? User-Agent:"Ignition`, 'i').test(
    machineConfigServerLog,
  );
}

function inventoryOf({ inventory }: ServiceHost): InventoryNames {
  if (!inventory) return {};
  try {
    return JSON.parse(inventory) as InventoryNames;
  } catch {
    return {};
  }
}
