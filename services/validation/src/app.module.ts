import { PLATFORM, type Platform, Readiness } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, FLAP_POLICY, readConfig, readFlapPolicy } from './config';
import { FactsView } from './facts/facts-view';
import { JudgingProcess } from './judging/judging.process';
import { Verdicts } from './judging/verdicts';
import { ReadOutcomesController } from './read-outcomes/read-outcomes.controller';
import { RehearseController } from './rehearsal/rehearse.controller';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [ReadOutcomesController, RehearseController],
      providers: [
        { provide: PLATFORM, useValue: platform },
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        { provide: FLAP_POLICY, useFactory: () => readFlapPolicy(platform.environment) },
        Readiness,
        FactsView,
        Verdicts,
        JudgingProcess,
      ],
    };
  }
}
