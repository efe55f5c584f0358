import { givenEvents, type Decided } from './given-events';

type Event = { kind: 'Opened' } | { kind: 'Closed'; by: string };
type Command = 'open' | 'close';

const endpoint = {
  initialState: () => ({ isOpen: false }),
  evolve: (_state: { isOpen: boolean }, event: Event) => ({ isOpen: event.kind === 'Opened' }),
  decide: (command: Command, state: { isOpen: boolean }, context: { by: string }): Decided<Event> => {
    if (command === 'open') {
      return state.isOpen
        ? { kind: 'refused', refusal: { code: 'already_open' } }
        : { kind: 'accepted', events: [{ kind: 'Opened' }] };
    }
    return { kind: 'accepted', events: [{ kind: 'Closed', by: context.by }] };
  },
};

describe('givenEvents', () => {
  const by = { by: 'somebody' };

  it('accepts the decided events and hands the context to the decider', () => {
    givenEvents(endpoint, [{ kind: 'Opened' }])
      .when('close', by)
      .then([{ kind: 'Closed', by: 'somebody' }]);
  });

  it('accepts the code of a refusal', () => {
    givenEvents(endpoint, [{ kind: 'Opened' }])
      .when('open', by)
      .then('already_open');
  });

  it('fails when events were decided but a refusal was expected, and the other way round', () => {
    expect(() => givenEvents(endpoint, []).when('open', by).then('already_open')).toThrow();
    expect(() =>
      givenEvents(endpoint, [{ kind: 'Opened' }])
        .when('open', by)
        .then([{ kind: 'Opened' }]),
    ).toThrow();
    expect(() => givenEvents(endpoint, []).when('open', by).then([])).toThrow();
  });

  it('folds what was decided into the state', () => {
    expect(givenEvents(endpoint, []).when('open', by).state).toEqual({ isOpen: true });
  });
});
