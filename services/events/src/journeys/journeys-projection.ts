import { JOURNEYS_PROJECTION } from '@muster/assisted-api';
import { type Feed, startProjector } from '@muster/event-sourcing';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { projectJourney } from './project-journey';

/** Keeps the ways of clusters in step with the store. A projection of its own: nobody waits for it, and it fills where the views are long full. */
@Injectable()
export class JourneysProjection implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('journeys');
  private feed: Feed | undefined;

  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  async onApplicationBootstrap(): Promise<void> {
    const { eventStore: store, requests, readModels } = this.platform;
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
