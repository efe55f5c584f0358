import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { VersionCatalogue } from '@muster/assisted-api';
import { CLOCK, EVENT_STORE, IDS, OBJECT_STORE, PROBES, READ_MODELS, REQUESTS, SECRETS } from '@muster/nest-kit';
import { GatewayModule } from './app.module';
import { LocalTokens } from './auth/local-tokens';
import { GATEWAY_CONFIG } from './config';
import { setPaths } from './http/paths';
import { RouteTable } from './http/route-table';
import { apiDocumentOf } from './api-document/api-document';

/** Providers that exist before the module; the preview does not use them. */
const PORTS = [EVENT_STORE, READ_MODELS, OBJECT_STORE, SECRETS, REQUESTS, CLOCK, IDS, PROBES];
const FROM_OUTSIDE = [...PORTS, GATEWAY_CONFIG, LocalTokens, RouteTable, VersionCatalogue];

/** The document as a running gateway serves it, without one: no handler and no provider is made. */
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
