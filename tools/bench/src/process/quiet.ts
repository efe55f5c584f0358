import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { coreShares } from './cpu-time';

const LOOK_AGAIN_MS = 500;
/** So many looks without a new event are called quiet. */
const QUIET_LOOKS = 6;
const TIMEOUT_MS = 300_000;
/** Work that stores nothing (boot documents are made ahead) is over when a process needs less of a core than this. */
const IDLE_SHARE_MAX = 0.02;
const IDLE_SAMPLE_MS = 2_000;

/** Events stored so far, read beside the process that has the store open. */
export async function eventsStored(dataDirectory: string): Promise<number> {
  const store = sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') });
  try {
    return await store.head();
  } finally {
    await store.close();
  }
}

/** Resolves when nothing has been stored for a while; the number of events then. */
export async function untilQuiet(dataDirectory: string): Promise<number> {
  let before = -1;
  let quiet = 0;
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt;) {
    const now = await eventsStored(dataDirectory);
    quiet = now === before ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`The store still grows after ${TIMEOUT_MS / 1_000} s.`);
}

/** Resolves when nothing has been stored for a while and the process has nothing left to do. */
export async function untilIdle(muster: { readonly dataDirectory: string; readonly pid: number }): Promise<void> {
  await untilQuiet(muster.dataDirectory);
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt;) {
    const [share = 0] = await coreShares([muster.pid], IDLE_SAMPLE_MS);
    if (share <= IDLE_SHARE_MAX) return;
  }
  throw new Error(`Muster is still busy after ${TIMEOUT_MS / 1_000} s without a call.`);
}
