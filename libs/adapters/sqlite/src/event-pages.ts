import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  COMPACTED_EVENT,
  type EventMetadata,
  type EventToAppend,
  isoTime,
  type JsonObject,
  jsonTextOf,
  type RecordedEvent,
  START_OF_STORE,
  type StreamId,
} from '@muster/ports';
import type Database from 'libsql';
import { explained } from './database';

/**
 * The form of an event in its row: one JSON list without field names, about a fifth smaller than an object. The indexes
 * are part of the file format: a change needs a new SCHEMA_VERSION, except a new optional member at the end.
 */
type Body = [id: string, type: string, recordedAtMs: number, data: JsonObject, ...metadata: (string | null)[]];

const METADATA_SLOT: { readonly [Field in keyof Required<EventMetadata>]: number } = {
  commandId: 4,
  correlationId: 5,
  actor: 6,
  occurredAt: 7,
  causationId: 8,
  requestId: 9,
  org: 10,
  user: 11,
  sourceAddress: 12,
  originalDigest: 13,
};
const METADATA_FIELDS = Object.entries(METADATA_SLOT) as [keyof EventMetadata, number][];

/** An event as it is stored. */
export interface EncodedEvent {
  readonly text: string;
  readonly body: Body;
}

/** Ids and types contain no character that JSON escapes. */
const PLAIN = /^[\w.-]*$/;
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

export const encodeBody = (event: EventToAppend, recordedAtMs: number): EncodedEvent => {
  const { id, type, data } = event;
  const body: Body = [id, type, recordedAtMs, data];
  for (const [field, slot] of METADATA_FIELDS) body[slot] = event.metadata[field] ?? null;
  while (body.at(-1) === null) body.pop();
  const metadata = JSON.stringify(body.slice(METADATA_SLOT.commandId));
  return { body, text: `[${quoted(id)},${quoted(type)},${recordedAtMs},${jsonTextOf(data)},${metadata.slice(1)}` };
};

/** Thrown for a row of the event store that contains no valid event. Other rows can still be read. */
export class DamagedEvent extends Error {
  constructor(file: string, position: number, reason: string) {
    super(
      `The event store ${file} is damaged: table events, position ${position}: ${reason}. List all damaged rows with "store verify", and restore a backup.`,
    );
    this.name = 'DamagedEvent';
  }
}

/**
 * A stored text as the driver returns it. The text conversion of the driver ends the process for bytes that are not
 * UTF-8.
 */
export type StoredText = Uint8Array | null;
export type EventRow = [position: number, stream: StoredText, revision: number, body: StoredText];

/**
 * Decodes a stored text.
 * @throws Error when the bytes are not UTF-8
 */
