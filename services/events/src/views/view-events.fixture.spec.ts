import { type ClusterDocument, COLLECTIONS, type EventDocument, type HostDocument } from '@muster/assisted-api';
import {
  type EventData,
  type EventType,
  parseEvent,
  type RecordedMusterEvent,
  type StreamCategory,
  streamIdOf,
} from '@muster/contracts';
import { clusterReason } from '@muster/domain';
import type { EventMetadata, JsonObject } from '@muster/ports';
import { projectEvent } from './views-projection';

export const CLUSTER_ID = '11111111-1111-4111-8111-111111111111';
export const INFRA_ENV_ID = '22222222-2222-4222-8222-222222222222';
export const HOST_ID = '33333333-3333-4333-8333-333333333333';
export const HOST_KEY = `${INFRA_ENV_ID}.${HOST_ID}`;
export const OWNER = { userName: 'alice', orgId: 'acme', emailDomain: 'acme.example' };

const START_MS = Date.UTC(2024, 0, 1);
const STEP_MS = 1_000;

/** Time of the event at a position: one second apart. */
export const timeAt = (position: number): string => new Date(START_MS + position * STEP_MS).toISOString();

/** An event before it is stored. Absent members get the default of proto3 JSON. */
export interface TestEvent {
  readonly category: StreamCategory;
  readonly id: string;
  readonly type: EventType;
  readonly data: JsonObject;
  readonly actor?: string;
}

type Given<Type extends EventType> = Partial<EventData<Type>>;

const testEvent =
  (category: StreamCategory, id: string, implied: JsonObject = {}) =>
  <Type extends EventType>(type: Type, data: Given<Type> = {}, actor?: string): TestEvent => ({
    category,
    id,
    type,
    data: { ...implied, ...(data as JsonObject) },
    actor,
  });

export const onCluster = testEvent('cluster', CLUSTER_ID);
export const onHost = testEvent('host', HOST_KEY);
/** In the first generation of the host, unless the data contains another one. */
export const onInventory = testEvent('inventory', HOST_KEY, { generation: 1 });
export const onHostOutcomes = testEvent('validation', HOST_KEY, { generation: 1 });
export const onClusterOutcomes = testEvent('validation', CLUSTER_ID);
export const onInfraEnv = testEvent('infraEnv', INFRA_ENV_ID);
export const onManifests = testEvent('manifest', CLUSTER_ID);
export const onArtifacts = testEvent('artifact', CLUSTER_ID);
export const onImage = testEvent('image', INFRA_ENV_ID);
export const onNote = testEvent('note', CLUSTER_ID);
export const onHostNamed = (hostId: string) => testEvent('host', `${INFRA_ENV_ID}.${hostId}`);

export const clusterRegistered = (data: Given<'ClusterRegistered'> = {}): TestEvent =>
  onCluster('ClusterRegistered', {
    clusterId: CLUSTER_ID,
    kind: 'Cluster',
    owner: OWNER,
    pullSecretSet: true,
    status: 'insufficient',
    statusReason: clusterReason('not-ready'),
    at: timeAt(0),
    settings: { name: 'demo', openshiftVersion: '4.18', controlPlaneCount: 3 },
    ...data,
  });

export const hostRegistered = (data: Given<'HostRegistered'> = {}): TestEvent => {
  const hostId = data.hostId ?? HOST_ID;
  return onHostNamed(hostId)('HostRegistered', {
    hostId,
    infraEnvId: INFRA_ENV_ID,
    clusterId: CLUSTER_ID,
    kind: 'Host',
    role: 'auto-assign',
    owner: OWNER,
    ...data,
  });
};

export const infraEnvRegistered = (): TestEvent =>
  onInfraEnv('InfraEnvRegistered', {
    infraEnvId: INFRA_ENV_ID,
    owner: OWNER,
    settings: { name: 'lab', clusterId: CLUSTER_ID },
  });

/** Returns the events as recorded in a store, with consecutive positions. */
export function record(
  events: readonly TestEvent[],
  metadata: Partial<EventMetadata> = {},
): readonly RecordedMusterEvent[] {
  return events.map(({ category, id, type, data, actor }, position) => ({
    ...parseEvent(category, type, data),
    id: `event-${position}`,
    metadata: {
      commandId: `command-${position}`,
      correlationId: 'history',
      actor: actor ?? 'alice',
      occurredAt: timeAt(position),
      ...metadata,
    },
    streamId: streamIdOf(category, id),
    revision: position,
    position,
    recordedAt: timeAt(position),
  }));
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

/**
 * Returns the documents of the read models after the events, by `collection/key`. They are frozen, because readers
 * share them.
 */
export async function documentsAfter(events: readonly RecordedMusterEvent[]): Promise<Map<string, JsonObject>> {
  const documents = new Map<string, JsonObject>();
  for (const event of events) {
    const changes = await projectEvent(
      event,
      async (collection, key) => documents.get(`${collection}/${key}`) as never,
    );
    for (const change of changes) {
      if (change.kind === 'put')
        documents.set(`${change.collection}/${change.key}`, freeze(change.document as JsonObject));
      else documents.delete(`${change.collection}/${change.key}`);
    }
  }
  return documents;
}

/** Returns the views after the events, by name. */
export async function viewsAfter(...events: readonly TestEvent[]) {
  // Converted to JSON and back, as by a database, which removes unset members.
  const written = [...(await documentsAfter(record(events)))].map(([key, document]) => [key, JSON.stringify(document)]);
  const documents = new Map(written.map(([key = '', text = '']) => [key, JSON.parse(text) as JsonObject]));
  return {
    documents,
    cluster: documents.get(`${COLLECTIONS.clusters}/${CLUSTER_ID}`) as unknown as ClusterDocument,
    host: documents.get(`${COLLECTIONS.hosts}/${HOST_KEY}`) as unknown as HostDocument,
    log: [...documents]
      .filter(([key]) => key.startsWith(`${COLLECTIONS.events}/`))
      .map(([, document]) => document as unknown as EventDocument),
  };
}
