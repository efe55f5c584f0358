import { accepted, type Decider, refused } from '@muster/decision';
import { afterCommands, givenEvents, givenState } from './decider-specification';

type Event = { readonly kind: 'Opened' } | { readonly kind: 'Closed' };
type Command = 'open' | 'close';
interface State {
  readonly isOpen: boolean;
}

const valve: Decider<State, Command, Event, 'already-open'> = {
  initialState: () => ({ isOpen: false }),
  evolve: (_state, event) => ({ isOpen: event.kind === 'Opened' }),
  decide: (command, { isOpen }) => {
    if (command === 'close') return accepted({ kind: 'Closed' });
    return isOpen ? refused({ code: 'already-open', reason: 'The valve is open.' }) : accepted({ kind: 'Opened' });
  },
};

describe('decider specification', () => {
  it('compares the decided events', () => {
    givenEvents(valve, [{ kind: 'Opened' }])
      .when('close')
      .then([{ kind: 'Closed' }]);
  });

  it('compares the code of a refusal', () => {
    givenEvents(valve, [{ kind: 'Opened' }])
      .when('open')
      .then('already-open');
    expect(givenState(valve, { isOpen: true }).when('open').refusal().reason).toBe('The valve is open.');
  });

  it('fails when events were decided and a refusal was expected, and the reverse', () => {
    const opened: readonly Event[] = [{ kind: 'Opened' }];
    expect(() => givenEvents(valve, []).when('open').then('already-open')).toThrow();
    expect(() => givenEvents(valve, opened).when('open').then(opened)).toThrow();
    expect(() => givenEvents(valve, []).when('open').then([])).toThrow();
    expect(() => givenEvents(valve, []).when('open').refusal()).toThrow('accepted');
    expect(() => givenEvents(valve, opened).when('open').events()).toThrow('already-open');
  });

  it('folds the decided events into the state', () => {
    expect(givenEvents(valve, []).when('open').state).toEqual({ isOpen: true });
    expect(afterCommands(valve, ['open', 'close'])).toEqual({ isOpen: false });
    expect(() => afterCommands(valve, ['open', 'open'])).toThrow('already-open');
  });
});
