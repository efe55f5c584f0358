import { COLLECTIONS, type HostDocument } from '@muster/assisted-api';
import type { ReadDocument } from '@muster/event-sourcing';
import {
  assessDisks,
  diskIdOf,
  effectiveRole,
  type Hardware,
  requirementsOf,
  requirementsRole,
  sizeReasons,
} from '@muster/validation-rules';
import type { HostDocumentEvent } from './host-evolve';
import type { MachineLimits } from './machine-limits';

/** Decimal GB. Every disk passes this size here: the required size depends on the role and is checked separately. */
const ANY_SIZE_GB = 0;
const ROLES = ['master', 'bootstrap', 'arbiter', 'worker', 'auto-assign'] as const;

type Disks = NonNullable<HostDocument['_disks']>;

/**
 * The host's document with what may be installed on: worked out when the machine reports its disks, and again when the host
 * gets another role. The release stays the same for as long as an inventory counts.
 */
export async function withJudgedDisks(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
  event: HostDocumentEvent,
  read: ReadDocument,
  limits: MachineLimits,
): Promise<HostDocument | undefined> {
  if (!after || after === before) return after;
  if (event.type === 'InventoryReported') {
    const hardware = event.data.hardware;
    return hardware ? { ...after, ...(await judged(after, hardware, read, limits)) } : after;
  }
  if (!after._disks || !before || roleOf(before) === roleOf(after)) return after;
  return { ...after, _disks: measured(after._disks, minGbOf(after)) };
}

async function judged(
  host: HostDocument,
  hardware: Hardware,
  read: ReadDocument,
  limits: MachineLimits,
): Promise<Pick<HostDocument, '_disks' | '_disk_gb_min'>> {
  const cluster = host.cluster_id ? await read(COLLECTIONS.clusters, host.cluster_id) : undefined;
  const infraEnv = await read(COLLECTIONS.infraEnvs, host.infra_env_id);
  const version = cluster?.openshift_version ?? infraEnv?.openshift_version ?? '';
  const disks = assessDisks(hardware, version, ANY_SIZE_GB).map(({ disk, reasons }) => ({
    name: disk.name,
    id: diskIdOf(disk),
    reasons,
    lastingReasons: reasons,
    sizeBytes: disk.sizeBytes,
  }));
  const _disk_gb_min = minGbByRole(hardware, version, cluster?.control_plane_count === 1, limits);
  return { _disk_gb_min, _disks: measured(disks, minGbOf({ ...host, _disk_gb_min })) };
}

function minGbByRole(
  hardware: Hardware,
  version: string,
  isOnlyNode: boolean,
  limits: MachineLimits,
): { readonly [role: string]: number } {
  const requirements = requirementsOf(limits.requirements, version);
  const minGb = (role: string): number =>
    requirements[requirementsRole(role, isOnlyNode, hardware, limits.edgeWorkerProducts)].diskSizeGb;
  return Object.fromEntries(ROLES.map((role) => [role, minGb(role)]));
}

const roleOf = (host: HostDocument): string => effectiveRole(host.role, host.suggested_role ?? '');
const minGbOf = (host: HostDocument): number => host._disk_gb_min?.[roleOf(host)] ?? ANY_SIZE_GB;

function measured(disks: Disks, minGb: number): Disks {
  return disks.map((disk) => ({ ...disk, reasons: [...disk.lastingReasons, ...sizeReasons(disk, minGb)] }));
}
