import {
  createReportReader,
  DocumentWorkers,
  type Platform,
  platformProviders,
  READ_REPORT,
  Readiness,
  startMicroservice,
  type StartService,
} from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { readConfig } from './config';
import { InventoryController } from './inventory.controller';
import { Reports } from './reports';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [InventoryController],
      providers: [
        ...platformProviders(platform),
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        {
          provide: READ_REPORT,
          useFactory: (workers: DocumentWorkers) =>
            createReportReader(workers, readConfig(platform.environment).keepsVirtualInterfaces),
          inject: [DocumentWorkers],
        },
        Readiness,
        Reports,
      ],
    };
  }
}

/** Starts the inventory service, which records the reports of hosts. */
export const startInventory: StartService = (platform, logger) =>
  startMicroservice('inventory', AppModule.on(platform), platform, logger);
