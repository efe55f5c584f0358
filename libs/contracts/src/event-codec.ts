import type { DescMessage, JsonObject } from '@bufbuild/protobuf';
import { EVENTS_BY_CATEGORY, type MusterEvent } from './event-types';
import { toPlainForm } from './plain-form';

const SCHEMAS: ReadonlyMap<string, DescMessage> = new Map(
  Object.values(EVENTS_BY_CATEGORY).flatMap((events) => Object.entries<DescMessage>(events)),
);

/** An event's data does not have the shape that proto/muster/v1 gives it. */
export class EventShapeError extends Error {
  constructor(type: string, cause: string) {
    super(`The data of event ${type} does not have its shape in proto/muster/v1: ${cause}`);
    this.name = 'EventShapeError';
  }
}

/** The stored form (proto3 JSON, implicit fields written) of an event's data. Throws EventShapeError: a bug in the writer. */
export function toStoredData(event: MusterEvent): JsonObject {
  const schema = SCHEMAS.get(event.type);
  if (!schema) throw new EventShapeError(event.type, 'no message of that name is listed in event-types.ts');
  try {
    return toPlainForm(schema, event.data) as unknown as JsonObject;
  } catch (error) {
    throw new EventShapeError(event.type, error instanceof Error ? error.message : String(error));
  }
}

/** True when the name is an event of this version; events of a newer one are skipped by readers that do not know them. */
export function isKnownEventType(type: string): type is MusterEvent['type'] {
  return SCHEMAS.has(type);
}
