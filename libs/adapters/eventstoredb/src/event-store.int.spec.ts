import { eventStoreContract, needsServer } from '@muster/testing';
import { eventStoreDbEventStore } from './event-store';

needsServer('EVENTSTORE_URL', 'esdb://127.0.0.1:2113?tls=false', 'eventStoreDbEventStore', (url) => {
  eventStoreContract('eventStoreDbEventStore', async () => {
    let store = eventStoreDbEventStore({ url });
    return {
      store,
      close: () => store.close(),
      reopen: async () => {
        await store.close();
        store = eventStoreDbEventStore({ url });
        return store;
      },
    };
  });
});
