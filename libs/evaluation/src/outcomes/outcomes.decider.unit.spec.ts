import type { EventData, ValidationEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import {
  type HostConditions,
  initialHostConditions,
  initialHostOutcomes,
  type Outcome,
} from '@muster/validation-rules';
import { type OutcomeCommand, outcomeDecider, type RecordedOutcomes } from './outcomes.decider';

const AT = '2024-01-01T00:00:00.000Z';
const INITIAL = initialHostConditions(true);
const USABLE: HostConditions = { ...INITIAL, inventory: 'usable' };
const outcome = (id: string, status: string): Outcome => ({ id, status, parameters: [] });
const initial = (id: string): Outcome => initialHostOutcomes(true).get(id) ?? outcome(id, 'missing');
const evaluate = (
  outcomes: readonly Outcome[],
  { generation = 1, clusterId = 'c', conditions = INITIAL } = {},
): OutcomeCommand => ({ type: 'EvaluateHost', hostKey: 'h', generation, clusterId, outcomes, conditions, at: AT });
const changed = (
  changes: readonly Outcome[],
  data: Partial<EventData<'HostOutcomesChanged'>> = {},
): ValidationEvent => ({
  type: 'HostOutcomesChanged',
  data: {
    hostKey: 'h',
    changed: [...changes],
    conditions: undefined,
    generation: 1,
    clusterId: 'c',
    reset: false,
    at: AT,
    ...data,
  },
});
const given = (...history: readonly ValidationEvent[]) =>
  givenEvents<RecordedOutcomes, OutcomeCommand, ValidationEvent>(outcomeDecider, history);
const [good, bad, memory] = [
  outcome('has-inventory', 'success'),
  outcome('has-inventory', 'failure'),
  outcome('has-min-memory', 'success'),
];
const FIRST = { reset: true } as const;

describe('outcomes of a host', () => {
  it('are not stored while the host has reported nothing', () => {
    given()
      .when(evaluate([initial('has-inventory'), initial('has-min-memory'), initial('connected')]))
      .then([]);
  });

  it('are stored only when they differ', () => {
    given()
      .when(evaluate([good, memory, initial('connected')]))
      .then([changed([good, memory], FIRST)]);
    given(changed([good, memory], FIRST))
      .when(evaluate([bad, memory]))
      .then([changed([bad])]);
  });

  it('are not stored again in another order', () => {
    given(changed([good, memory], FIRST))
      .when(evaluate([memory, good]))
      .then([]);
  });

  it('store conditions only when they changed: an ignored rule changes no outcome', () => {
    given(changed([good], FIRST))
      .when(evaluate([good], { conditions: USABLE }))
      .then([changed([], { conditions: USABLE })]);
    given(changed([good], { ...FIRST, conditions: USABLE }))
      .when(evaluate([good], { conditions: USABLE }))
      .then([]);
  });

  it('start again in a new generation and in another cluster', () => {
    given(changed([good, memory], { ...FIRST, conditions: USABLE }))
      .when(evaluate([good, initial('has-min-memory')], { generation: 2 }))
      .then([changed([good], { generation: 2, reset: true })]);
    given(changed([good], FIRST))
      .when(evaluate([good], { clusterId: 'other' }))
      .then([changed([good], { clusterId: 'other', reset: true })]);
    given(changed([good], FIRST))
      .when(evaluate([initial('has-inventory')], { generation: 2 }))
      .then([changed([], { generation: 2, reset: true })]);
  });

  it('ignore an evaluation of an earlier generation', () => {
    given(changed([good], { ...FIRST, generation: 2 }))
      .when(evaluate([bad], { generation: 1 }))
      .then([]);
  });

  it('start a new history after a reset', () => {
    const [first, second, reset] = [
      changed([good], FIRST),
      changed([bad], { at: '2024-01-02T00:00:00.000Z' }),
      changed([good], { generation: 2, reset: true, at: '2024-01-03T00:00:00.000Z' }),
    ];
    const flipped = [first, second].reduce(outcomeDecider.evolve, outcomeDecider.initialState());
    expect(flipped.histories.get('has-inventory')).toMatchObject({ flips: 2, since: '2024-01-02T00:00:00.000Z' });
    const { histories } = outcomeDecider.evolve(flipped, reset);
    expect(histories.get('has-inventory')).toMatchObject({ flips: 1, since: '2024-01-03T00:00:00.000Z' });
  });
});

const CONDITIONS = { pendingInputsGiven: true, vipsDefined: true, requiredPassed: true };
const evaluateGroups = (groups: RecordedOutcomes['groups']): OutcomeCommand => ({
  type: 'EvaluateCluster',
  clusterId: 'c',
  outcomes: [],
  conditions: CONDITIONS,
  conditionsWithoutHosts: CONDITIONS,
  groups,
  at: AT,
});

describe('the connectivity groups of a cluster', () => {
  const groups = (network: string, joinedHostIds: string[], leftHostIds: string[] = []): ValidationEvent => ({
    type: 'ClusterOutcomesChanged',
    data: {
      clusterId: 'c',
      changed: [],
      conditions: undefined,
      connectivityGroups: { groups: [{ network, joinedHostIds, leftHostIds }] },
      at: AT,
    },
  });

  it.each([
    ['one host joins', ['a', 'b', 'c'], ['c'], []],
    ['one host leaves', ['a'], [], ['b']],
    ['one host replaces another', ['a', 'c'], ['c'], ['b']],
  ])('are stored as changes when %s', (_case, present, joined, left) => {
    given(groups('10.0.0.0/8', ['a', 'b']))
      .when(evaluateGroups(new Map([['10.0.0.0/8', present]])))
      .then([groups('10.0.0.0/8', joined, left)]);
  });

  it('contain an empty group of a new network once', () => {
    given()
      .when(evaluateGroups(new Map([['10.0.0.0/8', []]])))
      .then([groups('10.0.0.0/8', [])]);
    given(groups('10.0.0.0/8', []))
      .when(evaluateGroups(new Map([['10.0.0.0/8', []]])))
      .then([]);
  });

  it('lose the hosts of a network that has none any more, and stay the same otherwise', () => {
    const known = [groups('10.0.0.0/8', ['a', 'b']), groups('IPv4', ['a'])];
    given(...known)
      .when(evaluateGroups(new Map([['IPv4', ['a']]])))
      .then([groups('10.0.0.0/8', [], ['a', 'b'])]);
    given(...known)
      .when(evaluateGroups(new Map(Object.entries({ '10.0.0.0/8': ['a', 'b'], IPv4: ['a'] }))))
      .then([]);
  });
});

describe('the connectivity groups of a large cluster', () => {
  const APPEND_BYTES_MAX = 256 * 1024;
  const HOSTS = 8_000;
  const hostIds = (first: number): readonly string[] =>
    Array.from({ length: HOSTS }, (_, n) => `e1e1e1e1-0000-4000-8000-${String(first + n).padStart(12, '0')}`);

  it.each([
    ['join one network', new Map([['10.0.0.0/8', hostIds(0)]])],
    ['are replaced in it', new Map([['10.0.0.0/8', hostIds(HOSTS)]])],
    [
      'join two more networks at once',
      new Map([
        ['10.0.0.0/8', hostIds(0)],
        ['IPv4', hostIds(0)],
        ['IPv6', hostIds(0)],
      ]),
    ],
    [
      'join several networks',
      new Map([
        ['10.0.0.0/8', hostIds(0)],
        ['IPv6', hostIds(0)],
      ]),
    ],
  ])('are stored in parts when all hosts %s', (_, groups) => {
    const first = evaluateGroups(new Map([['10.0.0.0/8', hostIds(0)]]));
    let state = outcomeDecider.initialState();
    for (const command of [first, evaluateGroups(groups)])
      for (;;) {
        const decision = outcomeDecider.decide(command, state);
        if (decision.kind === 'refused' || decision.events.length === 0) break;
        expect(JSON.stringify(decision.events).length).toBeLessThan(APPEND_BYTES_MAX * 0.9);
        state = decision.events.reduce(outcomeDecider.evolve, state);
      }
    expect(state.groups).toEqual(groups);
  });

  it('are stored together for the first networks that fit', () => {
    const few = hostIds(0).slice(0, 1_500);
    const command = evaluateGroups(new Map(['10.0.0.0/8', 'IPv4', 'IPv6'].map((network) => [network, few])));
    const networks = (state: RecordedOutcomes): readonly string[] => {
      const decision = outcomeDecider.decide(command, state);
      if (decision.kind === 'refused') return [];
      return decision.events.flatMap(({ data }) =>
        'connectivityGroups' in data ? (data.connectivityGroups?.groups ?? []).map(({ network }) => network) : [],
      );
    };
    const state = outcomeDecider.initialState();
    expect(networks(state)).toEqual(['10.0.0.0/8', 'IPv4']);
    expect(networks({ ...state, groups: new Map([['10.0.0.0/8', few]]) })).toEqual(['IPv4', 'IPv6']);
  });
});
