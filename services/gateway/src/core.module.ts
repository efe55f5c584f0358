import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { CLOCK, DocumentWorkers, Readiness, SECRETS } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import { AuthGuard } from './auth/auth.guard';
import { AUTHENTICATOR, type Authenticator } from './auth/authenticator';
import { LastSeen } from './auth/last-seen';
import { LocalAuthenticator } from './auth/local.authenticator';
import { createSiteKey, LocalTokens } from './auth/local-tokens';
import { OidcAuthenticator } from './auth/oidc.authenticator';
import { Ownership } from './auth/ownership';
import { RequestRates } from './auth/request-rates';
import { SiteAuthenticator } from './auth/site.authenticator';
import { TokenScopes } from './auth/token-scope.service';
import { BodyGuard } from './auth/body.guard';
import { ResourceAccess } from './auth/resource-access';
import { Artifacts } from './bus/artifacts';
import { Commands } from './bus/commands';
import { FailureLog } from './bus/failure-log';
import { ReadYourWrites } from './bus/read-your-writes';
import { type GatewayConfig, GATEWAY_CONFIG } from './config';
import { RequestPipe } from './http/request.pipes';
import { V2ExceptionFilter } from './http/v2-exception.filter';
import { ClusterViews } from './views/cluster-views';
import { HostViews } from './views/host-views';
import { ImageUrls } from './views/image-urls';
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
    // With AUTH_TYPE=none the guard admits every request before it asks an authenticator.
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

const SHARED = [
  Readiness,
  LastSeen,
  TokenScopes,
  Ownership,
  ResourceAccess,
  RequestRates,
  ReadYourWrites,
  Commands,
  FailureLog,
  Artifacts,
  ReportedBodies,
  HostViews,
  ClusterViews,
  InfraEnvViews,
  ImageUrls,
];

/** What every feature module uses: identity, the way to the services, and the views of the read models. */
@Global()
@Module({})
export class CoreModule {
  /** `outside` provides what exists before the application: platform, configuration, keys, routes. */
  static with(outside: readonly Provider[]): DynamicModule {
    return {
      module: CoreModule,
      providers: [
        ...outside,
        ...SHARED,
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_PIPE, useClass: RequestPipe },
        { provide: APP_FILTER, useClass: V2ExceptionFilter },
        {
          provide: AUTHENTICATOR,
          inject: [SECRETS, CLOCK, GATEWAY_CONFIG, LocalTokens, TokenScopes],
          useFactory: authenticatorFor,
        },
      ],
      exports: [DocumentWorkers, ...outside, ...SHARED],
    };
  }
}
