import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { SettingsReader, type StartService } from '@muster/nest-kit';
import { startImage } from '@muster/service-image';
import type { LoggerService } from '@nestjs/common';
import 'reflect-metadata';
import { openPlatform } from './profile';
import {
  CLOSE,
  type LogLevel,
  parkOnRequest,
  type ServiceThreadData,
  type ServiceThreadMessage,
  type ServiceThreadOrder,
} from './service-thread';
import { describeFailure } from './start-error';
import type { ThreadedService } from './threads';

const port = parentPort;
if (!port) throw new Error('This file runs in a worker thread.');
// eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the main thread starts this file with an order
const { parked, ...order } = workerData as ServiceThreadData;
parkOnRequest(port, parked);
const send = (message: ServiceThreadMessage): void => port.postMessage(message);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : inspect(value));
const entry =
  (level: LogLevel) =>
  (message: unknown, ...rest: readonly unknown[]): void =>
    send({
      kind: 'entry',
      level,
      // An entry without a stack has undefined in its place.
      texts: [textOf(message), ...rest.map((value) => (value === undefined ? undefined : textOf(value)))],
    });
/** The main thread has the log. It filters the levels and formats the entries. */
const logger: LoggerService = {
  log: entry('log'),
  error: entry('error'),
  warn: entry('warn'),
  debug: entry('debug'),
};

/** Only these: modules are not shared between threads, so each one that is loaded costs memory again. */
const START: Record<ThreadedService, StartService> = { image: startImage };

async function start({ name, platform: options }: ServiceThreadOrder): Promise<void> {
  const platform = await openPlatform({
    ...options,
    // It writes to SQLite files seldom, so it needs no further threads for that.
    environment: { ...options.environment, MUSTER_CORES: '1' },
    name,
    warn: (text) => logger.warn(text, name),
    isPrimary: false,
  });
  const service = await START[name](platform, logger);
  port?.on('message', (message) => {
    if (message !== CLOSE) return;
    platform.giveUp();
    void service
      .close()
      .then(() => platform.close())
      .catch((error: unknown) => logger.error(inspect(error), name))
      .then(() => send({ kind: 'closed' }));
  });
  send({ kind: 'started', endpoints: service.endpoints });
}

start(order).catch((error: unknown) =>
  send({ kind: 'failed', ...describeFailure(error, new SettingsReader(order.platform.environment)) }),
);
