import type { HardwareFacts, Plain } from '@muster/contracts';
import type { OperatorSettings } from './operator-settings';

export type OperatorHardware = Plain<HardwareFacts>;
export type OperatorDisk = OperatorHardware['disks'][number];

/** Major, minor, patch. */
export type Release = readonly [number, number, number];

/**
 * The numbers of day-1 hosts of a cluster. Counts end at MOST_COUNTED, which means that many or more, so that another
 * host in a large cluster does not change the facts of the others.
 */
export interface ClusterShape {
  readonly hosts: number;
  /** By the role that the user set. */
  readonly masters: number;
  readonly arbiters: number;
  readonly workers: number;
  readonly unassigned: number;
  /** By the role that the user set, or the suggested one. */
  readonly effectiveWorkers: number;
}
export const MOST_COUNTED = 4;
export const NO_SHAPE: ClusterShape = {
  hosts: 0,
  masters: 0,
  arbiters: 0,
  workers: 0,
  unassigned: 0,
  effectiveWorkers: 0,
};

/** The facts about a cluster that an operator reads. */
export interface OperatorCluster {
  /** Undefined when the text is not a version. */
  readonly release: Release | undefined;
  /** x86_64, arm64, ppc64le, s390x, multi. Empty when not selected. */
  readonly cpuArchitecture: string;
  readonly isSingleNode: boolean;
  /** The user enabled workloads on the control plane. */
  readonly hasSchedulableMasters: boolean;
  /** Selected operators and their dependencies. */
  readonly operators: readonly string[];
  /** Decimal GB that other selected operators store on each storage disk. */
  readonly minStorageGb: number;
  readonly shape: ClusterShape;
  readonly settings: OperatorSettings;
}

/** The facts about one host that an operator reads. */
export interface OperatorHost {
  /** Role that the user set: auto-assign, master, arbiter, or worker. */
  readonly role: string;
  /** Role that the user set, or the suggested one. */
  readonly effectiveRole: string;
  /** Undefined before the first inventory. */
  readonly hardware: OperatorHardware | undefined;
  /** Empty when none is selected. */
  readonly installationDiskId: string;
}

export function shapeOf(hosts: readonly Pick<OperatorHost, 'role' | 'effectiveRole'>[]): ClusterShape {
  const counted = (matches: (host: Pick<OperatorHost, 'role' | 'effectiveRole'>) => boolean): number =>
    Math.min(hosts.filter(matches).length, MOST_COUNTED);
  return {
    hosts: counted(() => true),
    masters: counted(({ role }) => role === 'master'),
    arbiters: counted(({ role }) => role === 'arbiter'),
    workers: counted(({ role }) => role === 'worker'),
    unassigned: counted(({ role }) => role === 'auto-assign'),
    effectiveWorkers: counted(({ effectiveRole }) => effectiveRole === 'worker'),
  };
}

/** With fewer workers, the control plane must run the workloads. */
const WORKERS_THAT_CARRY = 2;

export const areMastersForcedSchedulable = ({ isSingleNode, shape }: OperatorCluster): boolean =>
  isSingleNode || shape.effectiveWorkers < WORKERS_THAT_CARRY;
export const areMastersSchedulable = (cluster: OperatorCluster): boolean =>
  cluster.hasSchedulableMasters || areMastersForcedSchedulable(cluster);

/** False when the version of the cluster is invalid. */
export function isSince(
  { release }: Pick<OperatorCluster, 'release'>,
  major: number,
  minor: number,
  patch = 0,
): boolean {
  if (!release) return false;
  return (release[0] - major || release[1] - minor || release[2] - patch) >= 0;
}
