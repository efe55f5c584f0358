import { isMultiNodeUserManaged, needsVips } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { fail, pass, passIf, pending } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const excusedFromVips = ({ settings }: ClusterFacts): string | undefined =>
  needsVips(settings) ? undefined : 'Not needed with user-managed networking or on a single node';

/** The two kinds of VIP follow one rule. */
function vipsDefined(kind: 'api' | 'ingress', title: string): ClusterRule {
  return {
    id: `${kind}-vips-defined`,
    category: 'network',
    checks: `${title} VIPs are given or allocated by DHCP; not needed with user-managed networking or on a single node.`,
    excused: excusedFromVips,
    needs: [],
    claim: ({ settings }) => {
      const vips = kind === 'api' ? settings.apiVips : settings.ingressVips;
      if (vips.length > 0) return pass(vips.join(', '));
      if (!settings.vipDhcpAllocation) return fail();
      return settings.machineNetworks.length === 0
        ? pending('Waiting for a machine network, in which DHCP allocates the VIPs')
        : { ...fail(), because: `${title} VIPs have not been allocated by DHCP yet` };
    },
    explain: ({ passed, measured }) => (passed ? `${title} VIPs are ${measured}` : `${title} VIPs are not given`),
    remedy: `Give the cluster a free address of the machine network as ${title} VIP, or let DHCP allocate it.`,
    gate: 'vips',
  };
}

export const SETTINGS_RULES: readonly ClusterRule[] = [
  {
    id: 'machine-cidr-defined',
    category: 'network',
    checks: 'There is a machine network; not needed with user-managed networking on several nodes.',
    excused: ({ settings }) =>
      isMultiNodeUserManaged(settings) ? 'Not needed with user-managed networking' : undefined,
    needs: [],
    claim: ({ settings, hosts }) => {
      if (settings.machineNetworks.length > 0) return pass(settings.machineNetworks.join(', '));
      return hosts.some(({ hasInventory }) => hasInventory)
        ? fail()
        : pending('Waiting for a host to report its hardware');
    },
    explain: ({ passed, measured }) => (passed ? `Machine network is ${measured}` : 'Machine network is not known'),
    remedy: 'Give the VIPs, from which it is derived, or name the machine network.',
    gate: 'input',
  },
  {
    id: 'cluster-cidr-defined',
    category: 'network',
    checks: 'There is a cluster network.',
    needs: [],
    claim: ({ settings }) =>
      passIf(settings.clusterNetworks.length > 0, settings.clusterNetworks.map(({ cidr }) => cidr).join(', ')),
    explain: ({ passed, measured }) => (passed ? `Cluster network is ${measured}` : 'Cluster network is not given'),
    remedy: 'Give the cluster at least one cluster network.',
    gate: 'input',
  },
  {
    id: 'service-cidr-defined',
    category: 'network',
    checks: 'There is a service network.',
    needs: [],
    claim: ({ settings }) => passIf(settings.serviceNetworks.length > 0, settings.serviceNetworks.join(', ')),
    explain: ({ passed, measured }) => (passed ? `Service network is ${measured}` : 'Service network is not given'),
    remedy: 'Give the cluster at least one service network.',
    gate: 'input',
  },
  {
    id: 'dns-domain-defined',
    category: 'network',
    checks: 'There is a base DNS domain.',
    needs: [],
    claim: ({ settings }) => passIf(settings.baseDnsDomain !== '', settings.baseDnsDomain),
    explain: ({ passed, measured }) => (passed ? `Base domain is ${measured}` : 'Base domain is not given'),
    remedy: 'Set base_dns_domain.',
    gate: 'input',
  },
  {
    id: 'pull-secret-set',
    category: 'configuration',
    checks: 'There is a pull secret.',
    needs: [],
    claim: ({ settings }) => passIf(settings.pullSecretSet),
    explain: ({ passed }) => (passed ? 'Pull secret is set' : 'Pull secret is not set'),
    remedy: 'Set the pull secret of the cluster.',
    gate: 'input',
  },
  vipsDefined('api', 'API'),
  vipsDefined('ingress', 'Ingress'),
];
