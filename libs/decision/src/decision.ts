import type { Refusal } from './refusal';

/** The result of a command: the events to store (none: nothing changes), or a refusal. A decider never throws. */
export type Decision<Event, Code extends string = string> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal<Code> };

/** A decision to store these events. */
export const accepted = <Event>(...events: readonly Event[]): Decision<Event, never> => ({ kind: 'accepted', events });

/** A decision to store nothing. */
export const refused = <Code extends string>(refusal: Refusal<Code>): Decision<never, Code> => ({
  kind: 'refused',
  refusal,
});

/** The pure part of an aggregate. `decide` and `evolve` depend on their arguments only and never throw. */
export interface Decider<State, Command, Event, Code extends string = string> {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: (command: Command, state: State) => Decision<Event, Code>;
}

/**
 * The last case of an `evolve`: the compiler accepts it when every event type has a case. At run time an event of a newer
 * version changes nothing.
 */
export const unknownEvent = <State>(state: State, _event: never): State => state;
