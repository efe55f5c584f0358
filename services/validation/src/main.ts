import { FACTS_SHAPES, FactsView } from '@muster/evaluation';
import { keptEntries, type SavedConsumer } from '@muster/event-sourcing';
import {
  DocumentWorkers,
  type Platform,
  platformProviders,
  ReactorHost,
  Readiness,
  SAVED,
  savedViews,
  startMicroservice,
  type StartService,
} from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, FLAP_POLICY, readConfig, readFlapPolicy } from './config';
import { OUTCOMES, OutcomeStore, VIEW_VERSION } from './outcome-store';
import { AwaitEvaluationController, DryRunController, ReadOutcomesController } from './outcomes.controller';
import { ValidationProcess } from './validation.process';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [ReadOutcomesController, DryRunController, AwaitEvaluationController],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        { provide: FLAP_POLICY, useFactory: () => readFlapPolicy(platform.environment) },
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        Readiness,
        ReactorHost,
        savedViews('validation', VIEW_VERSION, [...FACTS_SHAPES, OUTCOMES]),
        {
          provide: FactsView,
          inject: [SAVED],
          useFactory: (saved: SavedConsumer) => new FactsView(keptEntries(saved)),
        },
        OutcomeStore,
        ValidationProcess,
      ],
    };
  }
}

/** Starts the validation service, which evaluates all preflight rules and records their outcomes. */
export const startValidation: StartService = (platform, logger) =>
  startMicroservice('validation', AppModule.on(platform), platform, logger);
