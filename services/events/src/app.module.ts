import { type Relay, startRelay } from '@muster/event-sourcing';
import {
  EVENT_STORE,
  logUnlessUnavailable,
  type MusterEventStore,
  type Platform,
  platformProviders,
  Readiness,
  REQUESTS,
} from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import {
  type DynamicModule,
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CONFIG, readConfig } from './config';
import { JourneysProjection } from './journeys/project-journey';
import { ReadPastController } from './read-past/read-past.controller';
import { RecordNoteController } from './record-note/record-note.controller';
import { ViewsProjection } from './views/views-projection';

/** Publishes a live copy of every stored event. Feeds ignore repetitions. */
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
    this.relay = await startRelay({
      store,
      requests,
      onError: logUnlessUnavailable((text) => this.logger.error(text)),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.relay?.close();
  }
}

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [RecordNoteController, ReadPastController],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        Readiness,
        EventRelay,
        ViewsProjection,
        JourneysProjection,
      ],
    };
  }
}
