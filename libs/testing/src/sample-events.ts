import { randomUUID } from 'node:crypto';
import type { EventToAppend, JsonObject, RecordedEvent, StreamId } from '@muster/ports';

/** A well-formed event with fresh ids. */
export const eventToAppend = (data: JsonObject = {}, type = 'SampleHappened'): EventToAppend => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    commandId: randomUUID(),
    correlationId: randomUUID(),
    actor: 'service:testing',
    occurredAt: '2024-01-01T00:00:00.000Z',
  },
});

/** `count` events whose data is `{ n: 0 … count - 1 }`. */
export const numberedEvents = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, n) => eventToAppend({ n }));

/** A stream that no other test has touched. */
export const freshStream = (category = 'sample'): StreamId => `${category}-${randomUUID()}`;

/** All events of an answer that comes in pages. */
export const collectPages = async <Event = RecordedEvent>(pages: AsyncIterable<readonly Event[]>): Promise<Event[]> => {
  const events: Event[] = [];
  for await (const page of pages) events.push(...page);
  return events;
};
