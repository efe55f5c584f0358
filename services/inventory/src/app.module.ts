import { type Platform, Readiness, platformProviders } from '@muster/nest-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { ClearReportController } from './clear-report/clear-report.controller';
import { CONFIG, readConfig } from './config';
import { ReadReportController } from './read-report/read-report.controller';
import { RecordReport } from './record-report/record-report';
import { RecordReportController } from './record-report/record-report.controller';
import { Reports } from './reports/reports';

@Module({})
export class AppModule {
  static on(platform: Platform): DynamicModule {
    return {
      module: AppModule,
      controllers: [RecordReportController, ClearReportController, ReadReportController],
      providers: [
        ...platformProviders(platform),
        { provide: CONFIG, useFactory: () => readConfig(platform.environment) },
        Readiness,
        Reports,
        RecordReport,
      ],
    };
  }
}
