import type { HostKey } from '@muster/contracts';
import { meetsControlPlaneOperators, MOST_COUNTED, NOTHING, resourcesOfOperators, shapeOf } from '@muster/operators';
import type { Refusal } from '@muster/problems';
import { keptByObject } from '@muster/schema';
import {
  type ClusterSettingsFacts,
  type Disk,
  diskIdOf,
  eligibleDisks,
  type Hardware,
  hasCores,
  hasMemory,
  isDisk,
  isSingleNode,
  operatorCluster,
  operatorHost,
  requirementsOf,
  requirementsRole,
  type RulesPolicy,
  supportsArbiters,
} from '@muster/validation-rules';
import { type HostRole, type HostState, mayBeBootstrap } from '../host/state';
import { effectiveRoleOf } from './host-summary';

const CORES_OF_SMALLEST = 4;
const GIB_OF_SMALLEST = 16;
const DISK_GIB_OF_SMALLEST = 100;
const WEIGHT_PER_MEMORY_GIB = 0.1;
const WEIGHT_PER_DISK_GIB = 0.004;

/** Statuses in which the role may change. */
export const STATUSES_WITH_OPEN_ROLE: ReadonlySet<string> = new Set([
  'discovering',
  'known',
  'disconnected',
  'insufficient',
  'pending-for-input',
]);

export interface HardwareSize {
  readonly cores: number;
  readonly usableMemoryGib: number;
  /** The sum over all eligible disks. */
  readonly eligibleDisksGib: number;
  readonly hasGpu: boolean;
}

/** A host as input of role assignment. Its key identifies it, because a machine may be in the cluster through two infra-envs. */
export interface RoleCandidate {
  readonly key: HostKey;
  readonly status: string;
  readonly role: HostRole;
  /** Empty until suggested. */
  readonly suggestedRole: string;
  /** Undefined while the host has no inventory. */
  readonly size: HardwareSize | undefined;
  /** Its cores, memory and operators meet the requirements of a control plane host. */
  readonly canBeControlPlane: boolean;
  /** Its cores and memory meet the requirements of an arbiter, which the cluster may have. */
  readonly canBeArbiter: boolean;
}

export interface SuggestedRole {
  readonly key: HostKey;
  readonly role: HostRole;
}

/** Returns a measure of the size of a machine. 0 is the smallest machine that can be a control plane host. */
export function hostWeight(size: HardwareSize): number {
  return (
    size.cores -
    CORES_OF_SMALLEST +
    WEIGHT_PER_MEMORY_GIB * (size.usableMemoryGib - GIB_OF_SMALLEST) +
    WEIGHT_PER_DISK_GIB * (size.eligibleDisksGib - DISK_GIB_OF_SMALLEST)
  );
}

/**
 * Returns the suggestions that differ from the current ones, for day-1 hosts with an automatic role that may change.
 * The smallest sufficient machines become control plane hosts, machines with a GPU last, so that large machines run the
 * workload. Returns nothing until every host has an inventory, because a missing host may be a better candidate. Equal
 * machines are ordered by their keys.
 */
export function suggestRoles(hosts: readonly RoleCandidate[], controlPlaneCount: number): readonly SuggestedRole[] {
  if (hosts.some(({ size }) => !size)) return [];
  const settled = hosts.filter((host) => !isOpen(host)).map(effectiveRoleOf);
  const open = hosts.filter(isOpen);
  const mastersLeft = controlPlaneCount - settled.filter((role) => role === 'master').length;
  const arbitersLeft = controlPlaneCount === 2 && !settled.includes('arbiter') ? 1 : 0;
  const masters = smallest(
    open.filter(({ canBeControlPlane }) => canBeControlPlane),
    mastersLeft,
  );
  const arbiters = smallest(
    open.filter((host) => host.canBeArbiter && !masters.has(host)),
    arbitersLeft,
  );
  const roleOf = (host: RoleCandidate): HostRole => {
    if (masters.has(host)) return 'master';
    return arbiters.has(host) ? 'arbiter' : 'worker';
  };
  return open.flatMap((host) => {
    const role = roleOf(host);
    return role === host.suggestedRole ? [] : [{ key: host.key, role }];
  });
}

const isOpen = ({ role, status }: RoleCandidate): boolean =>
  role === 'auto-assign' && STATUSES_WITH_OPEN_ROLE.has(status);

/** Returns the first `count` hosts in the order of `compareSizes`. Few of many are chosen, so the hosts are not sorted. */
function smallest(hosts: readonly RoleCandidate[], count: number): ReadonlySet<RoleCandidate> {
  const chosen: RoleCandidate[] = [];
  for (const host of hosts) {
    const last = chosen[count - 1];
    if (count <= 0 || (last && compareSizes(host, last) >= 0)) continue;
    const place = chosen.findIndex((other) => compareSizes(host, other) < 0);
    chosen.splice(place < 0 ? chosen.length : place, 0, host);
    chosen.length = Math.min(chosen.length, count);
  }
  return new Set(chosen);
}

function compareSizes(first: RoleCandidate, second: RoleCandidate): number {
  if (!first.size || !second.size) return 0;
  return (
    Number(first.size.hasGpu) - Number(second.size.hasGpu) ||
    hostWeight(first.size) - hostWeight(second.size) ||
    (first.key < second.key ? -1 : 1)
  );
}

const BYTES_PER_GIB = 1024 ** 3;

type Policy = Pick<RulesPolicy, 'requirements' | 'operatorSettings'>;

/** A host whose role may change. */
export interface RoleAssignmentHost {
  readonly key: HostKey;
  readonly state: Pick<HostState, 'status' | 'role' | 'suggestedRole' | 'installationDisk'>;
  readonly hardware?: Hardware | undefined;
}

