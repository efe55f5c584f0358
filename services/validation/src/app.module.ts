import { FactsView } from '@muster/evaluation';
import { type Platform, Readiness, ReactorHost, platformProviders } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, FLAP_POLICY, readConfig, readFlapPolicy } from './config';
import { DryRunController } from './dry-run.controller';
import { OutcomeStore } from './outcome-store';
import { ReadOutcomesController } from './read-outcomes.controller';
import { ValidationProcess } from './validation.process';

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
        ReactorHost,
        FactsView,
        OutcomeStore,
        ValidationProcess,
      ],
    };
  }
}
