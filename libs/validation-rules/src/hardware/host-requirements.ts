import { resourcesOfOperators } from '@muster/operators';
import { isDay2Cluster, isSingleNode } from '../facts/cluster-settings.facts';
import { clusterOf, effectiveRole, hardwareOf, type HostFacts, isBound, versionOf } from '../facts/host.facts';
import { operatorCluster, operatorHost } from '../operators/operator-subjects';
import type { Hardware } from './hardware';
import { type HostRequirements, requirementsOf, type RequirementsRole, type RoleRequirements } from './requirements';

/** Tolerance in MiB, because agents measure slightly less than the installed memory. */
export const MEMORY_TOLERANCE_MIB = 100;
/** Tolerance for the memory of the kernel when only /proc/meminfo can be read: 1/50 of the requirement. */
const MEMINFO_TOLERANCE_DIVISOR = 50;
const BYTES_PER_MIB = 1024 * 1024;

export function isEdgeWorker(hardware: Hardware, products: readonly string[]): boolean {
  return (
    ['aarch64', 'arm64'].includes(hardware.cpuArchitecture) &&
    products.some(
      (product) => comparable(product) !== '' && comparable(hardware.productName).includes(comparable(product)),
    )
  );
}

/** Product names are compared without case and blanks. */
const comparable = (product: string): string => product.replace(/\s/g, '').toLowerCase();

/**
 * Returns the row of the table for an effective role. Roles other than control plane and arbiter are measured as
 * workers.
 */
export function requirementsRole(
  role: string,
  isOnlyNode: boolean,
  hardware: Hardware,
  edgeWorkerProducts: readonly string[],
): RequirementsRole {
  if (role === 'master' || role === 'bootstrap') return isOnlyNode ? 'sno' : 'master';
  if (role === 'arbiter') return 'arbiter';
  return isEdgeWorker(hardware, edgeWorkerProducts) ? 'edge-worker' : 'worker';
}

const roleRequirements = (facts: HostFacts): RoleRequirements =>
  requirementsOf(facts.policy.requirements, versionOf(facts));

/**
 * Returns the requirements of this host for its role, OpenShift and the selected operators. For unbound hosts: the
 * requirements of the least demanding role.
 */
export function requirementsForRole(facts: HostFacts): HostRequirements {
  const base = requirementsOfOpenshift(facts);
  const cluster = clusterOf(facts);
  if (cluster.operators.length === 0 || isDay2Cluster(cluster)) return base;
  const extra = resourcesOfOperators(operatorHost(facts), operatorCluster(cluster, facts.shape, facts.policy));
  return { ...base, cpuCores: base.cpuCores + extra.cpuCores, ramMib: base.ramMib + extra.ramMib };
}

/** Without operators. */
function requirementsOfOpenshift(facts: HostFacts): HostRequirements {
  const table = roleRequirements(facts);
  if (!isBound(facts)) return leastDisk(table);
  const role = effectiveRole(facts.role, facts.suggestedRole);
  return table[
    requirementsRole(role, isSingleNode(clusterOf(facts)), hardwareOf(facts), facts.policy.edgeWorkerProducts)
  ];
}

function leastDisk(table: RoleRequirements): HostRequirements {
  return [table.worker, table.master, table.arbiter].reduce((least, other) =>
    other.diskSizeGb < least.diskSizeGb ? other : least,
  );
}

/** The minimum for any role. */
export function leastRequirements(facts: HostFacts): Pick<HostRequirements, 'cpuCores' | 'ramMib'> {
  const table = roleRequirements(facts);
  const controlPlane = isSingleNode(clusterOf(facts)) ? table.sno : table.master;
  return {
    cpuCores: Math.min(controlPlane.cpuCores, table.worker.cpuCores),
    ramMib: Math.min(controlPlane.ramMib, table.worker.ramMib),
  };
}

export const hasCores = (hardware: Hardware, cpuCores: number): boolean => hardware.cpuCount >= cpuCores;

export function hasMemory(hardware: Hardware, ramMib: number, toleranceMib = MEMORY_TOLERANCE_MIB): boolean {
  return hardware.physicalMemoryBytes >= (ramMib - toleranceMib) * BYTES_PER_MIB;
}

/** Returns the required bytes. Memory that only the kernel reports may be less. */
export function minimumToleranceMib(hardware: Hardware, ramMib: number): number {
  const isRough = hardware.physicalMemoryMethod === 'meminfo';
  return MEMORY_TOLERANCE_MIB + (isRough ? Math.floor(ramMib / MEMINFO_TOLERANCE_DIVISOR) : 0);
}

export const toMib = (bytes: number): number => Math.floor(bytes / BYTES_PER_MIB);
