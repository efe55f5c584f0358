import { COLLECTIONS, VIEWS_PROJECTION } from '@muster/assisted-api';
import { hostKeyOf, isEventOf, type MusterEvent, type NoteEvent, parseStreamId } from '@muster/contracts';
import { type Feed, type ProjectEvent, type ReadDocument, startProjector } from '@muster/event-sourcing';
import {
  EVENT_STORE,
  logUnlessUnavailable,
  type MusterEventStore,
  READ_MODELS,
  Readiness,
  REQUESTS,
} from '@muster/nest-kit';
import {
  type ReadModelChange,
  type ReadModels,
  type RecordedEvent,
  type Requests,
  START_OF_STORE,
} from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, DEFAULT_MACHINE_LIMITS, type EventsConfig, type MachineLimits } from '../config';
import { eventCountsChanges, eventDocuments, type EventSubject } from '../event-log/event-document';
import { noteLog } from '../event-log/report-log';
import { projectMetrics } from '../metrics/project-metrics';
import { projectInfraEnv } from './infra-env-view';
import { projectCluster } from './project-cluster';
import { projectHost } from './project-host';

const NO_OWNER: EventSubject['owner'] = { user_name: '', org_id: '', email_domain: '' };

/** A note belongs to the owner of its subject. Without an owner only administrators can read it. */
export async function projectNote(
  event: RecordedEvent<NoteEvent>,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const data = event.data;
  const { clusterId, hostId, infraEnvId } = data;
  const subject =
    (clusterId && (await read(COLLECTIONS.clusters, clusterId))) ||
    (infraEnvId && (await read(COLLECTIONS.infraEnvs, infraEnvId))) ||
    (hostId && infraEnvId && (await read(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId))));
  return eventDocuments(event, noteLog(data), { clusterId, hostId, infraEnvId, owner: subject || NO_OWNER });
}

const NOTHING: Promise<readonly ReadModelChange[]> = Promise.resolve([]);

/**
 * The projection `views`: the changes of the documents for a stored event. Each document contains the position of the
 * last event that changed it, so a repeated event changes nothing.
 */
export const createProjectEvent = (limits: MachineLimits): ProjectEvent<MusterEvent> => {
  const projectDocuments = createProjectDocuments(limits);
  return async (event, read) => {
    const documents = await projectDocuments(event, read);
    const counts = await eventCountsChanges(event, documents, read);
    const metrics = await projectMetrics(event, read);
    return counts.length > 0 || metrics.length > 0 ? [...documents, ...counts, ...metrics] : documents;
  };
};

const createProjectDocuments =
  (limits: MachineLimits): ProjectEvent<MusterEvent> =>
  (event, read) => {
    const { id } = parseStreamId(event.streamId);
    const occurrence = { position: event.position, at: event.metadata.occurredAt, actor: event.metadata.actor };
    if (isEventOf('host', event) || isEventOf('inventory', event) || event.type === 'HostOutcomesChanged')
      return projectHost(id, event, occurrence, read, limits);
    if (isEventOf('cluster', event) || isEventOf('manifest', event) || event.type === 'ClusterOutcomesChanged')
      return projectCluster(id, event, occurrence, read);
    if (
      event.type === 'ReleaseRead' ||
      event.type === 'ReleaseDownloadProgressed' ||
      event.type === 'PreparationQueued'
    )
      return projectCluster(id, event, occurrence, read);
    if (isEventOf('infraEnv', event) || isEventOf('image', event)) return projectInfraEnv(id, event, occurrence, read);
    if (isEventOf('note', event)) return projectNote(event, read);
    // Other events of artifacts change no document, and the events of a newer version are unknown here.
    return NOTHING;
  };

/** With the default limits. */
export const projectEvent: ProjectEvent<MusterEvent> = createProjectEvent(DEFAULT_MACHINE_LIMITS);

/** The progress of the read models. */
export interface ProjectionProgress {
  /** Last projected position; START_OF_STORE before the first. */
  position(): number;
  /** Number of positions between the read models and the end of the store. */
  lag(): Promise<number>;
  /** Resolves when all events from before the start are projected. */
  caughtUp(): Promise<void>;
}

/** Keeps the read models up to date with the store. */
@Injectable()
export class ViewsProjection implements ProjectionProgress, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('views');
  private feed: Feed | undefined;
  private isCaughtUp = false;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly readiness: Readiness,
    @Inject(CONFIG) private readonly config: EventsConfig,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.readiness.register('views', () =>
      this.isCaughtUp ? undefined : `replaying events, at position ${this.position()}`,
    );
    const { eventStore: store, requests, readModels } = this;
    this.feed = await startProjector({
      name: VIEWS_PROJECTION,
      store,
      requests,
      readModels,
      project: createProjectEvent(this.config.machineLimits),
      onError: logUnlessUnavailable((text) => this.logger.error(text)),
    });
    void this.feed.caughtUp.then(() => (this.isCaughtUp = true));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed?.close();
  }

  position(): number {
    return this.feed?.position() ?? START_OF_STORE;
  }

  async lag(): Promise<number> {
    return Math.max(0, (await this.eventStore.head()) - this.position());
  }

  async caughtUp(): Promise<void> {
    await this.feed?.caughtUp;
  }
}
