import { clusterOf, hardwareOf, isBound } from '../facts/host.facts';
import { broken, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

/** Manufacturer that machines of a platform must have; a platform that is not listed takes any machine. */
const MANUFACTURERS: ReadonlyMap<string, string> = new Map([
  ['vsphere', 'VMware, Inc.'],
  ['nutanix', 'Nutanix'],
  ['external/oci', 'OracleCloud.com'],
]);

/** Whether a machine of a maker can be one of the platform: "vsphere", "external/oci". */
export function suitsPlatform(platform: string, manufacturer: string): boolean {
  const needed = MANUFACTURERS.get(platform);
  return needed === undefined || manufacturer === needed;
}

const OPENSTACK_PRODUCT = 'OpenStack Compute';

export const PLATFORM_RULES: readonly HostRule[] = [
  {
    id: 'compatible-with-cluster-platform',
    category: 'hardware',
    checks:
      "The machine is one of the cluster's platform: VMware for vsphere, Nutanix for nutanix, Oracle Cloud for OCI.",
    applies: isBound,
    needs: ['inventory', 'platform'],
    claim: (facts) => {
      const { platformType, externalPlatformName } = clusterOf(facts);
      const platform = platformType === 'external' ? `external/${externalPlatformName}` : platformType;
      const needed = MANUFACTURERS.get(platform) ?? '';
      const { manufacturer } = hardwareOf(facts);
      return passIf(suitsPlatform(platform, manufacturer), manufacturer, needed);
    },
    explain: ({ passed, measured, required }, facts) => {
      const { platformType } = clusterOf(facts);
      return passed
        ? `Machine suits platform ${platformType}`
        : `Machine is made by "${measured}", platform ${platformType} needs "${required}"`;
    },
    remedy: "Use machines of the platform, or change the cluster's platform.",
    gate: 'hardware',
  },
  {
    id: 'valid-platform-network-settings',
    category: 'network',
    checks: 'OpenStack machines are used with user-managed networking only: VIPs do not work there.',
    applies: isBound,
    needs: ['inventory'],
    claim: (facts) => {
      const { hasVendor, productName } = hardwareOf(facts);
      if (hasVendor === false) return broken('The host does not tell who made it, nor what it is');
      return passIf(productName !== OPENSTACK_PRODUCT || clusterOf(facts).userManagedNetworking, productName);
    },
    explain: ({ passed, measured }) =>
      passed ? 'Platform allows the network settings' : `${measured} machines need user-managed networking`,
    remedy:
      'Set user_managed_networking for the cluster. Where the host does not tell what it is: let its firmware give the system vendor (DMI).',
    gate: 'known',
  },
];
