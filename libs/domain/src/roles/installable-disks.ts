import {
  type Disk,
  eligibleDisks,
  type Hardware,
  requirementsOf,
  requirementsRole,
  type RulesPolicy,
} from '@muster/validation-rules';

/** Which disks a host may be installed on, by the release, the role and the machine. */
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
