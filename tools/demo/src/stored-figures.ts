import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';

export interface StoredFigures {
  readonly events: number;
  readonly bytes: number;
  /** Bytes of event data and metadata, without the structure of the file. */
  readonly eventBytes: number;
  readonly byType: ReadonlyMap<string, number>;
}

/** Reads the figures of a store that no process has open. */
export async function storedFigures(dataDirectory: string): Promise<StoredFigures> {
  const file = join(dataDirectory, 'events.sqlite');
  const store = sqliteEventStore({ file });
  const byType = new Map<string, number>();
  let events = 0;
  let eventBytes = 0;
  try {
    for await (const page of store.readAll(-1)) {
      for (const event of page) {
        events += 1;
        eventBytes += Buffer.byteLength(JSON.stringify(event));
        byType.set(event.type, (byType.get(event.type) ?? 0) + 1);
      }
    }
  } finally {
    await store.close();
  }
  return { events, eventBytes, bytes: (await stat(file)).size, byType };
}
