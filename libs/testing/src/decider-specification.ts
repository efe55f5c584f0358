import type { Decider, Decision, Refusal } from '@muster/decision';

/** The result of a command. */
export interface DecidedCommand<State, Event> {
  readonly decision: Decision<Event>;
  /** The state after the decided events; the state before when the command was refused. */
  readonly state: State;
  /** Expects exactly these events, or a refusal with this code. */
  then(expected: readonly Event[] | string): void;
  /**
   * Returns the decided events.
   *
   * @throws Error when the command was refused
   */
  events(): readonly Event[];
  /**
   * Returns the refusal.
   *
   * @throws Error when the command was accepted
   */
  refusal(): Refusal;
}

export interface DeciderSpecification<State, Command, Event> {
  when(command: Command): DecidedCommand<State, Event>;
}

/** `givenEvents(decider, history).when(command).then([events])`, or `.then('refusal-code')`. */
export const givenEvents = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  history: readonly NoInfer<Event>[],
): DeciderSpecification<State, Command, Event> =>
  givenState(decider, history.reduce(decider.evolve, decider.initialState()));

/** Like `givenEvents`, from a state, for aggregates with a long history. */
export const givenState = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  before: State,
): DeciderSpecification<State, Command, Event> => ({
  when: (command) => {
    const decision = decider.decide(command, before);
    const outcome = decision.kind === 'accepted' ? decision.events : decision.refusal.code;
    return {
      decision,
      state: decision.kind === 'accepted' ? decision.events.reduce(decider.evolve, before) : before,
      then: (expected) => expect(outcome).toEqual(expected),
      events: () => {
        if (decision.kind === 'accepted') return decision.events;
        throw new Error(`The command was refused (${decision.refusal.code}): ${decision.refusal.reason}`);
      },
      refusal: () => {
        if (decision.kind === 'refused') return decision.refusal;
        throw new Error(`The command was accepted: ${JSON.stringify(decision.events)}`);
      },
    };
  },
});

/** Returns the state after these commands. @throws Error when one of them is refused */
export const afterCommands = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  commands: readonly Command[],
): State =>
  commands.reduce((state, command) => {
    const decided = givenState(decider, state).when(command);
    decided.events();
    return decided.state;
  }, decider.initialState());
