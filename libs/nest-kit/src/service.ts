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
/** A start that replays many events takes minutes, in which the service does not answer. */
const REPORT_INTERVAL_MS = 30_000;

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
  await whenReady(readinessOf(app), ({ part, reason }) =>
    logger.warn(`The start of ${name} waits for ${part}: ${reason}.`),
  );
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

/** Resolves when all parts are ready. Calls `report` with the first of the others, every 30 s. */
export async function whenReady(
  readiness: Pick<Readiness, 'notReady'>,
  report: (waitsFor: { readonly part: string; readonly reason: string }) => void,
): Promise<void> {
  let reportedMs = performance.now();
  for (let [first] = readiness.notReady(); first; [first] = readiness.notReady()) {
    if (performance.now() - reportedMs >= REPORT_INTERVAL_MS) {
      report(first);
      reportedMs = performance.now();
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