/** Returns the hosts of a cluster as input of role assignment, with the settings of the cluster. */
export function toRoleCandidates(
  hosts: readonly RoleAssignmentHost[],
  cluster: ClusterSettingsFacts,
  policy: Policy,
): readonly RoleCandidate[] {
  const operators = cluster.operators.length > 0 ? operatorsBeforeRoles(hosts, cluster, policy) : undefined;
  const { openshiftVersion } = cluster;
  const mayHaveArbiter = supportsArbiters(cluster);
  return hosts.map(({ key, state, hardware }) =>
    candidateOf(state, key, hardware, openshiftVersion, isSingleNode(cluster), mayHaveArbiter, policy, operators),
  );
}

/** Candidates are kept by the state of the host, because few hosts of a cluster change between two suggestions. */
const candidateOf = keptByObject(
  (
    { status, role, suggestedRole, installationDisk }: RoleAssignmentHost['state'],
    key: HostKey,
    hardware: Hardware | undefined,
    openshiftVersion: string,
    isOnlyNode: boolean,
    mayHaveArbiter: boolean,
    policy: Policy,
    operators: ReturnType<typeof operatorCluster> | undefined,
  ): RoleCandidate => {
    const table = requirementsOf(policy.requirements, openshiftVersion);
    const controlPlane = isOnlyNode ? table.sno : table.master;
    const asMaster =
      operators &&
      operatorHost({ role: 'master', suggestedRole: '', hardware, installationDiskId: installationDisk.id });
    const extra = asMaster ? resourcesOfOperators(asMaster, operators) : NOTHING;
    const meets = (needs: { cpuCores: number; ramMib: number }): boolean =>
      hardware !== undefined && hasCores(hardware, needs.cpuCores) && hasMemory(hardware, needs.ramMib);
    return {
      key,
      status,
      role,
      suggestedRole,
      size: hardware && sizeOf(hardware, openshiftVersion, table.worker.diskSizeGb),
      canBeControlPlane:
        meets({ cpuCores: controlPlane.cpuCores + extra.cpuCores, ramMib: controlPlane.ramMib + extra.ramMib }) &&
        (!asMaster || meetsControlPlaneOperators(asMaster, operators)),
      canBeArbiter: mayHaveArbiter && meets(table.arbiter),
    };
  },
);

/**
 * Returns the operators that apply with the roles that users set and the expected number of workers. Suggested roles
 * are not used, because they depend on this result.
 */
function operatorsBeforeRoles(hosts: readonly RoleAssignmentHost[], cluster: ClusterSettingsFacts, policy: Policy) {
  const given = shapeOf(hosts.map(({ state: { role } }) => ({ role, effectiveRole: role })));
  const open = hosts.filter(({ state }) => state.role === 'auto-assign').length;
  const masters = hosts.filter(({ state }) => state.role === 'master').length;
  const left = Math.max(0, open - Math.max(0, cluster.controlPlaneCount - masters));
  const effectiveWorkers = Math.min(given.effectiveWorkers + left, MOST_COUNTED);
  return operatorCluster(cluster, { ...given, effectiveWorkers }, policy);
}

const sizeOf = keptByObject((hardware: Hardware, openshiftVersion: string, diskGbMin: number): HardwareSize => {
  const disks = eligibleDisks(hardware, openshiftVersion, diskGbMin);
  return {
    cores: hardware.cpuCount,
    usableMemoryGib: hardware.usableMemoryBytes / BYTES_PER_GIB,
    eligibleDisksGib: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / BYTES_PER_GIB,
    hasGpu: hardware.gpuCount > 0,
  };
});

/** Returns the disks on which a host may be installed, by release, role and machine. */
export function installableDisks(
  hardware: Hardware,
  host: {
    readonly effectiveRole: string;
    readonly openshiftVersion: string;
    readonly isSingleNode: boolean;
  },
  policy: Pick<RulesPolicy, 'requirements' | 'edgeWorkerProducts'>,
): readonly Disk[] {
  const line = requirementsRole(host.effectiveRole, host.isSingleNode, hardware, policy.edgeWorkerProducts);
  const { diskSizeGb } = requirementsOf(policy.requirements, host.openshiftVersion)[line];
  return eligibleDisks(hardware, host.openshiftVersion, diskSizeGb);
}

/** Returns the reason why a host cannot be installed on the disk that a user selected. `subject`: the field of the request. */
export function diskRefusal(wanted: string, installable: readonly Disk[], subject: string): Refusal | undefined {
  if (installable.some((disk) => isDisk(disk, wanted))) return undefined;
  return {
    code: 'not-allowed-in-state',
    reason: `Disk ${wanted} of the host is not eligible as installation disk. The inventory gives the reason for each disk.`,
    subject,
    allowed: installable.map(diskIdOf),
  };
}

export interface BootstrapCandidate {
  readonly hostId: string;
  readonly status: string;
  readonly role: HostRole;
  readonly suggestedRole: string;
  readonly isBootstrap: boolean;
}

const MAY_BOOTSTRAP: ReadonlySet<string> = new Set(['known', 'preparing-for-installation']);

/**
 * Returns the current bootstrap host, else the last control plane host in the given order that is ready. Empty: there
 * is none. A worker or an arbiter cannot be the bootstrap host, also when the role is suggested and will be assigned.
 */
export function chooseBootstrap(hosts: readonly BootstrapCandidate[]): string {
  const chosen =
    hosts.find((host) => host.isBootstrap && mayBeBootstrap(effectiveRoleOf(host))) ??
    hosts.findLast((host) => effectiveRoleOf(host) === 'master' && MAY_BOOTSTRAP.has(host.status));
  return chosen?.hostId ?? '';
}
