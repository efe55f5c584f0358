import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module';
import { CatalogueModule } from './catalogue/catalogue.module';
import { ClustersModule } from './clusters/clusters.module';
import { CoreModule } from './core.module';
import { DownloadsModule } from './downloads/downloads.module';
import { EventsModule } from './events/events.module';
import { HistoryModule } from './history/history.module';
import { HostsModule } from './hosts/hosts.module';
import { InfraEnvsModule } from './infra-envs/infra-envs.module';
import { InstallationModule } from './installation/installation.module';
import { LogsModule } from './logs/logs.module';
import { ManifestsModule } from './manifests/manifests.module';
import { MonitoringModule } from './monitoring/monitoring.module';
import { OperatorsModule } from './operators/operators.module';
import { ValidationsModule } from './validations/validations.module';

/** One module per feature of the API. */
@Module({
  imports: [
    AgentsModule,
    CatalogueModule,
    ClustersModule,
    DownloadsModule,
    EventsModule,
    HistoryModule,
    HostsModule,
    InfraEnvsModule,
    InstallationModule,
    LogsModule,
    ManifestsModule,
    MonitoringModule,
    OperatorsModule,
    ValidationsModule,
  ],
})
export class GatewayModule {
  /** `outside` provides what exists before the application: platform, configuration, keys, routes. */
  static with(outside: readonly Provider[]): DynamicModule {
    return { module: GatewayModule, imports: [CoreModule.with(outside)] };
  }
}
