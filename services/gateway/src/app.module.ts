import { RequestMetrics } from '@muster/nest-kit';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AgentRequests } from './agents/agent-requests';
import { HeldPolls } from './agents/held-polls';
import { AgentNatsEndpoint } from './agents/agent-nats-endpoint';
import { AgentsController, BusCredentialsController } from './agents/agents.controller';
import { CatalogueController } from './catalogue/catalogue.controller';
import { ReleaseChoice } from './catalogue/release-choice';
import { SupportLevelsController } from './catalogue/support-levels.controller';
import { ClusterRequirementsController } from './clusters/cluster-requirements.controller';
import { ClusterSettingsController } from './clusters/cluster-settings.controller';
import { ClustersController } from './clusters/clusters.controller';
import { Day2Controller } from './clusters/day2.controller';
import { OperatorsController } from './clusters/operators.controller';
import { CoreModule } from './core.module';
import { EventPages } from './events/event-pages';
import { EventsController, EventScopes } from './events/events.controller';
import { FollowEventsController } from './events/follow-events.controller';
import { HistoryController } from './history/history.controller';
import { HostIgnition, HostIgnitionController } from './hosts/host-ignition.controller';
import { HostActionsController, HostsController } from './hosts/hosts.controller';
import { ImagesController } from './infra-envs/images.controller';
import { InfraEnvsController } from './infra-envs/infra-envs.controller';
import { IpxeScripts } from './infra-envs/ipxe-scripts';
import { DownloadsController } from './installation/downloads.controller';
import { InstallationController } from './installation/installation.controller';
import { LogBundle } from './installation/log-bundle';
import { StoredLogs } from './installation/stored-logs';
import { LogsController } from './installation/logs.controller';
import { ManifestsController } from './installation/manifests.controller';
import { HealthController } from './monitoring/health.controller';
import { createGatewayMetrics, MetricsController } from './monitoring/metrics.controller';
import { OverridesController } from './validations/overrides.controller';
import { PreviewsController } from './validations/previews.controller';
import { ValidationsController } from './validations/validations.controller';

@Module({
  controllers: [AgentsController, BusCredentialsController],
  providers: [AgentRequests, AgentNatsEndpoint, HeldPolls],
})
export class AgentsModule {}

@Module({
  controllers: [CatalogueController, SupportLevelsController],
  providers: [ReleaseChoice],
  exports: [ReleaseChoice],
})
export class CatalogueModule {}

@Module({
  imports: [CatalogueModule],
  controllers: [
    ClustersController,
    ClusterRequirementsController,
    ClusterSettingsController,
    Day2Controller,
    OperatorsController,
  ],
})
export class ClustersModule {}

@Module({
  controllers: [EventsController, FollowEventsController],
  providers: [EventPages, EventScopes],
  exports: [EventScopes],
})
export class EventsModule {}

@Module({
  controllers: [HistoryController],
})
export class HistoryModule {}

@Module({
  controllers: [HostActionsController, HostIgnitionController, HostsController],
  providers: [HostIgnition],
})
export class HostsModule {}

@Module({
  imports: [CatalogueModule],
  controllers: [ImagesController, InfraEnvsController],
  providers: [IpxeScripts],
})
export class InfraEnvsModule {}

@Module({
  imports: [EventsModule],
  controllers: [InstallationController, DownloadsController, LogsController, ManifestsController],
  providers: [LogBundle, StoredLogs],
})
export class InstallationModule {}

@Module({
  controllers: [HealthController, MetricsController],
  providers: [{ provide: RequestMetrics, useFactory: createGatewayMetrics }],
})
export class MonitoringModule {}

@Module({
  imports: [CatalogueModule],
  controllers: [OverridesController, PreviewsController, ValidationsController],
})
export class ValidationsModule {}

/** One module per feature of the API. */
@Module({
  imports: [
    AgentsModule,
    CatalogueModule,
    ClustersModule,
    EventsModule,
    HistoryModule,
    HostsModule,
    InfraEnvsModule,
    InstallationModule,
    MonitoringModule,
    ValidationsModule,
  ],
})
export class GatewayModule {
  /** `outside`: providers of values that exist before the application (platform, configuration, keys, routes). */
  static with(outside: readonly Provider[]): DynamicModule {
    return { module: GatewayModule, imports: [CoreModule.with(outside)] };
  }
}
