import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { VersionCatalogue } from '@muster/assisted-api';
import { CLOCK, type Platform, platformProviders, Readiness, SECRETS } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import { AgentRequests } from './agents/agent-desk';
import { AGENT_CONTROLLERS } from './agents/agents.controllers';
import { LastSeen } from './agents/last-seen';
import { AgentNatsEndpoint } from './agents/agent-nats-endpoint';
import { AuthGuard } from './auth/auth.guard';
import { createSiteKey, LocalTokens } from './auth/local-tokens';
import { AUTHENTICATOR, type Authenticator } from './auth/authenticator';
import { LocalAuthenticator } from './auth/local.authenticator';
import { OidcAuthenticator } from './auth/oidc.authenticator';
import { Ownership } from './auth/ownership';
import { RequestRates } from './auth/request-rates';
import { SiteAuthenticator } from './auth/site.authenticator';
import { TokenScopes } from './auth/token-scope.service';
import { Commands } from './bus/commands';
import { FailureLog } from './bus/failure-log';
import { ReadYourWrites } from './bus/read-your-writes';
import { CATALOGUE_CONTROLLERS } from './catalogue/catalogue.controllers';
import { ReleaseChoice } from './catalogue/release-choice';
import { Artifacts } from './clusters/artifacts';
import { CLUSTER_CONTROLLERS } from './clusters/clusters.controllers';
import { type GatewayConfig, GATEWAY_CONFIG } from './config';
import { EVENT_CONTROLLERS } from './events/events.controllers';
import { EventPages } from './events/list-events/event-pages';
import { EventScopes } from './events/list-events/event-scopes';
import { HttpMetrics } from './metrics/http-metrics';
import { MetricsController } from './metrics/metrics.controller';
import { HealthController } from './health/health.controller';
import { HostIgnition } from './hosts/host-ignition';
import { HOST_CONTROLLERS } from './hosts/hosts.controllers';
import { RouteTable } from './http/route-table';
import { V2ExceptionFilter } from './http/v2-exception.filter';
import { INFRA_ENV_CONTROLLERS } from './infra-envs/infra-envs.controllers';
import { IpxeScripts } from './infra-envs/ipxe-script/ipxe-scripts';
import { ImageUrls } from './infra-envs/show-image-url/image-urls';
import { OPERATOR_CONTROLLERS } from './operators/operators.controllers';
import { OPEN_OPERATION_CONTROLLERS } from './open-operations/open-operation.controllers';
import { OWN_CONTROLLERS } from './muster-api/muster-api.controllers';
import { ClusterViews } from './views/cluster-views';
import { HostViews } from './views/host-views';
import { InfraEnvViews } from './views/infra-env-views';
import { ReportedBodies } from './views/reported-bodies';

function authenticatorFor(
  secrets: Secrets,
  clock: Clock,
  config: GatewayConfig,
  tokens: LocalTokens,
  scopes: TokenScopes,
): Authenticator {
  switch (config.authType) {
    // Nobody is asked for anything; the guard lets everyone in.
    case 'none':
    case 'local':
      return new LocalAuthenticator(tokens, scopes);
    case 'agent-installer-local':
      return new SiteAuthenticator(createSiteKey(config));
    case 'oidc':
      return new OidcAuthenticator(config.oidc, { secrets, clock }, scopes);
    default:
      return config.authType satisfies never;
  }
}

@Module({
  controllers: [
    HealthController,
    MetricsController,
    ...CLUSTER_CONTROLLERS,
    ...INFRA_ENV_CONTROLLERS,
    ...HOST_CONTROLLERS,
    ...AGENT_CONTROLLERS,
    ...EVENT_CONTROLLERS,
    ...CATALOGUE_CONTROLLERS,
    ...OPERATOR_CONTROLLERS,
    ...OPEN_OPERATION_CONTROLLERS,
    ...OWN_CONTROLLERS,
  ],
  providers: [
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_FILTER, useClass: V2ExceptionFilter },
    Readiness,
    TokenScopes,
    Ownership,
    RequestRates,
    {
      provide: AUTHENTICATOR,
      inject: [SECRETS, CLOCK, GATEWAY_CONFIG, LocalTokens, TokenScopes],
      useFactory: authenticatorFor,
    },
    ReadYourWrites,
    Commands,
    LastSeen,
    FailureLog,
    ReportedBodies,
    HostViews,
    ClusterViews,
    InfraEnvViews,
    ImageUrls,
    IpxeScripts,
    ReleaseChoice,
    Artifacts,
    HostIgnition,
    EventPages,
    EventScopes,
    AgentRequests,
    AgentNatsEndpoint,
    HttpMetrics,
  ],
})
export class GatewayModule {
  static with(platform: Platform, config: GatewayConfig, tokens: LocalTokens, routes: RouteTable): DynamicModule {
    return {
      module: GatewayModule,
      providers: [
        ...platformProviders(platform),
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: LocalTokens, useValue: tokens },
        { provide: RouteTable, useValue: routes },
        { provide: VersionCatalogue, useValue: new VersionCatalogue(config.releaseImages, config.osImages) },
      ],
    };
  }
}
