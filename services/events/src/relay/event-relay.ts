import { type Relay, startRelay } from '@muster/event-sourcing';
import { EVENT_STORE, REQUESTS, type MusterEventStore } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

/** Publishes a live copy of every stored fact. With several replicas each fact is published several times, which feeds do not mind. */
@Injectable()
export class EventRelay implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('relay');
  private relay: Relay | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { eventStore: store, requests } = this;
    this.relay = await startRelay({ store, requests, onError: (error) => this.logger.error(error.message) });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay?.close();
  }
}
