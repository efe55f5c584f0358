import { type Cidr, containsIp, isLinkLocal, parseCidr, parseCidrs } from '@muster/addresses';
import { addressesOf, type Hardware, type Nic } from '@muster/validation-rules';
import type { StepContext } from './step-context';

/** Addresses of a NIC that say something about networks: every NIC has a link-local one. */
export function nicAddresses(nic: Nic): readonly Cidr[] {
  return parseCidrs([...nic.ipv4Addresses, ...nic.ipv6Addresses]).filter(({ address }) => !isLinkLocal(address));
}

export function isInNetwork(nic: Nic, network: Cidr): boolean {
  return nicAddresses(nic).some(({ address }) => containsIp(network, address));
}

/**
 * The network that the host gets its address from at first boot: the first machine network it is in; of a cluster without
 * machine networks the network of its bootstrap host. Undefined when neither is known.
 */
export function machineNetworkOf(context: StepContext): Cidr | undefined {
  const networks = parseCidrs(context.cluster?.machineNetworks ?? []);
  const nics = context.hardware?.nics ?? [];
  const own = networks.find((network) => nics.some((nic) => isInNetwork(nic, network)));
  return own ?? networks[0] ?? bootstrapNetwork(context);
}

/** The bootstrap host's first IPv4 network, else its first network. */
function bootstrapNetwork(context: StepContext): Cidr | undefined {
  const bootstrap = context.host.isBootstrap
    ? context.hardware
    : context.others().find(({ isBootstrap }) => isBootstrap)?.hardware;
  const networks = parseCidrs(bootstrap ? addressesOf(bootstrap) : []).filter(({ address }) => !isLinkLocal(address));
  return networks.find(({ family }) => family === 4) ?? networks[0];
}

/** A host's addresses, prefixes cut off: those in the network, or all where there is none to go by. */
export function addressesIn(hardware: Hardware, network: Cidr | undefined): readonly string[] {
  return addressesOf(hardware)
    .filter((text) => {
      const cidr = parseCidr(text);
      return cidr && !isLinkLocal(cidr.address) && (!network || containsIp(network, cidr.address));
    })
    .map(withoutPrefix);
}

export const withoutPrefix = (cidr: string): string => cidr.split('/')[0] ?? cidr;
