import { isMultiNodeUserManaged, needsVips } from '../facts/cluster-settings.facts';
import type { ClusterFacts } from '../facts/cluster.facts';
import { fail, failBecause, pass, passBecause, passIf, pending } from '../rule/rule';
import type { ClusterRule } from './cluster-rule';

const excusedFromVips = ({ settings }: ClusterFacts): string | undefined =>
  needsVips(settings) ? undefined : 'vips-not-required';

/** Both kinds of VIP have the same rule. */
function vipsDefined(kind: 'api' | 'ingress', title: string): ClusterRule {
  return {
    id: `${kind}-vips-defined`,
    category: 'network',
    checks: `${title} VIPs are set or allocated by DHCP. Not required with user-managed networking or on a single node.`,
    initial: fail(),
    excused: excusedFromVips,
    needs: [],
    claim: ({ settings, hosts }) => {
      const vips = kind === 'api' ? settings.apiVips : settings.ingressVips;
      if (vips.length > 0) return pass(vips.join(', '));
      if (!settings.vipDhcpAllocation) return fail();
      if (settings.machineNetworks.length === 0) return pending('awaits-machineNetworks');
      const failure = hosts.find(({ leaseFailure }) => leaseFailure !== '')?.leaseFailure;
      return failure === undefined ? failBecause('not-allocated') : failBecause('lease-failed', failure);
    },
    messages: {
      success: { message: `${title} virtual IPs are defined: {0}`, measured: '{0}' },
      failure: `${title} virtual IPs are undefined`,
      'lease-failed': `${title} virtual IPs have not been allocated by DHCP: {0}`,
      'not-allocated': `${title} virtual IPs have not been allocated by DHCP yet`,
    },
    remedy: `Set a free address of the machine network as ${title} VIP, or let DHCP allocate it.`,
    gate: 'vips',
  };
}

export const SETTINGS_RULES: readonly ClusterRule[] = [
  {
    id: 'machine-cidr-defined',
    category: 'network',
    checks: 'The cluster has a machine network. Not required with user-managed networking on several nodes.',
    initial: pending('awaits-inventories'),
    excused: ({ settings }) => (isMultiNodeUserManaged(settings) ? 'user-managed-networking' : undefined),
    needs: [],
    claim: ({ settings, hosts }) => {
      if (settings.machineNetworks.length > 0) return pass(settings.machineNetworks.join(', '));
      return hosts.some(({ hasInventory }) => hasInventory) ? fail() : pending('awaits-inventories');
    },
    messages: {
      success: { message: 'The Machine Network CIDR is defined: {0}', measured: '{0}' },
      failure: 'The Machine Network CIDR is undefined',
    },
    remedy: 'Set the VIPs, from which the machine network is derived, or set the machine network.',
    gate: 'input',
  },
  {
    id: 'cluster-cidr-defined',
    category: 'network',
    checks: 'The cluster has a cluster network.',
    needs: [],
    claim: ({ settings }) => passIf(settings.clusterNetworks.length > 0),
    messages: {
      success: 'The Cluster Network CIDR is defined',
      failure: 'The Cluster Network CIDR is undefined',
    },
    remedy: 'Set at least one cluster network.',
    gate: 'input',
  },
  {
    id: 'service-cidr-defined',
    category: 'network',
    checks: 'The cluster has a service network.',
    needs: [],
    claim: ({ settings }) => passIf(settings.serviceNetworks.length > 0),
    messages: {
      success: 'The Service Network CIDR is defined',
      failure: 'The Service Network CIDR is undefined',
    },
    remedy: 'Set at least one service network.',
    gate: 'input',
  },
  {
    id: 'dns-domain-defined',
    category: 'network',
    checks: 'The cluster has a base DNS domain.',
    needs: [],
    claim: ({ settings }) => passIf(settings.baseDnsDomain !== ''),
    messages: { success: 'The base domain is defined', failure: 'The base domain is undefined' },
    remedy: 'Set base_dns_domain.',
    gate: 'input',
  },
  {
    id: 'pull-secret-set',
    category: 'configuration',
    checks: 'The cluster has a pull secret.',
    needs: [],
    claim: ({ settings }) => passIf(settings.pullSecretSet),
    messages: { success: 'The pull secret is set', failure: 'The pull secret is not set' },
    remedy: 'Set the pull secret of the cluster.',
    gate: 'input',
  },
  vipsDefined('api', 'API'),
  vipsDefined('ingress', 'Ingress'),
];

const THIRD_PARTY_NETWORK_TYPES = ['Cilium', 'Calico', 'CiscoACI', 'None'];
const OCI = 'oci';

export const CONFIGURATION_RULES: readonly ClusterRule[] = [
  {
    id: 'custom-manifests-requirements-satisfied',
    category: 'network',
    checks:
      'A network type that is not part of OpenShift, also in install-config overrides, requires a custom manifest.',
    initial: passBecause('not-required'),
    excused: ({ settings }) =>
      THIRD_PARTY_NETWORK_TYPES.includes(settings.effectiveNetworkType) ? undefined : 'not-required',
    needs: [],
    claim: ({ settings }) => (settings.hasCustomManifest ? pass() : fail(settings.effectiveNetworkType)),
    messages: {
      success: 'The cluster has custom manifests',
      failure: { message: 'Network type {0} requires a custom manifest', measured: '{0}' },
      'not-required': 'The network type requires no custom manifest',
    },
    remedy: 'Add the manifests of the vendor of the network type to the cluster.',
    gate: 'ready',
  },
  {
    id: 'platform-requirements-satisfied',
    category: 'configuration',
    checks: 'A cluster on Oracle Cloud requires a custom manifest.',
    initial: passBecause('not-required'),
    excused: ({ settings }) =>
      settings.platformType === 'external' && settings.externalPlatformName === OCI ? undefined : 'not-required',
    needs: [],
    claim: ({ settings }) => passIf(settings.hasCustomManifest),
    messages: {
      success: 'The cluster has custom manifests',
      failure: 'Oracle Cloud requires a custom manifest',
      'not-required': 'The platform requires no custom manifest',
    },
    remedy: 'Add the manifests of the vendor of the platform to the cluster.',
    gate: 'none',
  },
];
