import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';
import { HttpMetrics } from './http-metrics';

@Module({
  controllers: [HealthController, MetricsController],
  providers: [HttpMetrics],
})
export class MonitoringModule {}