export const decodeText = (bytes: StoredText): string => {
  if (!(bytes instanceof Uint8Array)) throw new Error('a text is missing');
  if (!isUtf8(bytes)) throw new Error('a text is not UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
};

/** Returns the text of an event that keeps only this data; without data only its id, its former type and its times. */
export const compactedText = (text: string, data: JsonObject | undefined): string => {
  const body = JSON.parse(text) as Body;
  const [id, type, recordedAtMs] = body;
  const before = body[METADATA_SLOT.originalDigest];
  const originalDigest = before ?? `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const metadata = data
    ? decodeMetadata(body)
    : { commandId: '', correlationId: '', actor: '', occurredAt: String(body[METADATA_SLOT.occurredAt]) };
  const event = { id, type: data ? type : COMPACTED_EVENT, data: data ?? { type } };
  return encodeBody({ ...event, metadata: { ...metadata, originalDigest } } as EventToAppend, recordedAtMs).text;
};

/**
 * Decodes a row.
 * @throws DamagedEvent when the row contains no valid event
 */
export const decodeRow = (
  file: string,
  name: StreamId | StoredText,
  revision: number,
  position: number,
  body: StoredText,
): RecordedEvent => {
  try {
    const streamId = typeof name === 'string' ? name : (decodeText(name) as StreamId);
    return decodeEvent(streamId, revision, position, decodeText(body));
  } catch (error) {
    throw new DamagedEvent(file, position, error instanceof Error ? error.message : String(error));
  }
};

/**
 * Decodes the text of an event.
 * @throws Error when the text is not an event
 */
export const decodeEvent = (streamId: StreamId, revision: number, position: number, text: string): RecordedEvent => {
  const body = JSON.parse(text) as Body;
  if (!Array.isArray(body) || typeof body[0] !== 'string' || typeof body[1] !== 'string' || !isObject(body[3]))
    throw new Error('the text is not an event');
  return toEvent(streamId, revision, position, body);
};

/** The event with this stored form. */
export const toEvent = (streamId: StreamId, revision: number, position: number, body: Body): RecordedEvent => ({
  id: body[0],
  type: body[1],
  data: body[3],
  metadata: decodeMetadata(body),
  streamId,
  revision,
  position,
  recordedAt: isoTime(body[2]),
});

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Written without a loop over the members, because a replay spends most of its time here. */
const decodeMetadata = (body: Body): EventMetadata => {
  const metadata: { -readonly [Field in keyof EventMetadata]: EventMetadata[Field] } = {
    commandId: body[4] as string,
    correlationId: body[5] as string,
    actor: body[6] as string,
    occurredAt: body[7] as string,
  };
  // An absent member stays absent. A property that is undefined would not equal the appended event.
  if (typeof body[8] === 'string') metadata.causationId = body[8];
  if (typeof body[9] === 'string') metadata.requestId = body[9];
  if (typeof body[10] === 'string') metadata.org = body[10];
  if (typeof body[11] === 'string') metadata.user = body[11];
  if (typeof body[12] === 'string') metadata.sourceAddress = body[12];
  if (typeof body[13] === 'string') metadata.originalDigest = body[13];
  return metadata;
};

export const PAGE_EVENTS = 512;
/** Events of one query, and the length of texts after which no further query follows in the same turn of the event loop. */
export const QUERY_EVENTS = 32;
export const TURN_CHARACTERS = 1_024 * 1_024;
/** Number of decoded pages that are kept, so that feeds at close positions decode a page once. */
const KEPT_PAGES = 4;
/**
 * Maximum length of the texts of the kept pages together, and of a page that is read or added to in parts. Hosts of a large cluster
 * report 200 KiB each, of which a page would be hundreds of MiB of parsed events.
 */
const KEPT_CHARACTERS = 8 * 1_024 * 1_024;

interface Page {
  /** `events` contains everything after the first position up to the second one: the whole page or a part of it. */
  readonly after: number;
  readonly through: number;
  readonly events: readonly RecordedEvent[];
  /** Length of the texts of the events. */
  readonly characters: number;
}

function longerPage(known: Page, through: number, added: readonly RecordedEvent[], characters: number): Page {
  const sum = known.characters + characters;
  if (sum > KEPT_CHARACTERS) return { after: known.through, through, events: added, characters };
  return { after: known.after, through, events: known.events.concat(added), characters: sum };
}

const emptyPage = (after: number): Page => ({ after, through: after, events: [], characters: 0 });

/**
 * The whole store as pages with fixed limits: page n contains the positions after n × 512 up to (n + 1) × 512. Events
 * never change, so a cached page only grows at its end. Readers share the events, so callers must not change them.
 */
export class EventPages {
  /** In the order of use, the least recently used first. */
  private readonly pages = new Map<number, Page>();
  private readonly selectHead;
  private readonly selectEvents;

  constructor(
    database: Database.Database,
    private readonly file: string,
  ) {
    this.selectHead = database.prepare('SELECT coalesce(max(position), -1) FROM events').raw();
    this.selectEvents = database
      .prepare(
        `SELECT position, CAST(name AS BLOB), revision, CAST(body AS BLOB) FROM events JOIN streams ON streams.id = stream
         WHERE position > ? AND position <= ? ORDER BY position LIMIT ${QUERY_EVENTS}`,
      )
      .raw();
  }

  head(): number {
    return explained(this.file, () => this.selectHead.get() as [number])[0];
  }

  /** As `after`, from memory. Undefined when the store has to be read. */
  kept(position: number): readonly RecordedEvent[] | undefined {
    const number = Math.floor(Math.max(position, 0) / PAGE_EVENTS);
    const page = this.pages.get(number);
    if (!page || page.after > position || page.through <= position) return undefined;
    this.keep(number, page);
    const first = page.events.findIndex((event) => event.position > position);
    return first > 0 ? page.events.slice(first) : page.events;
  }

  /** Returns events after the position, at most to the end of a page and fewer when they are long. Empty at the end of the store. */
  after(position: number): readonly RecordedEvent[] {
    const head = this.head();
    const start = Math.max(position, 0);
    for (let number = Math.floor(start / PAGE_EVENTS); number * PAGE_EVENTS < head; number += 1) {
      const { events } = this.page(number, position, head);
      const first = events.findIndex((event) => event.position > position);
      if (first >= 0) return first > 0 ? events.slice(first) : events;
    }
    return [];
  }

  /**
   * Takes events that were just stored, in order of position, so that they are not read and parsed again. Events that do not continue a
   * known page are read when they are needed. `characters`: length of their texts.
   */
  add(events: readonly RecordedEvent[], characters: number): void {
    for (let index = 0; index < events.length;) {
      const number = Math.floor(((events[index]?.position ?? 0) - 1) / PAGE_EVENTS);
      const end = (number + 1) * PAGE_EVENTS;
      const known = this.pages.get(number) ?? emptyPage((events[index]?.position ?? 0) - 1);
      const added: RecordedEvent[] = [];
      let { through } = known;
      for (; index < events.length; index += 1) {
        const event = events[index];
        if (!event || event.position > end) break;
        if (event.position !== through + 1) continue;
        added.push(event);
        through = event.position;
      }
      const share = Math.ceil((characters * added.length) / events.length);
      if (added.length > 0) this.keep(number, longerPage(known, through, added, share));
    }
  }

  /** The page, read to an event after the position, or to its end when it contains none. Events before the position are not read. */
  private page(number: number, position: number, head: number): Page {
    const begin = number * PAGE_EVENTS;
    const end = Math.min(head, begin + PAGE_EVENTS);
    const from = Math.max(begin, position);
    const known = this.pages.get(number);
    let page = known && known.after <= from && from <= known.through ? known : emptyPage(from);
    while (page.through < end && (page.events.at(-1)?.position ?? START_OF_STORE) <= position) {
      const longer = this.readOn(page, end);
      if (longer === page) break;
      page = longer;
    }
    this.keep(number, page);
    return page;
  }

  private keep(number: number, page: Page): void {
    this.pages.delete(number);
    this.pages.set(number, page);
    let characters = [...this.pages.values()].reduce((sum, one) => sum + one.characters, 0);
    for (const [oldest, { characters: removed }] of this.pages) {
      if (this.pages.size <= KEPT_PAGES && (characters <= KEPT_CHARACTERS || this.pages.size === 1)) break;
      this.pages.delete(oldest);
      characters -= removed;
    }
  }

  private readOn(known: Page, end: number): Page {
    const added: RecordedEvent[] = [];
    let [through, read] = [known.through, 0];
    while (through < end && read < TURN_CHARACTERS) {
      const rows = explained(this.file, () => this.selectEvents.all(through, end) as EventRow[]);
      for (const [position, name, revision, body] of rows) {
        added.push(decodeRow(this.file, name, revision, position, body));
        read += body?.byteLength ?? 0;
        through = position;
      }
      if (rows.length < QUERY_EVENTS) break;
    }
    return added.length === 0 ? known : longerPage(known, through, added, read);
  }
}
