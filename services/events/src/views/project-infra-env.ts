import { COLLECTIONS, type InfraEnvDocument } from '@muster/assisted-api';
import type { ImageEvent, InfraEnvEvent } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import { type ReadModelChange, putOrRemove, type RecordedEvent } from '@muster/ports';
import { eventDocuments } from '../event-log/event-document';
import { INFRA_ENV_LOG } from '../event-log/infra-env-log';
import type { InfraEnvSubject, LogEntry } from '../event-log/log-entry';
import { INFRA_ENV_VIEW, registeredInfraEnv } from './infra-env-view';
import { addUsage, infraEnvUsageChanges } from './usage-counts';
import { patched, type Occurrence, type Patch } from './view-rows';

type Row = (data: unknown, subject: InfraEnvSubject) => readonly LogEntry[];

/** The document after the fact; undefined once the infra-env is gone. */
export function evolveInfraEnvDocument(
  before: InfraEnvDocument | undefined,
  event: InfraEnvEvent | ImageEvent,
  occurrence: Occurrence,
): InfraEnvDocument | undefined {
  if (event.type === 'InfraEnvRegistered') return registeredInfraEnv(event.data, occurrence);
  if (!before || event.type === 'InfraEnvDeregistered') return undefined;
  if (!(event.type in INFRA_ENV_VIEW)) return before;
  const row = INFRA_ENV_VIEW[event.type as keyof typeof INFRA_ENV_VIEW] as (
    infraEnv: InfraEnvDocument,
    data: unknown,
  ) => Patch<InfraEnvDocument>;
  return patched({ ...before }, row(before, event.data), occurrence);
}

/** Everything that one fact about an infra-env or its image changes. */
export async function projectInfraEnv(
  infraEnvId: string,
  event: RecordedEvent<InfraEnvEvent | ImageEvent>,
  occurrence: Occurrence,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const before = await read(COLLECTIONS.infraEnvs, infraEnvId);
  if (before && before._position >= event.position) return [];
  const after = evolveInfraEnvDocument(before, event, occurrence);
  const infraEnv = after ?? before;
  if (!infraEnv) return [];

  const changes = after === before ? [] : [putOrRemove(COLLECTIONS.infraEnvs, infraEnvId, after)];
  for (const { clusterId, by } of infraEnvUsageChanges(before, after)) {
    const cluster = await read(COLLECTIONS.clusters, clusterId);
    if (cluster) changes.push(putOrRemove(COLLECTIONS.clusters, clusterId, addUsage(cluster, by)));
  }
  const row = INFRA_ENV_LOG[event.type as keyof typeof INFRA_ENV_LOG] as Row | undefined;
  const entries = row?.(event.data, { infraEnv, before }) ?? [];
  const subject = { clusterId: infraEnv.cluster_id, infraEnvId, owner: infraEnv };
  return [...changes, ...eventDocuments(event, entries, subject)];
}
