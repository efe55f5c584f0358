import { type DynamicModule, type INestMicroservice, type LoggerService, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceName } from '@muster/contracts';
import { PassOnFilter } from './pass-on.filter';
import type { Platform } from './platform';
import { Readiness } from './readiness';
import { RequestsServer } from './requests-server';

/** A service that was started and can be stopped. */
export interface RunningService {
  readonly name: string;
  /** Where its endpoints are, for the start-up message: e.g. `http://0.0.0.0:8090`. */
  readonly endpoints: readonly string[];
  close(): Promise<void>;
}

/** Every service's `main.ts` exports one of these. */
export type StartService = (platform: Platform, logger: LoggerService) => Promise<RunningService>;

const LOOK_AGAIN_MS = 5;

/** Boots a service's module as a Nest microservice. It takes questions once it knows what happened before; callers wait that long. */
export async function startMicroservice(
  name: ServiceName,
  module: Type | DynamicModule,
  platform: Platform,
  logger: LoggerService,
): Promise<RunningService & { readonly app: INestMicroservice }> {
  const server = new RequestsServer(name, platform);
  const app = await NestFactory.createMicroservice(module as Type, { strategy: server, logger, abortOnError: false });
  app.useGlobalFilters(new PassOnFilter());
  server.waitFor(() => untilReady(readinessOf(app)));
  await app.listen();
  return { name, endpoints: [], app, close: () => app.close() };
}

/** A service without a past to read registers nothing, or has no such provider at all. */
function readinessOf(app: INestMicroservice): Readiness {
  try {
    return app.get(Readiness, { strict: false });
  } catch {
    return new Readiness();
  }
}

async function untilReady(readiness: Readiness): Promise<void> {
  while (readiness.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}
