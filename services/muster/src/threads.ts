import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keysOf } from '@muster/schema';
import type { StartableService } from './services';

/**
 * Services of the embedded profile that run in threads of their own, with the number of cores from which they do. All others share
 * the main thread, because they share its read models and its reader of the store. The image service needs neither, and its downloads
 * must not wait for the others.
 */
const CORES_OF_THREADS = { image: 2 } as const satisfies Partial<Record<StartableService, number>>;

export type ThreadedService = keyof typeof CORES_OF_THREADS;

export const THREAD_ENTRY = join(__dirname, 'service-thread.entry.js');

/** Returns the services that run in threads. None in sources under a test transformer, which have no compiled entry. */
export const threadedServices = (cores: number): readonly ThreadedService[] =>
  existsSync(THREAD_ENTRY) ? keysOf(CORES_OF_THREADS).filter((name) => cores >= CORES_OF_THREADS[name]) : [];
