import {
  type Cidr,
  containsIp,
  formatNetwork,
  type IpAddress,
  isBroadcast,
  isSameNetwork,
  parseCidr,
  parseCidrs,
  parseIp,
} from '@muster/addresses';
import { isLoadBalancerUserManaged, needsVips } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { networkOfAddress } from '../facts/machine-networks';
import { type Claim, fail, failBecause, pass, pending } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

type VipKind = 'api' | 'ingress';

const vipsOf = ({ settings }: ClusterFacts, kind: VipKind): readonly string[] =>
  kind === 'api' ? settings.apiVips : settings.ingressVips;

/** The problem of a VIP, `unverified`, or undefined when it is valid. */
type VipProblem = { readonly vip: string; readonly problem: string } | 'unverified' | undefined;

function managedVip(facts: ClusterFacts, kind: VipKind, vip: string, index: number): VipProblem {
  const network = parseCidr(facts.settings.machineNetworks[index] ?? '');
  const address = parseIp(vip);
  if (!network || !address || !containsIp(network, address))
    return { vip, problem: `is not in machine network ${facts.settings.machineNetworks[index] ?? 'of its family'}` };
  if (isBroadcast(network, address)) return { vip, problem: `is the broadcast address of ${formatNetwork(network)}` };
  const { verification } = facts.vipVerifications.find((answer) => answer.vip === vip && answer.vipType === kind) ?? {};
  if (verification === 'failed') return { vip, problem: 'is in use by another machine' };
  return verification === 'succeeded' ? undefined : 'unverified';
}

/** The load balancer uses the address, so it is not free. One address serves all families. */
function balancedVip(facts: ClusterFacts, vip: string): VipProblem {
  const address = parseIp(vip);
  const network = address && networkWith(facts.settings.machineNetworks, address);
  if (!address || !network) return { vip, problem: 'is in none of the machine networks' };
  return isBroadcast(network, address)
    ? { vip, problem: `is the broadcast address of ${formatNetwork(network)}` }
    : undefined;
}

const networkWith = (cidrs: readonly string[], address: IpAddress): Cidr | undefined =>
  parseCidrs(cidrs).find((cidr) => containsIp(cidr, address));

function claimOfVips(facts: ClusterFacts, kind: VipKind): Claim {
  const vips = vipsOf(facts, kind);
  const errors = isLoadBalancerUserManaged(facts.settings)
    ? vips.slice(0, 1).map((vip) => balancedVip(facts, vip))
    : vips.map((vip, index) => managedVip(facts, kind, vip, index));
  const required = facts.settings.machineNetworks.join(', ');
  const problems = errors.filter((problem) => typeof problem === 'object');
  if (problems.length > 0) return fail(problems.map(({ vip, problem }) => `${vip} ${problem}`).join(', '), required);
  if (errors.includes('unverified')) return pending('unverified');
  return pass(vips.join(', '), required);
}

function vipsValid(kind: VipKind, title: string): ClusterRule {
  return {
    id: `${kind}-vips-valid`,
    category: 'network',
    checks: `Each ${title} VIP is in the machine network of its family, is not its broadcast address and is free.`,
    excused: ({ settings }) => (needsVips(settings) ? undefined : 'vips-not-required'),
    needs: [kind === 'api' ? 'apiVips' : 'ingressVips', 'inventories', 'machineNetworks'],
    claim: (facts) => claimOfVips(facts, kind),
    messages: {
      success: {
        message: `${title} virtual IPs {0} are free addresses of {1}`,
        measured: '{0}',
        required: 'free addresses of {1}',
      },
      failure: { message: `${title} virtual IP {0}`, measured: '{0}', required: 'free addresses of {1}' },
      unverified: `Waiting for a host to verify that the ${title} virtual IPs are free`,
    },
    remedy: `Set a free address of the machine network as ${title} VIP.`,
    gate: 'ready',
    mayFlap: true,
  };
}

/** Reads the addresses of as few hosts as possible: most hosts are in the network. */
function networkOfVip(hosts: ClusterFacts['hosts'], vip = ''): Cidr | undefined {
  for (const { addresses } of hosts) {
    const network = networkOfAddress(addresses, vip);
    if (network) return network;
  }
  return undefined;
}

export const VIP_RULES: readonly ClusterRule[] = [
  {
    id: 'machine-cidr-equals-to-calculated-cidr',
    category: 'network',
    checks: 'Each machine network is the host network that contains the VIPs of its family.',
    excused: ({ settings }) => {
      if (!needsVips(settings)) return 'vips-not-required';
      return isLoadBalancerUserManaged(settings) ? 'user-managed-load-balancer' : undefined;
    },
    needs: ['apiVips', 'inventories'],
    claim: ({ settings, hosts }) => {
      for (const [index, apiVip] of settings.apiVips.entries()) {
        const calculated = networkOfVip(hosts, apiVip) ?? networkOfVip(hosts, settings.ingressVips[index]);
        if (!calculated) return failBecause('no-host-network', apiVip);
        const given = settings.machineNetworks[index];
        const network = given === undefined ? undefined : parseCidr(given);
        const agrees = network ? isSameNetwork(network, calculated) : settings.machineNetworks.length === 0;
        if (!agrees) return fail(given ?? 'undefined', formatNetwork(calculated));
      }
      return pass();
    },
    messages: {
      success: 'The Cluster Machine CIDR is equivalent to the calculated CIDR',
      failure: {
        message: 'The machine network is {0}, the VIPs are in {1}',
        measured: '{0}',
        required: '{1}',
      },
      'no-host-network': { message: 'No host has an address in the network of VIP {0}', measured: '{0}' },
    },
    remedy: 'Correct the machine network or the VIPs, and check that a host is connected to that network.',
    gate: 'ready',
  },
  vipsValid('api', 'API'),
  vipsValid('ingress', 'Ingress'),
];
