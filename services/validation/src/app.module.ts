import { type Platform, Readiness, platformProviders } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, FLAP_POLICY, readConfig, readFlapPolicy } from './config';
import { FactsView } from './facts/facts-view';
import { ValidationProcess } from './evaluation/validation.process';
import { OutcomeStore } from './evaluation/outcomes';
import { ReadOutcomesController } from './read-outcomes/read-outcomes.controller';
import { DryRunController } from './dry-run/dry-run.controller';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [ReadOutcomesController, DryRunController],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        { provide: FLAP_POLICY, useFactory: () => readFlapPolicy(platform.environment) },
        Readiness,
        FactsView,
        OutcomeStore,
        ValidationProcess,
      ],
    };
  }
}
