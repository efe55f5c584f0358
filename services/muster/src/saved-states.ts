import { join } from 'node:path';
import { type FileLock, lockFile, type SqliteWriter, sqliteStateStore } from '@muster/adapter-sqlite';
import { keptReadModels, SAVE_LIMITS, SavedStates } from '@muster/event-sourcing';
import type { SettingsReader } from '@muster/nest-kit';
import type { EventStore, ReadModels } from '@muster/ports';
import { READ_MODEL_FOLDS } from '@muster/service-events';
import { MARKS_FOLD } from './data-directory';

/** A large save must not delay appends, so it has a writer of its own. Processes of one service that share a data directory have a file each, which is found again as long as they are as many. */
export function openSavedStates(
  eventStore: EventStore,
  settings: SettingsReader,
  { dataDirectory, name, warn }: { dataDirectory: string; name: string; warn: (text: string) => void },
  writer: SqliteWriter,
): { readonly states: SavedStates; close(): Promise<void> } {
  let lock: FileLock | undefined;
  let file = '';
  for (let number = 1; !lock; number += 1) {
    file = join(dataDirectory, `state-${name}-${number}.sqlite`);
    lock = lockFile(`${file}.lock`, 'exclusive');
  }
  const store = sqliteStateStore({
    file,
    writer,
    onDiscarded: (reason) => warn(`The saved state is rebuilt from the events: ${reason}`),
  });
  const states = new SavedStates(store, eventStore, (error) => warn(`The state was not saved: ${error.message}`), {
    ...SAVE_LIMITS,
    intervalMs: settings.get('MUSTER_SAVE_INTERVAL_SECONDS') * 1_000,
  });
  const { release } = lock;
  const close = async (): Promise<void> => {
    await states.close();
    await writer.close();
    release();
  };
  return { states, close };
}

/** Returns the read models of MongoDB, or those that are kept in the saved states of this process. */
export async function openReadModels(settings: SettingsReader, states: SavedStates): Promise<ReadModels> {
  const url = settings.get('MONGODB_URL');
  if (!url) return keptReadModels(states, [...READ_MODEL_FOLDS, MARKS_FOLD]);
  const { mongodbReadModels } = await import('@muster/adapter-mongodb');
  return mongodbReadModels({ url });
}
