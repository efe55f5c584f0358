import type { DescMessage } from '@bufbuild/protobuf';
import type { EventShape, EventToAppend, JsonObject, RecordedEvent } from '@muster/ports';
import { type EventOf, EVENTS_BY_CATEGORY, type MusterEvent, type StreamCategory } from './event-types';
import { toFinalForm, toJsonValue, toPlainForm } from './plain';

/**
 * Converts stored data of an older shape to the shape of this version. One function per event type is applied to every
 * read.
 */
export type Upcasters = { readonly [eventType: string]: (data: JsonObject) => JsonObject };

/**
 * The upcasters of this version. An upcaster must also accept data that already has the current shape, because one
 * stream may contain events of both shapes. Stored data never changes.
 */
export const UPCASTERS: Upcasters = {};

/** An event as the event store returns it and the bus delivers it, discriminated by `type`. */
export type RecordedMusterEvent = RecordedEvent<MusterEvent>;

const SCHEMAS: ReadonlyMap<string, DescMessage> = new Map(
  Object.values(EVENTS_BY_CATEGORY).flatMap((events) => Object.entries<DescMessage>(events)),
);

const CATEGORIES: ReadonlyMap<string, string> = new Map(
  Object.entries(EVENTS_BY_CATEGORY).flatMap(([category, events]) =>
    Object.keys(events).map((type): [string, string] => [type, category]),
  ),
);

/** The data of an event does not have the shape that proto/muster/v1 defines for its type. */
export class EventShapeError extends Error {
  constructor(type: string, cause: string) {
    super(`The data of event ${type} does not have its shape in proto/muster/v1: ${cause}`);
    this.name = 'EventShapeError';
  }
}

/**
 * Returns the stored form of an event's data: proto3 JSON with implicit fields written.
 * @throws EventShapeError when the data has another shape, which is a bug in the writer
 */
export function toStoredData(event: MusterEvent): JsonObject {
  return storedForm(event.type, event.data);
}

/** Returns true when the event belongs to a stream of the category. Returns false for an unknown event type. */
export function isEventOf<Category extends StreamCategory, Event extends MusterEvent>(
  category: Category,
  event: Event,
): event is Extract<Event, { readonly type: keyof (typeof EVENTS_BY_CATEGORY)[Category] }> {
  return CATEGORIES.get(event.type) === category;
}

/**
 * Returns an event of the category from a message that has its type and its data as JSON. The data must not be changed: it is not checked
 * again when the event is stored.
 * @throws EventShapeError when the category has no such type or the data does not have its shape
 */
export function parseEvent<Category extends StreamCategory>(
  category: Category,
  type: string,
  data: object,
): EventOf<Category> {
  const event = { type, data: storedForm(type, data, toFinalForm) };
  if (!eventCategory(category).has(event))
    throw new EventShapeError(type, `${category} streams have no event of this type`);
  return event;
}

/** Returns the category of streams for a command handler: its name and the type guard of its events. */
export function eventCategory<Category extends StreamCategory>(name: Category) {
  return {
    name,
    has: (event: EventShape): event is EventOf<Category> => CATEGORIES.get(event.type) === name,
  };
}

/** Converts events between the types of this version and the stored form. No other code casts stored data to a type. */
export interface MusterEventCodec {
  /**
   * Returns the event in its stored form.
   * @throws EventShapeError when the data does not have the shape of its type
   */
  encode<Event extends EventShape>(event: Event): Event;
  /** Returns a stored or published event of any version in the shape of this version. */
  decode(stored: RecordedEvent): RecordedMusterEvent;
  /** An event that `encode` returned, in the type of stores. */
  toStored(encoded: EventToAppend<MusterEvent>): EventToAppend;
}

export function createEventCodec(upcasters: Upcasters): MusterEventCodec {
  const upcast = (stored: RecordedEvent): RecordedEvent => {
    const upcaster = Object.hasOwn(upcasters, stored.type) ? upcasters[stored.type] : undefined;
    return upcaster ? { ...stored, data: upcaster(stored.data) } : stored;
  };
  const hasNone = Object.keys(upcasters).length === 0;
  return {
    encode: (event) => ({ ...event, data: storedForm(event.type, event.data) }),
    decode: (stored) => (hasNone ? stored : upcast(stored)) as unknown as RecordedMusterEvent,
    toStored: (encoded) => encoded as unknown as EventToAppend,
  };
}

export const MUSTER_CODEC = createEventCodec(UPCASTERS);

function storedForm(type: string, data: object, toForm: (schema: DescMessage, value: object) => object = toPlainForm) {
  const schema = SCHEMAS.get(type);
  if (!schema) throw new EventShapeError(type, 'no message of that name is listed in event-types.ts');
  try {
    return toJsonValue(toForm(schema, data));
  } catch (error) {
    throw new EventShapeError(type, error instanceof Error ? error.message : String(error));
  }
}
