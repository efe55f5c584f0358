import type { RecordedEvent, StreamId } from '@muster/ports';
import type Database from 'libsql';
import { decodeEvent } from './event-row';

export const PAGE_EVENTS = 512;
/** Decoded pages that are kept: feeds that walk one behind the other then share the work of decoding. */
const KEPT_PAGES = 16;

interface Page {
  /** Everything up to this position is in `events`, as far as the page reaches. */
  readonly through: number;
  readonly events: readonly RecordedEvent[];
}

/**
 * The whole store as pages that end at fixed positions: page n holds the positions after n × 512 up to (n + 1) × 512.
 * Events never change, so a page that was read is only ever added to at its end. The events are shared between
 * readers, so callers must not change them.
 */
export class EventPages {
  /** In the order of use, the least recently used first. */
  private readonly kept = new Map<number, Page>();
  private readonly selectHead;
  private readonly selectEvents;

  constructor(database: Database.Database) {
    this.selectHead = database.prepare('SELECT coalesce(max(position), -1) FROM events').raw();
    this.selectEvents = database
      .prepare(
        `SELECT position, name, revision, body FROM events JOIN streams ON streams.id = stream
         WHERE position > ? AND position <= ? ORDER BY position`,
      )
      .raw();
  }

  head(): number {
    return (this.selectHead.get() as [number])[0];
  }

  /** The events after the position, at most to the end of a page; empty at the head. */
  after(position: number): readonly RecordedEvent[] {
    const head = this.head();
    const start = Math.max(position, 0);
    for (let number = Math.floor(start / PAGE_EVENTS); number * PAGE_EVENTS < head; number += 1) {
      const { events } = this.page(number, head);
      const first = events.findIndex((event) => event.position > position);
      if (first === 0) return events;
      if (first > 0) return events.slice(first);
    }
    return [];
  }

  private page(number: number, head: number): Page {
    const begin = number * PAGE_EVENTS;
    const end = begin + PAGE_EVENTS;
    const known = this.kept.get(number) ?? { through: begin, events: [] };
    const page = known.through >= Math.min(head, end) ? known : this.readOn(known, end);
    this.kept.delete(number);
    this.kept.set(number, page);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT_PAGES) break;
      this.kept.delete(oldest);
    }
    return page;
  }

  private readOn(known: Page, end: number): Page {
    const rows = this.selectEvents.all(known.through, end) as [number, StreamId, number, string][];
    const added = rows.map(([position, name, revision, body]) => decodeEvent(name, revision, position, body));
    return { through: added.at(-1)?.position ?? known.through, events: known.events.concat(added) };
  }
}
