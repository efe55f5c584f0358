import { clusterOf, effectiveRole, hardwareOf } from '../facts/host.facts';
import {
  hasCores,
  hasMemory,
  leastRequirements,
  minimumToleranceMib,
  requirementsForRole,
  toMib,
} from '../hardware/host-requirements';
import { broken, fail, pass } from '../rule/rule';
import type { HostRule } from './host-rule';

const MORE_CPU = 'Give the machine more CPU cores, or use another machine.';
const MORE_MEMORY = 'Give the machine more memory, or use another machine.';
const CORES = { measured: '{0} cores', required: '{1} cores' };
const MEMORY = { measured: '{0} MiB', required: '{1} MiB' };

// A success says neither what was measured nor what is required, so that other hardware or another suggested role that
// suffices too changes no outcome. The hardware is in the inventory.
export const HARDWARE_RULES: readonly HostRule[] = [
  {
    id: 'has-min-cpu-cores',
    category: 'hardware',
    checks: 'The host has at least as many CPU cores as the least demanding role requires.',
    needs: ['inventory'],
    claim: (facts) => {
      const { cpuCores } = leastRequirements(facts);
      const hardware = hardwareOf(facts);
      return hasCores(hardware, cpuCores) ? pass() : fail(hardware.cpuCount, cpuCores);
    },
    messages: {
      success: 'The host has enough CPU cores for one role at least',
      failure: { message: 'The host has {0} CPU cores, at least {1} are required for any role', ...CORES },
    },
    remedy: MORE_CPU,
    gate: 'hardware',
    blocksUnbound: true,
  },
  {
    id: 'has-min-memory',
    category: 'hardware',
    checks:
      'The host has at least as much memory as the least demanding role requires, less 100 MiB (and 2 % when only the kernel reports it).',
    needs: ['inventory'],
    claim: (facts) => {
      const { ramMib } = leastRequirements(facts);
      const hardware = hardwareOf(facts);
      const isEnough = hasMemory(hardware, ramMib, minimumToleranceMib(hardware, ramMib));
      return isEnough ? pass() : fail(toMib(hardware.physicalMemoryBytes), ramMib);
    },
    messages: {
      success: 'The host has enough memory for one role at least',
      failure: { message: 'The host has {0} MiB of memory, at least {1} MiB are required for any role', ...MEMORY },
    },
    remedy: MORE_MEMORY,
    gate: 'hardware',
    blocksUnbound: true,
  },
  {
    id: 'has-cpu-cores-for-role',
    category: 'hardware',
    checks: 'The host has at least as many CPU cores as the role of the host requires.',
    needs: ['inventory'],
    claim: (facts) => {
      const { cpuCores } = requirementsForRole(facts);
      const hardware = hardwareOf(facts);
      if (hasCores(hardware, cpuCores)) return pass();
      return fail(hardware.cpuCount, cpuCores, effectiveRole(facts.role, facts.suggestedRole));
    },
    messages: {
      success: 'The host has enough CPU cores for its role',
      failure: { message: 'The host has {0} CPU cores, role {2} requires {1}', ...CORES },
    },
    remedy: `${MORE_CPU} Or give the host a role that requires less.`,
    gate: 'known',
  },
  {
    id: 'has-memory-for-role',
    category: 'hardware',
    checks: 'The host has at least as much memory as the role of the host requires, less 100 MiB.',
    needs: ['inventory'],
    claim: (facts) => {
      const { ramMib } = requirementsForRole(facts);
      const hardware = hardwareOf(facts);
      if (hasMemory(hardware, ramMib)) return pass();
      return fail(toMib(hardware.physicalMemoryBytes), ramMib, effectiveRole(facts.role, facts.suggestedRole));
    },
    messages: {
      success: 'The host has enough memory for its role',
      failure: { message: 'The host has {0} MiB of memory, role {2} requires {1} MiB', ...MEMORY },
    },
    remedy: `${MORE_MEMORY} Or give the host a role that requires less.`,
    gate: 'known',
  },
];

/** The manufacturer that a platform requires. A platform that is not listed accepts any machine. */
const MANUFACTURERS: ReadonlyMap<string, string> = new Map([
  ['vsphere', 'VMware, Inc.'],
  ['nutanix', 'Nutanix'],
  ['external/oci', 'OracleCloud.com'],
]);

/** Returns true when machines of the manufacturer belong to the platform ("vsphere", "external/oci"). */
export function isCompatibleManufacturer(platform: string, manufacturer: string): boolean {
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
      return isCompatibleManufacturer(platform, manufacturer)
        ? pass(platformType)
        : fail(manufacturer, needed, platformType);
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
