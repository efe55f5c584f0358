import { type StreamCategory, streamIdOf } from '@muster/contracts';
import { type EventStore, NO_STREAM } from '@muster/ports';

interface Fold<State, Event> {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: Event) => State;
}

/** Another service's aggregate as the store has it at this moment; `revision` is NO_STREAM when there is none. */
export async function foldStream<State, Event>(
  store: EventStore,
  category: StreamCategory,
  id: string,
  fold: Fold<State, Event>,
): Promise<{ readonly state: State; readonly revision: number }> {
  let state = fold.initialState();
  let revision = NO_STREAM;
  for await (const page of store.readStream(streamIdOf(category, id))) {
    for (const event of page) {
      state = fold.evolve(state, { type: event.type, data: event.data } as Event);
      revision = event.revision;
    }
  }
  return { state, revision };
}
