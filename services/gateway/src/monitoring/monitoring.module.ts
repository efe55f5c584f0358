import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { MetricsController } from './metrics.controller';
import { RequestMetrics } from '@muster/nest-kit';
import { createGatewayMetrics } from './gateway-metrics';

@Module({
  controllers: [HealthController, MetricsController],
  providers: [{ provide: RequestMetrics, useFactory: createGatewayMetrics }],
})
export class MonitoringModule {}
