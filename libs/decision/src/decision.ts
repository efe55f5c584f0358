/** The reason why a command was not executed. It is a value, not an exception. Nothing was stored. */
export interface Refusal<Code extends string = string> {
  /** Stable code. Clients and the problem table of the product refer to it. */
  readonly code: Code;
  /** One sentence for the user: what is wrong, the value, and what to do. */
  readonly reason: string;
  /** The field or the state that the reason is about. */
  readonly subject?: string;
  /** The accepted values, where they can be listed. */
  readonly allowed?: readonly string[];
  /** Seconds after which a retry may succeed; for `busy` and `too-many-requests`. */
  readonly retryAfterSeconds?: number;
}

/** Carries a refusal through code that can only throw, such as a framework's handler or a transport. */
export class RefusalError<Code extends string = string> extends Error {
  constructor(readonly refusal: Refusal<Code>) {
    super(refusal.reason);
    this.name = 'RefusalError';
  }
}

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
 * Returns the state unchanged. Used as the last case of an `evolve`: the compiler reports an event type without a case.
 * At run time, an event type of a newer version changes nothing.
 */
export const unknownEvent = <State>(state: State, _event: never): State => state;
