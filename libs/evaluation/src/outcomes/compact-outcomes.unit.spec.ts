import type { EventData, ValidationEvent } from '@muster/contracts';
import { type HostConditions, initialHostConditions, type Outcome } from '@muster/validation-rules';
import { compactOutcomes } from './compact-outcomes';

const CONDITIONS: HostConditions = initialHostConditions(true);
const RULE = 'ntp-synced';
const outcome = (status: string, parameter = '', id = RULE): Outcome => ({ id, status, parameters: [parameter] });
let minutes = 0;
/** Each event is a minute after the one before. */
const changed = (
  outcomes: readonly Outcome[],
  data: Partial<EventData<'HostOutcomesChanged'>> = {},
): ValidationEvent => ({
  type: 'HostOutcomesChanged',
  data: {
    hostKey: 'h',
    changed: [...outcomes],
    conditions: undefined,
    generation: 1,
    clusterId: 'c',
    reset: false,
    at: new Date((minutes += 1) * 60_000).toISOString(),
    ...data,
  },
});
/** The first evaluation of the host, whose outcomes stay. */
const FIRST = changed([outcome('success', '', 'connected')], { reset: true });

/** For each event after the first: the parameters of the outcomes that stay, or undefined for a removed event. */
const keptOf = (...events: readonly ValidationEvent[]) =>
  compactOutcomes([FIRST, ...events], events.length + 1)
    .slice(1)
    .map((data) => data?.changed.map(({ parameters }) => parameters[0]));

describe('compacted outcomes', () => {
  it('are those that a later outcome of the rule replaces', () => {
    const [first, second, last] = ['a', 'b', 'c'].map((text) => changed([outcome('failure', text)]));
    expect(keptOf(first ?? FIRST, second ?? FIRST, last ?? FIRST)).toEqual([['a'], undefined, ['c']]);
  });

  it('do not contain changes between success and failure, which the event log shows', () => {
    const events = ['success', 'failure', 'success', 'failure'].map((status) => changed([outcome(status, status)]));
    expect(keptOf(...events)).toEqual(events.map(({ data }) => data.changed.map(({ status }) => status)));
  });

  it('do not contain an outcome without which the event log would show another change', () => {
    const events = ['success', 'pending', 'failure'].map((status) => changed([outcome(status, status)]));
    expect(keptOf(...events)).toEqual([['success'], ['pending'], ['failure']]);
  });

  it('do not contain the start and the end of flapping', () => {
    const flapping = { since: '', flips: 6, windowSeconds: 1, quietSeconds: 1 };
    const events = [
      changed([outcome('failure', 'a')]),
      changed([{ ...outcome('failure', 'b'), flapping }]),
      changed([outcome('failure', 'c')]),
    ];
    expect(keptOf(...events)).toEqual([['a'], ['b'], ['c']]);
  });

  it('contain an outcome between success and a failure that flaps, for which the event log has two lines', () => {
    const flapping = { since: '', flips: 6, windowSeconds: 1, quietSeconds: 1 };
    const events = [
      changed([outcome('success', 'a')]),
      changed([outcome('pending', 'b')]),
      changed([{ ...outcome('failure', 'c'), flapping }]),
      changed([outcome('failure', 'd')]),
    ];
    expect(keptOf(...events)).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  it('do not become smaller a second time', () => {
    const first = changed([outcome('success', '', 'has-inventory')], { reset: true });
    const events = ['success', 'success', 'error'].map((status) => changed([outcome(status, '', 'connected')]));
    const once = compactOutcomes([first, ...events], 4);
    expect(once.map((data) => data?.changed[0]?.status)).toEqual(['success', undefined, undefined, 'error']);
  });

  it('are compared up to a reset, which stays', () => {
    const events = [
      changed([outcome('pending', 'a')]),
      changed([], { reset: true }),
      changed([outcome('pending', 'b')]),
    ];
    expect(keptOf(...events)).toEqual([['a'], [], ['b']]);
  });

  it('do not contain the first outcome of a period, because the event log shows only later ones as changes', () => {
    const waits = changed([outcome('pending', 'a')], { reset: true });
    const fails = changed([outcome('failure', 'b')]);
    expect(compactOutcomes([waits, fails], 2)).toEqual([waits.data, fails.data]);
    expect(keptOf(waits, fails)).toEqual([['a'], ['b']]);
    expect(keptOf(changed([], { reset: true }), changed([outcome('pending', 'a')]), fails)).toEqual([[], ['a'], ['b']]);
    expect(keptOf(changed([outcome('pending', 'a')]), fails)).toEqual([undefined, ['b']]);
  });

  it('do not contain an outcome whose message the event log has', () => {
    const events = [FIRST, changed([outcome('pending', 'a')]), changed([outcome('failure', 'b')])];
    const asked: unknown[] = [];
    const kept = compactOutcomes(events, 3, (...place) => asked.push(place) > 0);
    expect(kept).toEqual(events.map(({ data }) => data));
    expect(asked).toEqual([[RULE, 1, 2]]);
  });

  it('leave a reset without its conditions, and no other event without any', () => {
    const events = [{ reset: true }, {}].map((data) => [
      changed([], { ...data, conditions: CONDITIONS }),
      changed([], { conditions: CONDITIONS }),
    ]);
    const [reset, other] = events.map((period) => compactOutcomes(period, 2)[0]);
    expect(reset).toMatchObject({ reset: true, changed: [], conditions: undefined });
    expect(other).toBeUndefined();
  });

  it('contain conditions that later ones replace', () => {
    const events = [changed([], { conditions: CONDITIONS }), changed([], { conditions: CONDITIONS })];
    const [, removed, last] = compactOutcomes([FIRST, ...events], 3);
    expect([removed, last?.conditions]).toEqual([undefined, CONDITIONS]);
  });

  it('are none after the given count', () => {
    const events = [FIRST, ...['a', 'b', 'c'].map((text) => changed([outcome('failure', text)]))];
    expect(compactOutcomes(events, 2)).toEqual(events.map(({ data }) => data));
    expect(compactOutcomes(events, 3)[2]).toBeUndefined();
  });
});
