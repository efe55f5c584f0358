import type { EventStore, JsonObject, RecordedEvent } from '@muster/ports';

/** Brings stored data of an older shape to today's; one per event type, applied on every read. */
export type Upcasters = { readonly [eventType: string]: (data: JsonObject) => JsonObject };

/** The store as today's code sees it: old facts in today's shape. What is stored never changes. */
export function upcastingEventStore(store: EventStore, upcasters: Upcasters): EventStore {
  if (Object.keys(upcasters).length === 0) return store;
  const upcast = (page: readonly RecordedEvent[]): readonly RecordedEvent[] =>
    page.map((event) => {
      const upcaster = upcasters[event.type];
      return upcaster ? { ...event, data: upcaster(event.data) } : event;
    });
  async function* pages(source: AsyncIterable<readonly RecordedEvent[]>): AsyncIterable<readonly RecordedEvent[]> {
    for await (const page of source) yield upcast(page);
  }
  return {
    append: (streamId, expected, events) => store.append(streamId, expected, events),
    readStream: (streamId, afterRevision) => pages(store.readStream(streamId, afterRevision)),
    readAll: (afterPosition) => pages(store.readAll(afterPosition)),
    subscribe: (afterPosition, onPage, onError) =>
      store.subscribe(afterPosition, (page) => onPage(upcast(page)), onError),
    head: () => store.head(),
    close: () => store.close(),
  };
}
