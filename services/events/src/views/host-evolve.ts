import { COLLECTIONS, type HostDocument } from '@muster/assisted-api';
import { type EventData, type HostEvent, type InventoryEvent, isEventOf } from '@muster/contracts';
import { hostGenerationAfter } from '@muster/domain';
import type { ReadDocument } from '@muster/event-sourcing';
import {
  assessDisks,
  decisiveVersion,
  diskIdOf,
  effectiveRole,
  type Hardware,
  requirementsOf,
  requirementsRole,
  sizeReasons,
} from '@muster/validation-rules';
import type { MachineLimits } from '../config';
import { HOST_VIEW, registeredHost } from './host-view';
import { changedOutcomes } from './outcome-view';
import { REPORT_VIEW } from './report-view';
import { type Occurrence, patched, patchesOf } from './view-rows';

/** Events that change the document of a host: its own events, its reports and its outcomes. */
export type HostDocumentEvent =
  | HostEvent
  | InventoryEvent
  | { readonly type: 'HostOutcomesChanged'; readonly data: EventData<'HostOutcomesChanged'> };

const hostPatch = patchesOf(HOST_VIEW);
const reportPatch = patchesOf(REPORT_VIEW);

/** Events whose actor is the agent show that the host is connected. */
const FROM_AN_AGENT = 'agent:';

/**
 * Returns the document after the event; undefined after the deletion of the host; the same object when the event
 * belongs to an earlier generation.
 */
export function evolveHostDocument(
  before: HostDocument | undefined,
  event: HostDocumentEvent,
  occurrence: Occurrence,
): HostDocument | undefined {
  if (event.type === 'HostRegistered') return registeredHost(event.data, occurrence);
  if (!before || event.type === 'HostDeregistered') return undefined;
  if (isEventOf('host', event)) {
    const seen = event.type !== 'HostFellSilent' && occurrence.actor.startsWith(FROM_AN_AGENT);
    const patch = hostPatch(before, event, occurrence);
    const after = patched({ ...before }, seen ? { checked_in_at: occurrence.at, ...patch } : patch, occurrence);
    const generation = hostGenerationAfter(before._generation, event);
    return generation === before._generation ? after : { ...after, _generation: generation };
  }
  const { generation } = event.data;
  if (generation < before._generation) return before;
  const patch =
    event.type === 'HostOutcomesChanged'
      ? { _outcomes: changedOutcomes(before._outcomes, event.data) }
      : reportPatch(before, event, occurrence);
  return patched({ ...before, _generation: generation }, patch, occurrence);
}

/** Decimal GB. The required size depends on the role and is checked separately, so every disk passes here. */
const ANY_SIZE_GB = 0;
const ROLES = ['master', 'bootstrap', 'arbiter', 'worker', 'auto-assign'] as const;

type Disks = NonNullable<HostDocument['_disks']>;

/**
 * Returns the document with the eligibility of its disks. It is computed when the host reports its disks and when its
 * role changes. The release does not change while an inventory is valid.
 */
export async function withEvaluatedDisks(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
  event: HostDocumentEvent,
  read: ReadDocument,
  limits: MachineLimits,
): Promise<HostDocument | undefined> {
  if (!after || after === before) return after;
  if (event.type === 'InventoryReported') {
    const hardware = event.data.hardware;
    return hardware ? { ...after, ...(await evaluated(after, hardware, read, limits)) } : after;
  }
  if (!after._disks || !before || roleOf(before) === roleOf(after)) return after;
  return { ...after, _disks: measured(after._disks, minGbOf(after)) };
}

async function evaluated(
  host: HostDocument,
  hardware: Hardware,
  read: ReadDocument,
  limits: MachineLimits,
): Promise<Pick<HostDocument, '_disks' | '_disk_gb_min'>> {
  const cluster = host.cluster_id ? await read(COLLECTIONS.clusters, host.cluster_id) : undefined;
  const infraEnv = await read(COLLECTIONS.infraEnvs, host.infra_env_id);
  const version = decisiveVersion(host.kind, cluster?.openshift_version, infraEnv?.openshift_version);
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
