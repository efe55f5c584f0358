import { appendingContract, type OpenEventStore } from './event-store-appending.contract';
import { readingContract } from './event-store-reading.contract';
import { subscribingContract } from './event-store-subscribing.contract';

/** The contract of every EventStore. Call it at the top level of a spec. */
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
