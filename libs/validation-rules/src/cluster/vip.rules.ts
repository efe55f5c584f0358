import {
  type Cidr,
  containsIp,
  formatNetwork,
  isBroadcast,
  isSameNetwork,
  parseCidr,
  parseCidrs,
} from '@muster/addresses';
import { type IpAddress, parseIp } from '@muster/addresses';
import { isLoadBalancerUserManaged, needsVips } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { networkOfAddress } from '../networks/machine-networks';
import { type Claim, fail, pass, pending } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

type VipKind = 'api' | 'ingress';

const vipsOf = ({ settings }: ClusterFacts, kind: VipKind): readonly string[] =>
  kind === 'api' ? settings.apiVips : settings.ingressVips;

/** What is wrong with one VIP, `unverified`, or undefined when it is good. */
type Validator = { readonly vip: string; readonly problem: string } | 'unverified' | undefined;

function managedVip(facts: ClusterFacts, kind: VipKind, vip: string, index: number): Validator {
  const network = parseCidr(facts.settings.machineNetworks[index] ?? '');
  const address = parseIp(vip);
  if (!network || !address || !containsIp(network, address))
    return { vip, problem: `is not in machine network ${facts.settings.machineNetworks[index] ?? '(none)'}` };
  if (isBroadcast(network, address)) return { vip, problem: `is the broadcast address of ${formatNetwork(network)}` };
  const { verification } = facts.vipVerifications.find((answer) => answer.vip === vip && answer.vipType === kind) ?? {};
  if (verification === 'failed') return { vip, problem: 'is in use by another machine' };
  return verification === 'succeeded' ? undefined : 'unverified';
}

/** The load balancer answers on the address, so it is in use by nature, and one address serves all families. */
function balancedVip(facts: ClusterFacts, vip: string): Validator {
  const address = parseIp(vip);
  const network = address && networkWith(facts.settings.machineNetworks, address);
  if (!address || !network) return { vip, problem: 'is in none of the machine networks' };
  return isBroadcast(network, address)
    ? { vip, problem: `is the broadcast address of ${formatNetwork(network)}` }
    : undefined;
}

const networkWith = (cidrs: readonly string[], address: IpAddress): Cidr | undefined =>
  parseCidrs(cidrs).find((cidr) => containsIp(cidr, address));

function claimOfVips(facts: ClusterFacts, kind: VipKind, title: string): Claim {
  const vips = vipsOf(facts, kind);
  const errors = isLoadBalancerUserManaged(facts.settings)
    ? vips.slice(0, 1).map((vip) => balancedVip(facts, vip))
    : vips.map((vip, index) => managedVip(facts, kind, vip, index));
  const required = facts.settings.machineNetworks.join(', ');
  const problems = errors.filter((validator) => typeof validator === 'object');
  if (problems.length > 0) return fail(problems.map(({ vip, problem }) => `${vip} ${problem}`).join(', '), required);
  if (errors.includes('unverified')) return pending(`Waiting for a host to find out whether the ${title} VIP is free`);
  return pass(vips.join(', '), required);
}

function vipsValid(kind: VipKind, title: string): ClusterRule {
  return {
    id: `${kind}-vips-valid`,
    category: 'network',
    checks: `Each ${title} VIP lies in the machine network of its family, is not its broadcast address and is free.`,
    excused: ({ settings }) =>
      needsVips(settings) ? undefined : 'Not needed with user-managed networking or on a single node',
    needs: [kind === 'api' ? 'apiVips' : 'ingressVips', 'inventories', 'machineNetworks'],
    claim: (facts) => claimOfVips(facts, kind, title),
    explain: ({ passed, measured, required }) =>
      passed ? `${title} VIPs ${measured} are free addresses of ${required}` : `${title} VIP ${measured}`,
    remedy: `Choose a free address of the machine network as ${title} VIP.`,
    gate: 'ready',
    comesAndGoes: true,
  };
}

export const VIP_RULES: readonly ClusterRule[] = [
  {
    id: 'machine-cidr-equals-to-calculated-cidr',
    category: 'network',
    checks: 'Each machine network is the one that the VIPs of its family lie in on some host.',
    excused: ({ settings }) => {
      if (!needsVips(settings)) return 'Not needed with user-managed networking or on a single node';
      return isLoadBalancerUserManaged(settings) ? 'Not needed with a user-managed load balancer' : undefined;
    },
    needs: ['apiVips', 'inventories'],
    claim: ({ settings, hosts }) => {
      for (const [index, apiVip] of settings.apiVips.entries()) {
        const addresses = hosts.flatMap((host) => host.addresses);
        const calculated =
          networkOfAddress(addresses, apiVip) ?? networkOfAddress(addresses, settings.ingressVips[index] ?? '');
        if (!calculated) return { ...fail(apiVip), because: `No host has an address in a network with VIP ${apiVip}` };
        const given = settings.machineNetworks[index];
        const network = given === undefined ? undefined : parseCidr(given);
        const agrees = network ? isSameNetwork(network, calculated) : settings.machineNetworks.length === 0;
        if (!agrees) return fail(given ?? 'none', formatNetwork(calculated));
      }
      return pass(settings.machineNetworks.join(', '));
    },
    explain: ({ passed, measured, required }) =>
      passed ? 'Machine networks are those of the VIPs' : `Machine network is ${measured}, the VIPs lie in ${required}`,
    remedy: 'Correct the machine network or the VIPs, and check that a host is connected to that network.',
    gate: 'ready',
  },
  vipsValid('api', 'API'),
  vipsValid('ingress', 'Ingress'),
];
