import { type Feed, startFeed } from '@muster/event-sourcing';
import { EVENT_STORE, logUnlessUnavailable, type MusterEventStore, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryDocuments, type RegisteredInfraEnv } from './discovery-documents';

/**
 * Renders the document of a new infra-env once, because creating and sealing its secrets takes tens of milliseconds,
 * which would delay the first download. A download renders a missing document itself.
 */
@Injectable()
export class DiscoveryPreparation implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ignition');
  private feed: Feed | undefined;
  /** Renders one document at a time, so that downloads are not delayed. */
  private turn: Promise<void> = Promise.resolve();
  private isClosing = false;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly documents: DiscoveryDocuments,
  ) {}

  /** Only infra-envs that are registered from now on. Images of earlier ones were probably downloaded already. */
  async onApplicationBootstrap(): Promise<void> {
    this.feed = startFeed({
      name: 'discovery-preparation',
      store: this.eventStore,
      requests: this.requests,
      fromPosition: await this.eventStore.head(),
      onError: logUnlessUnavailable((text) => this.logger.warn(text)),
      onPage: async (page) => {
        for (const event of page) if (event.type === 'InfraEnvRegistered') this.prepare(event);
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.feed?.close();
    await this.turn;
  }

  private prepare(event: RegisteredInfraEnv): void {
    this.turn = this.turn
      .then(async () => {
        if (!this.isClosing) await this.documents.prepare(event);
      })
      .catch((error: unknown) => {
        // The download reports the refusal. It is not an error of the service.
        if (!(error instanceof RefusalError))
          this.logger.warn(`${event.data.infraEnvId} was not prepared: ${String(error)}`);
      });
  }
}
