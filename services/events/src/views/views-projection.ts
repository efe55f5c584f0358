import { VIEWS_PROJECTION } from '@muster/assisted-api';
import { type Feed, startProjector } from '@muster/event-sourcing';
import { Readiness, EVENT_STORE, READ_MODELS, REQUESTS, type MusterEventStore } from '@muster/nest-kit';
import { START_OF_STORE, type ReadModels, type Requests } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type EventsConfig } from '../config';
import { createProjectEvent } from './project-event';

/** The progress of the read models. */
export interface ProjectionProgress {
  /** Last position projected; START_OF_STORE before the first. */
  position(): number;
  /** Positions between the read models and the end of the store. */
  lag(): Promise<number>;
  /** Resolves once everything stored before the start is projected. */
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
      onError: (error) => this.logger.error(error.stack ?? error.message),
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
