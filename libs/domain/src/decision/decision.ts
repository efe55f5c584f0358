import type { Refusal } from '@muster/problems';

/** What a decider answers: facts to store (none: nothing changes) or a typed refusal. A throw is a bug. */
export type Decision<Event> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export const accepted = <Event>(...events: readonly Event[]): Decision<Event> => ({ kind: 'accepted', events });
export const refused = (refusal: Refusal): Decision<never> => ({ kind: 'refused', refusal });

/** The pure heart of an aggregate. `decide` and `evolve` are functions of their arguments only. */
export interface Decider<State, Command, Event> {
  readonly initialState: () => State;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: (command: Command, state: State) => Decision<Event>;
}
