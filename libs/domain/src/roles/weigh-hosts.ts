import { MOST_COUNTED, meetsControlPlaneOperators, NOTHING, resourcesOfOperators, shapeOf } from '@muster/operators';
import {
  type ClusterSettingsFacts,
  eligibleDisks,
  type Hardware,
  hasCores,
  hasMemory,
  isSingleNode,
  operatorCluster,
  operatorHost,
  requirementsOf,
  type RulesPolicy,
} from '@muster/validation-rules';
import type { HostRole } from '../host/status';
import type { HardwareSize, RoleCandidate } from './suggest-roles';

const BYTES_PER_GIB = 1024 ** 3;

type Policy = Pick<RulesPolicy, 'requirements' | 'operatorSettings'>;

/** A host whose role may be open. */
export interface WeighedHost {
  readonly hostId: string;
  readonly status: string;
  readonly role: HostRole;
  /** Empty until suggested. */
  readonly suggestedRole: string;
  readonly hardware: Hardware | undefined;
  /** Empty while none is chosen. */
  readonly installationDiskId: string;
}

/** The hosts of a cluster as role assignment sees them, by the settings of the cluster. */
export function weighHosts(
  hosts: readonly WeighedHost[],
  cluster: ClusterSettingsFacts,
  policy: Policy,
): readonly RoleCandidate[] {
  const operators = cluster.operators.length > 0 ? operatorsBeforeRoles(hosts, cluster, policy) : undefined;
  const table = requirementsOf(policy.requirements, cluster.openshiftVersion);
  const controlPlane = isSingleNode(cluster) ? table.sno : table.master;
  return hosts.map(({ hostId, status, role, suggestedRole, hardware, installationDiskId }) => {
    const asMaster = operatorHost({ role: 'master', suggestedRole: '', hardware, installationDiskId });
    const extra = operators ? resourcesOfOperators(asMaster, operators) : NOTHING;
    const meets = (needs: { cpuCores: number; ramMib: number }): boolean =>
      hardware !== undefined && hasCores(hardware, needs.cpuCores) && hasMemory(hardware, needs.ramMib);
    return {
      hostId,
      status,
      role,
      suggestedRole,
      size: hardware && sizeOf(hardware, cluster.openshiftVersion, table.worker.diskSizeGb),
      canBeControlPlane:
        meets({ cpuCores: controlPlane.cpuCores + extra.cpuCores, ramMib: controlPlane.ramMib + extra.ramMib }) &&
        (!operators || meetsControlPlaneOperators(asMaster, operators)),
      canBeArbiter: meets(table.arbiter),
    };
  });
}

/**
 * The roles that the cluster needs, by the roles that users gave and by how many workers are going to be left: by
 * suggestions themselves it would go round in circles.
 */
function operatorsBeforeRoles(hosts: readonly WeighedHost[], cluster: ClusterSettingsFacts, policy: Policy) {
  const given = shapeOf(hosts.map(({ role }) => ({ role, effectiveRole: role })));
  const open = hosts.filter(({ role }) => role === 'auto-assign').length;
  const masters = hosts.filter(({ role }) => role === 'master').length;
  const left = Math.max(0, open - Math.max(0, cluster.controlPlaneCount - masters));
  const effectiveWorkers = Math.min(given.effectiveWorkers + left, MOST_COUNTED);
  return operatorCluster(cluster, { ...given, effectiveWorkers }, policy);
}

/** Evaluating disks is the expensive part, so it is done once per inventory and release. */
const SIZES = new WeakMap<Hardware, { readonly question: string; readonly size: HardwareSize }>();

function sizeOf(hardware: Hardware, openshiftVersion: string, diskGbMin: number): HardwareSize {
  const question = `${openshiftVersion} ${diskGbMin}`;
  const known = SIZES.get(hardware);
  if (known?.question === question) return known.size;
  const disks = eligibleDisks(hardware, openshiftVersion, diskGbMin);
  const size = {
    cores: hardware.cpuCount,
    usableMemoryGib: hardware.usableMemoryBytes / BYTES_PER_GIB,
    eligibleDisksGib: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / BYTES_PER_GIB,
    hasGpu: hardware.gpuCount > 0,
  };
  SIZES.set(hardware, { question, size });
  return size;
}
