import { clusterOf, hardwareOf } from '../facts/host.facts';
import { broken, fail, pass } from '../rule/rule';
import type { HostRule } from './host-rule';

/** The manufacturer that a platform requires. A platform that is not listed accepts any machine. */
const MANUFACTURERS: ReadonlyMap<string, string> = new Map([
  ['vsphere', 'VMware, Inc.'],
  ['nutanix', 'Nutanix'],
  ['external/oci', 'OracleCloud.com'],
]);

/** Returns true when machines of the manufacturer belong to the platform ("vsphere", "external/oci"). */
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
      'The machine belongs to the platform of the cluster: VMware for vsphere, Nutanix for nutanix, Oracle Cloud for OCI.',
    boundOnly: true,
    needs: ['inventory', 'platform'],
    claim: (facts) => {
      const { platformType, externalPlatformName } = clusterOf(facts);
      const platform = platformType === 'external' ? `external/${externalPlatformName}` : platformType;
      const needed = MANUFACTURERS.get(platform) ?? '';
      const { manufacturer } = hardwareOf(facts);
      return suitsPlatform(platform, manufacturer) ? pass(platformType) : fail(manufacturer, needed, platformType);
    },
    messages: {
      success: 'The host is compatible with platform {0}',
      failure: {
        message: 'The manufacturer of the host is "{0}", platform {2} requires "{1}"',
        measured: '{0}',
        required: '{1}',
      },
    },
    remedy: 'Use machines of the platform, or change the platform of the cluster.',
    gate: 'hardware',
  },
  {
    id: 'valid-platform-network-settings',
    category: 'network',
    checks: 'OpenStack machines require user-managed networking: VIPs do not work there.',
    boundOnly: true,
    needs: ['inventory'],
    claim: (facts) => {
      const { hasVendor, productName } = hardwareOf(facts);
      if (hasVendor === false) return broken('no-vendor');
      const isSupported = productName !== OPENSTACK_PRODUCT || clusterOf(facts).userManagedNetworking;
      return isSupported ? pass() : fail(productName);
    },
    messages: {
      success: 'The network settings are valid for the machine',
      failure: { message: '{0} machines require user-managed networking', measured: '{0}' },
      'no-vendor': 'The inventory has no system vendor',
    },
    remedy:
      'Set user_managed_networking for the cluster. If the inventory has no system vendor, let the firmware provide it (DMI).',
    gate: 'known',
  },
];
