import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { SettingsReader } from '@muster/nest-kit';
import { keysOf } from '@muster/schema';
import type { StartableService } from './services';

/** Cores that are used unless a setting says otherwise. */
const CORES_MAX = 4;

/** The number of cores that the process may use. */
export const coresOf = (settings: SettingsReader): number =>
  settings.get('MUSTER_CORES') ?? Math.min(availableParallelism(), CORES_MAX);

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

export const MARKING_FLAG = '--no-incremental-marking-task';

/**
 * Lets V8 mark live objects only as the program allocates. By default, tasks of V8 also mark, and they aim at the whole heap within 500 ms.
 * The 700 MB of 10,000 hosts take a second to mark, so four times as many turns of the event loop took more than 200 ms.
 *
 * A flag that a later V8 does not have is reported on stderr and has no effect.
 */
export const markWithAllocations = (): void => setFlagsFromString(MARKING_FLAG);
