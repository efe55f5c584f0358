import 'reflect-metadata';
import { VersionCatalogue } from '@muster/assisted-api';
import {
  CLOCK,
  EVENT_STORE,
  IDS,
  LOGS,
  OBJECT_STORE,
  type Platform,
  platformProviders,
  PROBES,
  READ_MODELS,
  RequestMetrics,
  REQUESTS,
  type RunningService,
  SECRETS,
  type StartService,
} from '@muster/nest-kit';
import { urlHost } from '@muster/schema';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { apiDocumentOf, DOCUMENT_PAGE, serveDocument } from './api-document/api-document';
import { GatewayModule } from './app.module';
import { createLocalTokens, LocalTokens } from './auth/local.authenticator';
import { ReadYourWrites } from './bus/read-your-writes';
import { GATEWAY_CONFIG, readGatewayConfig, weakSettings } from './config';
import { acceptFromManySockets } from './http/accepting-sockets';
import { protectFromBrowsers } from './http/browsers';
import { createFastifyServer, limitConnections } from './http/fastify-server';
import { RouteTable, setPaths } from './http/routes';
import { GatewayReadModels } from './views/documents';

/** Providers that exist before the module. Building the API document does not use them. */
const PORTS = [EVENT_STORE, READ_MODELS, GatewayReadModels, OBJECT_STORE, LOGS, SECRETS, REQUESTS, CLOCK, IDS, PROBES];
const FROM_OUTSIDE = [...PORTS, GATEWAY_CONFIG, LocalTokens, RouteTable, VersionCatalogue];

/** Returns the API document of a running gateway without starting one: no provider or handler is created. */
export async function createApiDocument(): Promise<OpenAPIObject> {
  const providers = FROM_OUTSIDE.map((provide) => ({ provide, useValue: null }));
  const app = await NestFactory.create(GatewayModule.with(providers), new FastifyAdapter(), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  setPaths(app);
  return apiDocumentOf(app);
}

/**
 * Opens the endpoints: REST, and the bus subjects of agents.
 * @throws SettingError when a setting is not valid
 */
export const startGateway: StartService = async (platform, logger) => (await openGateway(platform, logger)).service;

/** Starts the gateway and returns its application. */
export async function openGateway(
  platform: Platform,
  logger: LoggerService,
): Promise<{ readonly service: RunningService; readonly routes: RouteTable }> {
  const config = readGatewayConfig(platform.environment);
  const tokens = createLocalTokens(config, platform.secrets);
  for (const weakness of weakSettings(config)) logger.warn(weakness, 'gateway');
  const routes = new RouteTable();
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with([
      ...platformProviders(platform),
      { provide: GatewayReadModels, useValue: new GatewayReadModels(platform.readModels) },
      { provide: READ_MODELS, useExisting: GatewayReadModels },
      { provide: GATEWAY_CONFIG, useValue: config },
      { provide: LocalTokens, useValue: tokens },
      { provide: RouteTable, useValue: routes },
      { provide: VersionCatalogue, useValue: new VersionCatalogue(config.releaseImages, config.osImages) },
    ]),
    createFastifyServer(routes, undefined, config.tls),
    { logger, abortOnError: false, bodyParser: false },
  );
  setPaths(app);
  protectFromBrowsers(app, config, DOCUMENT_PAGE);
  limitConnections(app.getHttpServer(), config.connectionsPerAddressMax);
  app.get(RequestMetrics).countRequests(app.getHttpAdapter().getInstance());
  serveDocument(app);
  const readYourWrites = app.get(ReadYourWrites);
  const reachedPosition = { getter: () => readYourWrites.storePosition };
  app.getHttpAdapter().getInstance().decorateRequest('reachedPosition', reachedPosition);
  try {
    acceptFromManySockets(app.getHttpAdapter().getInstance(), (text) => logger.warn(text, 'gateway'));
    await app.listen(config.port, config.host);
  } catch (error) {
    // When the port is in use, the agents' endpoint must be closed again.
    await app.close();
    throw error;
  }
  return {
    service: { name: 'gateway', endpoints: [endpointOf(app, config.tls ? 'https' : 'http')], close: () => app.close() },
    routes,
  };
}

/** Returns the URL with the port that the system assigned. */
function endpointOf(app: NestFastifyApplication, scheme: 'http' | 'https'): string {
  const address = app.getHttpServer().address();
  if (address === null || typeof address === 'string') return `${scheme}://${address ?? 'localhost'}`;
  return `${scheme}://${urlHost(address.address)}:${address.port}`;
}
