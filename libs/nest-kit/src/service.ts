import type { ServiceName } from '@muster/contracts';
import type { DynamicModule, INestApplicationContext, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Readiness } from './http-endpoint';
import type { Platform } from './platform';
import { RequestsServer } from './requests-server';

/** A running service. */
export interface RunningService {
  readonly name: string;
  /** URLs of its endpoints for the start message, for example `http://0.0.0.0:8090`. */
  readonly endpoints: readonly string[];
  close(): Promise<void>;
}

/** The export of every service's `main.ts`. */
export type StartService = (platform: Platform, logger: LoggerService) => Promise<RunningService>;

const POLL_INTERVAL_MS = 5;

/**
 * Starts the module of a service without an HTTP server. It accepts requests after it has replayed the stored events.
 * Callers wait for it.
 */
export async function startMicroservice(
  name: ServiceName,
  module: Type | DynamicModule,
  platform: Platform,
  logger: LoggerService,
): Promise<RunningService & { readonly app: INestApplicationContext }> {
  const app = await NestFactory.createApplicationContext(module, { logger, abortOnError: false });
  await whenReady(readinessOf(app));
  const server = new RequestsServer(name, platform);
  server.listen(app);
  const close = async (): Promise<void> => {
    await server.close();
    await app.close();
  };
  return { name, endpoints: [], app, close };
}

/** A service that replays no events has no such provider or registers nothing. */
function readinessOf(app: INestApplicationContext): Readiness {
  try {
    return app.get(Readiness, { strict: false });
  } catch {
    return new Readiness();
  }
}

async function whenReady(readiness: Readiness): Promise<void> {
  while (readiness.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
}
