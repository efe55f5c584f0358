import { JOURNEYS_PROJECTION } from '@muster/assisted-api';
import { type Feed, startProjector } from '@muster/event-sourcing';
import { EVENT_STORE, READ_MODELS, REQUESTS, type MusterEventStore } from '@muster/nest-kit';
import type { ReadModels, Requests } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { projectJourney } from './project-journey';

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
      onError: (error) => this.logger.error(error.stack ?? error.message),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed?.close();
  }
}
