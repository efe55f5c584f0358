import { type MessagePort, Worker } from 'node:worker_threads';
import type { RunningService } from '@muster/nest-kit';
import { throwOutside } from '@muster/ports';
import type { LoggerService } from '@nestjs/common';
import type { PlatformOptions } from './profile';
import { type ExitReason, StartError } from './start-error';
import { THREAD_ENTRY, type ThreadedService } from './threads';

/** Less than that of the main thread, because the thread makes little garbage: bytes of files are not on the heap. */
const YOUNG_GENERATION_MIB = 24;

export type LogLevel = 'log' | 'error' | 'warn' | 'debug';

export interface ServiceThreadOrder {
  readonly name: ThreadedService;
  /** The options that can be sent. The thread has the name of its service, sends its warnings as log entries, and is not primary. */
  readonly platform: Omit<PlatformOptions, 'name' | 'warn' | 'isPrimary'>;
}

/** The data of a new thread. */
export interface ServiceThreadData extends ServiceThreadOrder {
  /** The thread sets it to 1 when it waits for the end of the process. */
  readonly parked: Int32Array;
}

/** The messages of the main thread. */
export const CLOSE = 'close';
const PARK = 'park';
/** How long the end of the process waits for the thread. */
const EXIT_WAIT_MS = 5_000;

/** Lets the main thread end the process between two turns of the event loop of this thread. Call it before anything is opened. */
export function parkOnRequest(port: MessagePort, parked: Int32Array): void {
  port.on('message', (message) => {
    if (message !== PARK) return;
    Atomics.store(parked, 0, 1);
    Atomics.notify(parked, 0);
    for (;;) Atomics.wait(parked, 0, 1);
  });
}

/** The messages of a thread to the main thread. */
export type ServiceThreadMessage =
  | { readonly kind: 'started'; readonly endpoints: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: ExitReason; readonly lines: readonly string[] }
  | { readonly kind: 'entry'; readonly level: LogLevel; readonly texts: readonly [string, ...(string | undefined)[]] }
  | { readonly kind: 'closed' };

export interface ServiceThreadOptions {
  /** @default the compiled entry */
  readonly entry?: string;
  /** @default that of the process */
  readonly execArgv?: readonly string[];
  /** Called when the thread ended although it was not closed. @default throws the error outside of any request */
  readonly onEnded?: (error: Error) => void;
}

/**
 * Starts a service in a thread of its own, with connections of its own to the store, the bus and the files, as in a process of its
 * own. Its log entries go to `logger`.
 * @throws StartError with the reason of the thread
 */
export async function startInThread(
  order: ServiceThreadOrder,
  logger: LoggerService,
  options: ServiceThreadOptions = {},
): Promise<RunningService> {
  const { entry = THREAD_ENTRY, execArgv, onEnded = throwOutside } = options;
  const parked = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(entry, {
    workerData: { ...order, parked } satisfies ServiceThreadData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    ...(execArgv && { execArgv: [...execArgv] }),
  });
  // The driver of the databases aborts the process when a thread ends while it opens one.
  const park = (): void => {
    worker.postMessage(PARK);
    Atomics.wait(parked, 0, 0, EXIT_WAIT_MS);
  };
  process.once('exit', park);
  const terminate = (): Promise<number> => {
    process.removeListener('exit', park);
    return worker.terminate();
  };
  const endpoints = await new Promise<readonly string[]>((resolve, reject) => {
    let isRunning = false;
    const ended = (reason: string, cause?: unknown): void => {
      process.removeListener('exit', park);
      const error = new Error(`The thread of the service ${order.name} ended: ${reason}`, { cause });
      if (isRunning) onEnded(error);
      else reject(error);
      isRunning = false;
    };
    worker.on('message', (message: ServiceThreadMessage) => {
      switch (message.kind) {
        case 'started':
          isRunning = true;
          return resolve(message.endpoints);
        case 'failed':
          void terminate();
          return reject(new StartError(message.reason, message.lines.join('\n')));
        case 'entry':
          return void logger[message.level]?.(...message.texts);
        case 'closed':
          isRunning = false;
          return;
        default:
          return message satisfies never;
      }
    });
    worker.on('error', (error) => ended(error.stack ?? String(error), error));
    worker.on('exit', (code) => ended(`exit code ${code}`));
  });
  return {
    name: order.name,
    endpoints,
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        worker.on('message', (message: ServiceThreadMessage) => message.kind === 'closed' && resolve());
        worker.once('exit', () => resolve());
      });
      worker.postMessage(CLOSE);
      await closed;
      await terminate();
    },
  };
}
