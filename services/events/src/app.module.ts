import { type Platform, Readiness, platformProviders } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, readConfig } from './config';
import { JourneysProjection } from './journeys/journeys-projection';
import { ReadPastController } from './read-past/read-past.controller';
import { RecordNoteController } from './record-note/record-note.controller';
import { EventRelay } from './relay/event-relay';
import { ViewsProjection } from './views/views-projection';

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
