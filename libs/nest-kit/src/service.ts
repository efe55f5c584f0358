import { type DynamicModule, type INestMicroservice, type LoggerService, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceName } from '@muster/contracts';
import { PassOnFilter } from './pass-on.filter';
import type { Platform } from './platform';
import { RequestsServer } from './requests-server';

/** A service that was started and can be stopped. */
export interface RunningService {
  readonly name: string;
  /** Where its doors are, for the start-up message: e.g. `http://0.0.0.0:8090`. */
  readonly doors: readonly string[];
  close(): Promise<void>;
}

/** Every service's `main.ts` exports one of these. */
export type StartService = (platform: Platform, logger: LoggerService) => Promise<RunningService>;

/** Boots a service's module as a Nest microservice over the platform's bus. */
export async function startMicroservice(
  name: ServiceName,
  module: Type | DynamicModule,
  platform: Platform,
  logger: LoggerService,
): Promise<RunningService & { readonly app: INestMicroservice }> {
  const app = await NestFactory.createMicroservice(module as Type, {
    strategy: new RequestsServer(name, platform),
    logger,
    abortOnError: false,
  });
  app.useGlobalFilters(new PassOnFilter());
  await app.listen();
  return { name, doors: [], app, close: () => app.close() };
}
