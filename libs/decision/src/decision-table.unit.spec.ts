import { type CommandOf, defineTable, type Guard, refusalsOf, type Row } from './decision-table';
import { findGaps, findInputMismatches, findOverlaps } from './proofs';
import { createTableDecider } from './table-decider';

const VARIABLES = { hour: ['day', 'night'], traffic: [true, false] } as const;
const STATUSES = ['red', 'green', 'off'] as const;
const COMMANDS = ['Tick', 'Stop'] as const;
type Status = (typeof STATUSES)[number];

interface Light {
  readonly Status: Status;
  readonly State: { readonly status: Status; readonly reason: string };
  readonly Command:
    { readonly type: 'Tick'; readonly hour: 'day' | 'night'; readonly traffic: boolean } | { readonly type: 'Stop' };
  readonly Event:
    { readonly type: 'Counted' } | { readonly type: 'Entered'; readonly to: Status; readonly reason: string };
  readonly Variables: typeof VARIABLES;
  readonly Settings: { readonly city: string };
  readonly Reason: string;
  readonly Code: 'conflict';
}

type Tick = CommandOf<Light, 'Tick'>;

const refuse = refusalsOf<Light>((reason, { status }) => `${reason} The light is ${status}.`);
const tick = (id: string, more: Partial<Row<Light, Tick>>): Row<Light, Tick> => ({
  id,
  from: ['red'],
  on: 'Tick',
  to: 'stay',
  why: '',
  ...more,
});
const ROWS: readonly Row<Light>[] = [
  tick('go', { when: { traffic: [true] }, to: 'green', status: ({ settings }) => `traffic in ${settings.city}` }),
  tick('rest', { when: { traffic: [false], hour: ['night'] } }),
  tick('idle', { when: { traffic: [false], hour: ['day'] }, emit: () => [{ type: 'Counted' }] }),
  tick('change', { from: ['green'], to: 'red' }),
  refuse({ id: 'off', on: 'Tick', from: ['off'], code: 'conflict', reason: 'A light without power does not change.' }),
  { id: 'stop', from: ['red', 'green'], on: 'Stop', to: 'off', status: () => 'stopped', why: '' },
];

const tableOf = (rows: readonly Row<Light>[]) =>
  defineTable<Light>({
    statuses: STATUSES,
    commands: COMMANDS,
    variables: VARIABLES,
    inputs: { Tick: ({ command: { hour, traffic } }) => ({ hour, traffic }) },
    statusOf: ({ status }) => status,
    rows,
  });
const TABLE = tableOf(ROWS);
const settings = { city: 'Bonn' };
const at = (status: Status): Light['State'] => ({ status, reason: '' });
const deciderOf = (next?: () => Light['Command'] | undefined, table = TABLE) =>
  createTableDecider<Light>(
    {
      table,
      initialState: () => at('red'),
      evolve: (state, event) => (event.type === 'Entered' ? { status: event.to, reason: event.reason } : state),
      transition: ({ to, reason = '' }) => [{ type: 'Entered', to, reason }],
      next,
    },
    settings,
  );
const TICK = { type: 'Tick', hour: 'day', traffic: true } as const;

describe('proofs of a decision table', () => {
  it('findOverlaps returns nothing for disjoint rows', () => {
    expect(findOverlaps(ROWS)).toEqual([]);
  });

  it('findOverlaps returns the pairs of rows that could both apply', () => {
    const guard: Guard<typeof VARIABLES> = { hour: ['night'] };
    expect(findOverlaps([...ROWS, tick('hurry', { when: guard })])).toEqual([
      { status: 'red', first: 'go', second: 'hurry' },
      { status: 'red', first: 'rest', second: 'hurry' },
    ]);
  });

  it('findGaps returns pairs of status and command without a row, and guard values that no row covers', () => {
    expect(findGaps(ROWS, VARIABLES, STATUSES, COMMANDS)).toEqual([{ status: 'off', on: 'Stop', values: {} }]);
    const rows = ROWS.filter(({ id }) => id !== 'idle');
    expect(findGaps(rows, VARIABLES, ['red'], ['Tick'])).toEqual([
      { status: 'red', on: 'Tick', values: { traffic: false, hour: 'day' } },
    ]);
  });

  it('findInputMismatches returns guard inputs that no row names, and named variables without an input', () => {
    expect(findInputMismatches(TABLE, { command: TICK, state: at('red'), settings })).toEqual({
      missing: [],
      unused: [],
    });
    const table = tableOf(ROWS.filter(({ id }) => !['rest', 'idle'].includes(id)));
    expect(findInputMismatches(table, { command: TICK, state: at('red'), settings }).unused).toEqual(['hour']);
    const mute = { ...TABLE, evaluate: () => ({}) };
    expect(findInputMismatches(mute, { command: TICK, state: at('red'), settings }).missing).toEqual([
      'traffic',
      'hour',
    ]);
  });
});

describe('createTableDecider', () => {
  it('stores the events of the row before the change of status', () => {
    expect(deciderOf().decide(TICK, at('red'))).toEqual({
      kind: 'accepted',
      events: [{ type: 'Entered', to: 'green', reason: 'traffic in Bonn' }],
    });
    expect(deciderOf().decide({ ...TICK, traffic: false }, at('red'))).toEqual({
      kind: 'accepted',
      events: [{ type: 'Counted' }],
    });
    expect(deciderOf().decide({ ...TICK, traffic: false, hour: 'night' }, at('red'))).toEqual({
      kind: 'accepted',
      events: [],
    });
  });

  it('refuses with the reason of the row and the statuses that accept the command', () => {
    expect(deciderOf().decide(TICK, at('off'))).toEqual({
      kind: 'refused',
      refusal: {
        code: 'conflict',
        reason: 'A light without power does not change. The light is off.',
        subject: 'status',
        allowed: ['red', 'green'],
      },
    });
  });

  it('lists no statuses when the present one accepts the command for other values', () => {
    const when: Guard<typeof VARIABLES> = { traffic: [false], hour: ['day'] };
    const quiet = refuse({ id: 'quiet', on: 'Tick', from: ['red'], code: 'conflict', reason: 'No car waits.', when });
    const table = tableOf([...ROWS.filter(({ id }) => id !== 'idle'), quiet]);
    expect(deciderOf(undefined, table).decide({ ...TICK, traffic: false }, at('red'))).toEqual({
      kind: 'refused',
      refusal: { code: 'conflict', reason: 'No car waits. The light is red.', subject: 'status' },
    });
  });

  it('refuses with code internal when the table has a gap', () => {
    expect(deciderOf().decide({ type: 'Stop' }, at('off'))).toMatchObject({ refusal: { code: 'internal' } });
  });

  it('decides the next command on the state after the first command', () => {
    let left = 1;
    const decider = deciderOf(() => (left-- > 0 ? { type: 'Stop' } : undefined));
    expect(decider.decide(TICK, at('red'))).toMatchObject({
      events: [{ to: 'green' }, { to: 'off', reason: 'stopped' }],
    });
  });

  it('stops after a bounded number of rounds', () => {
    const decision = deciderOf(() => TICK).decide(TICK, at('red'));
    expect(decision.kind === 'accepted' && decision.events.length).toBe(16);
  });
});
