import type { EventStore } from '@muster/ports';
import { appendingContract } from './event-store-appending.contract';
import { readingContract } from './event-store-reading.contract';
import { subscribingContract } from './event-store-subscribing.contract';

/**
 * Opens a store for one test. The store may hold events of others already. `reopen` closes it and opens another over the
 * same data: left out where nothing outlives the store.
 */
export type OpenEventStore = () => Promise<{
  readonly store: EventStore;
  close(): Promise<void>;
  reopen?(): Promise<EventStore>;
}>;

/** What every EventStore promises. Call it at the top level of a spec. */
export const eventStoreContract = (name: string, open: OpenEventStore): void => {
  describe(`${name} keeps the promises of an event store`, () => {
    let opened: Awaited<ReturnType<OpenEventStore>>;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const current = (): Awaited<ReturnType<OpenEventStore>> => opened;
    describe('appending', () => appendingContract(current));
    describe('reading', () => readingContract(current));
    describe('subscribing', () => subscribingContract(current));
  });
};
