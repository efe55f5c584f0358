import { eventCategory, type EventOf, type StreamCategory, streamIdOf } from '@muster/contracts';
import type { MusterEventStore } from '@muster/nest-kit';
import { NO_STREAM } from '@muster/ports';

interface Fold<State, Event> {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: Event) => State;
}

/** The current state of another service's aggregate, folded from the store. `revision` is NO_STREAM when it does not exist. */
export async function foldStream<State, Category extends StreamCategory>(
  store: MusterEventStore,
  category: Category,
  id: string,
  fold: Fold<State, EventOf<Category>>,
): Promise<{ readonly state: State; readonly revision: number }> {
  const events = eventCategory(category);
  let state = fold.initialState();
  let revision = NO_STREAM;
  for await (const page of store.readStream(streamIdOf(category, id))) {
    for (const event of page) {
      if (events.has(event)) state = fold.evolve(state, event);
      revision = event.revision;
    }
  }
  return { state, revision };
}
