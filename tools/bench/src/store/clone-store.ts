import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import type { EventStore, RecordedEvent } from '@muster/ports';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Number of appends in one transaction. */
const BATCH_APPENDS = 256;

/**
 * Fills a store with copies of a recorded history with new ids, so that a large store has realistic content. Resolves
 * with the number of events, at least `events`.
 */
export async function cloneHistory(from: readonly RecordedEvent[], file: string, events: number): Promise<number> {
  const store = sqliteEventStore({ file });
  try {
    const history = new ClonedHistory(from);
    let stored = 0;
    for (let copy = 0; stored < events; copy += 1) {
      await appendAll(store, history.copy(copy));
      stored += from.length;
    }
    return stored;
  } finally {
    await store.close();
  }
}

/** The recorded history as text between ids, so that a copy needs only a join and a parse. */
class ClonedHistory {
  private readonly texts: readonly string[];
  private readonly ids: readonly string[];

  constructor(events: readonly RecordedEvent[]) {
    const text = JSON.stringify(events);
    this.texts = text.split(UUID);
    this.ids = text.match(UUID) ?? [];
  }

  copy(n: number): readonly RecordedEvent[] {
    // The first eight digits identify the copy, so that ids stay valid and differ between copies.
    const prefixes = new Map<string, string>();
    const idOf = (id: string): string => {
      const known = prefixes.get(id);
      if (known !== undefined) return known;
      const prefix = ((Number.parseInt(id.slice(0, 8), 16) + n * 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
      const own = prefix + id.slice(8);
      prefixes.set(id, own);
      return own;
    };
    let text = this.texts[0] ?? '';
    this.ids.forEach((id, index) => (text += idOf(id) + this.texts[index + 1]));
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the text of recorded events with other digits in their ids
    return JSON.parse(text) as RecordedEvent[];
  }
}

async function appendAll(store: EventStore, events: readonly RecordedEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += BATCH_APPENDS) {
    const appends = events
      .slice(start, start + BATCH_APPENDS)
      .map(({ streamId, revision, id, type, data, metadata }) =>
        store.append(streamId, revision - 1, [{ id, type, data, metadata }]),
      );
    for (const { kind } of await Promise.all(appends))
      if (kind === 'conflict') throw new Error('A copy of the recorded history has the ids of another.');
  }
}

/** Returns all events of a data directory that no process has open. */
export async function readHistory(dataDirectory: string): Promise<readonly RecordedEvent[]> {
  const store = sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') });
  const events: RecordedEvent[] = [];
  try {
    for await (const page of store.readAll(-1)) events.push(...page);
  } finally {
    await store.close();
  }
  return events;
}
