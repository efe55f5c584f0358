import {
  type ClusterJourney,
  type FunnelStep,
  type HostJourney,
  JOURNEY_COLLECTIONS,
  JOURNEYS_PROJECTION,
  NOT_YET,
} from '@muster/assisted-api';
import {
  type ClusterEvent,
  type HostEvent,
  type InventoryEvent,
  isEventOf,
  type MusterEvent,
  parseStreamId,
  type RecordedMusterEvent,
} from '@muster/contracts';
import { clusterOfInfraEnvAfter } from '@muster/domain';
import { type Feed, type ProjectEvent, type ReadDocument, startProjector } from '@muster/event-sourcing';
import { EVENT_STORE, logUnlessUnavailable, type MusterEventStore, READ_MODELS, REQUESTS } from '@muster/nest-kit';
import { putOrRemove, type ReadModelChange, type ReadModels, type RecordedEvent, type Requests } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { endsRetention } from '../views/view-rows';
import { evolveClusterJourney, evolveHostJourney, reached } from './journey';

const { clusters: CLUSTERS, hosts: HOSTS, infraEnvs: INFRA_ENVS } = JOURNEY_COLLECTIONS;
type Changes = readonly ReadModelChange[];

/**
 * The projection `journeys`: the timelines of clusters, and the stages of their hosts. Only the first time of a step
 * counts, so a repeated event changes nothing.
 */
export const projectJourney: ProjectEvent<MusterEvent> = async (event, read) => {
  const { id } = parseStreamId(event.streamId);
  if (isEventOf('cluster', event)) return clusterChanges(id, event, read);
  if (isEventOf('host', event) || isEventOf('inventory', event)) return hostChanges(id, event, read);
  if (isEventOf('infraEnv', event) || isEventOf('image', event)) return infraEnvChanges(id, event, read);
  return [];
};

async function clusterChanges(id: string, event: RecordedEvent<ClusterEvent>, read: ReadDocument): Promise<Changes> {
  const before = await clusterIn(read, id);
  if (before && before._position >= event.position) return [];
  const after = evolveClusterJourney(before, event, timeOf(event), event.position);
  return after === before ? [] : [putOrRemove(CLUSTERS, id, after)];
}

async function hostChanges(
  key: string,
  event: RecordedEvent<HostEvent | InventoryEvent>,
  read: ReadDocument,
): Promise<Changes> {
  if (endsRetention(event)) return [putOrRemove(HOSTS, key, undefined)];
  if (!HOST_EVENTS.has(event.type)) return [];
  const before = await read(HOSTS, key);
  const isNew = !before || before._position < event.position;
  const host = isNew ? evolveHostJourney(before, event, timeOf(event), event.position) : before;
  if (!host) return [];
  const changes = host === before ? [] : [putOrRemove(HOSTS, key, host)];
  // A host that joins another cluster is discovered there, and its known steps are added.
  return host.cluster_id ? [...changes, ...(await stepsOfHost(host, event, read))] : changes;
}

const HOST_EVENTS: ReadonlySet<string> = new Set<MusterEvent['type']>([
  'HostRegistered',
  'HostReregistered',
  'HostEnteredStatus',
  'HostProgressed',
  'HostBootstrapChosen',
  'HostReset',
  'HostRoleAssigned',
  'HostBound',
  'HostUnbound',
  'HostDeregistered',
  'InventoryReported',
]);

async function stepsOfHost(host: HostJourney, event: RecordedMusterEvent, read: ReadDocument): Promise<Changes> {
  const before = await clusterIn(read, host.cluster_id);
  if (!before) return [];
  const withSteps = stepsFrom(host, event).reduce((journey, step) => reached(journey, step, timeOf(event)), before);
  // If the document of the host is ahead, the event is a repetition, and another attempt may have begun.
  const after = host._position > event.position ? withSteps : withTrouble(withSteps, host, event);
  return after === before ? [] : [putOrRemove(CLUSTERS, before.id, after)];
}

function stepsFrom(host: HostJourney, event: RecordedMusterEvent): readonly FunnelStep[] {
  const isSince = (position: number): boolean => position !== NOT_YET && position <= event.position;
  const stage = event.type === 'HostProgressed' && event.data.stageChanged ? event.data.stage : '';
  return [
    'host-discovered',
    ...(isSince(host.inventory_from) ? (['hardware-known'] as const) : []),
    ...(stage === 'Rebooting' ? (['host-rebooted'] as const) : []),
    ...(stage === 'Rebooting' && isSince(host.bootstrap_from) ? (['bootstrap-pivoted'] as const) : []),
    ...(stage === 'Joined' ? (['host-joined'] as const) : []),
  ];
}

/** The first failure is the reason why an installation failed. Later failures follow from it. */
function withTrouble(cluster: ClusterJourney, host: HostJourney, event: RecordedMusterEvent): ClusterJourney {
  if (event.type !== 'HostEnteredStatus' || event.data.status !== 'error' || cluster.first_trouble) return cluster;
  const stage = host.attempt_stage || event.data.from;
  return { ...cluster, first_trouble: { stage, reason: event.data.cause || event.data.transition } };
}

async function infraEnvChanges(id: string, event: RecordedMusterEvent, read: ReadDocument): Promise<Changes> {
  if (event.type === 'InfraEnvDeregistered') return [putOrRemove(INFRA_ENVS, id, undefined)];
  const before = await read(INFRA_ENVS, id);
  const known = before?.cluster_id ?? '';
  const clusterId = isEventOf('infraEnv', event) ? clusterOfInfraEnvAfter(known, event) : known;
  if (!clusterId) return [];
  const changes = before?.cluster_id === clusterId ? [] : [putOrRemove(INFRA_ENVS, id, { id, cluster_id: clusterId })];
  const cluster = await clusterIn(read, clusterId);
  const step = IMAGE_STEPS.get(event.type) ?? 'infra-env-created';
  const after = cluster && reached(cluster, step, timeOf(event));
  return after === cluster ? changes : [...changes, putOrRemove(CLUSTERS, clusterId, after)];
}

const IMAGE_STEPS: ReadonlyMap<string, FunnelStep> = new Map([
  ['ImageFirstDownloaded', 'image-first-downloaded'],
  ['ImageDownloadCompleted', 'image-download-completed'],
]);

const clusterIn = async (read: ReadDocument, id: string): Promise<ClusterJourney | undefined> =>
  await read(CLUSTERS, id);

const timeOf = (event: RecordedMusterEvent): string => event.metadata.occurredAt;

/** Keeps the installation timelines of clusters up to date. It is a separate projection: no request waits for it, and it can be rebuilt without the views. */
@Injectable()
export class JourneysProjection implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('journeys');
  private feed: Feed | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { eventStore: store, requests, readModels } = this;
    this.feed = await startProjector({
      name: JOURNEYS_PROJECTION,
      store,
      requests,
      readModels,
      project: projectJourney,
      isAwaited: false,
      onError: logUnlessUnavailable((text) => this.logger.error(text)),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed?.close();
  }
}
