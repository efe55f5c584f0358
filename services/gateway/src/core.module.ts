import { CLOCK, DocumentWorkers, Readiness, SECRETS } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuthGuard, BodyGuard, ResourceAccess } from './auth/auth.guard';
import { AUTHENTICATOR, type Authenticator } from './auth/caller';
import { DownloadUrls } from './auth/download-urls';
import { LastSeen } from './auth/last-seen';
import { LocalAuthenticator, LocalTokens, SiteAuthenticator } from './auth/local.authenticator';
import { OidcAuthenticator } from './auth/oidc.authenticator';
import { Ownership, TokenScopes } from './auth/ownership';
import { RequestRates } from './auth/request-rates';
import { Artifacts, Commands } from './bus/commands';
import { ReadYourWrites } from './bus/read-your-writes';
import { GATEWAY_CONFIG, type GatewayConfig } from './config';
import { RequestPipe } from './http/request.pipes';
import { ErrorFilter } from './http/error.filter';
import { ClusterViews } from './views/cluster-views';
import { SealedTexts } from './views/documents';
import { ReportedBodies } from './views/host-texts';
import { HostViews } from './views/host-views';
import { ImageUrls, InfraEnvViews } from './views/infra-env-views';
import { RenderTurns } from './views/render-turns';

function authenticatorFor(
  secrets: Secrets,
  clock: Clock,
  config: GatewayConfig,
  tokens: LocalTokens,
  scopes: TokenScopes,
): Authenticator {
  switch (config.authType) {
    // With AUTH_TYPE=none the guard admits every request without using the authenticator.
    case 'none':
    case 'local':
      return new LocalAuthenticator(tokens, scopes);
    case 'agent-installer-local':
      return new SiteAuthenticator(config.publicKey);
    case 'oidc':
      return new OidcAuthenticator(config.oidc, { secrets, clock }, scopes);
    default:
      return config.authType satisfies never;
  }
}

const SHARED = [
  Readiness,
  LastSeen,
  DownloadUrls,
  TokenScopes,
  Ownership,
  ResourceAccess,
  RequestRates,
  ReadYourWrites,
  Commands,
  Artifacts,
  ReportedBodies,
  SealedTexts,
  HostViews,
  ClusterViews,
  InfraEnvViews,
  ImageUrls,
];

/** Providers that every feature module uses: authentication, commands, and views of the read models. */
@Global()
@Module({})
export class CoreModule {
  /** `outside`: providers of values that exist before the application (platform, configuration, keys, routes). */
  static with(outside: readonly Provider[]): DynamicModule {
    return {
      module: CoreModule,
      providers: [
        ...outside,
        ...SHARED,
        { provide: RenderTurns, useFactory: () => new RenderTurns() },
        { provide: DocumentWorkers, useFactory: () => DocumentWorkers.create() },
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_PIPE, useClass: RequestPipe },
        { provide: APP_FILTER, useClass: ErrorFilter },
        {
          provide: AUTHENTICATOR,
          inject: [SECRETS, CLOCK, GATEWAY_CONFIG, LocalTokens, TokenScopes],
          useFactory: authenticatorFor,
        },
      ],
      exports: [DocumentWorkers, ...outside, ...SHARED, RenderTurns],
    };
  }
}
