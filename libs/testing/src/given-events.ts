/** What a decision may be: facts, or a refusal with a stable code. */
export type Decided<Event> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'refused'; readonly refusal: { readonly code: string } };

/** The shape of a decider as far as a specification needs it. */
export interface SpecifiedDecider<State, Command, Event, Context> {
  readonly initialState: State | (() => State);
  evolve(state: State, event: Event): State;
  decide(command: Command, state: State, context: Context): Decided<Event>;
}

export interface DecisionSpecification<State, Event> {
  readonly decision: Decided<Event>;
  /** The state after the given events and those decided. */
  readonly state: State;
  /** Expects exactly these events, or a refusal with this code. */
  then(expected: readonly Event[] | string): void;
}

/**
 * `givenEvents(decider, history).when(command, context).then([events])` or `.then('refusal_code')`.
 * The context is whatever the decider takes as its third argument.
 */
export const givenEvents = <State, Command, Event, Context = undefined>(
  decider: SpecifiedDecider<State, Command, Event, Context>,
  history: readonly Event[],
) => {
  const fold = (state: State, events: readonly Event[]): State =>
    events.reduce((folded, event) => decider.evolve(folded, event), state);
  const initial =
    typeof decider.initialState === 'function' ? (decider.initialState as () => State)() : decider.initialState;

  return {
    when: (
      command: Command,
      ...context: undefined extends Context ? [Context?] : [Context]
    ): DecisionSpecification<State, Event> => {
      const before = fold(initial, history);
      const decision = decider.decide(command, before, context[0] as Context);
      return {
        decision,
        state: decision.kind === 'accepted' ? fold(before, decision.events) : before,
        then: (expected) => {
          if (typeof expected === 'string') expect(refusalOrEvents(decision)).toBe(expected);
          else expect(refusalOrEvents(decision)).toEqual(expected);
        },
      };
    },
  };
};

const refusalOrEvents = <Event>(decision: Decided<Event>): string | readonly Event[] =>
  decision.kind === 'accepted' ? decision.events : decision.refusal.code;
