import { findGaps, findOverlaps } from '@muster/decision';
import { HOST_COMMAND_TYPES, type HostCommandType } from './host-commands';
import { HOST_SOURCES, type HostSource } from './host-status';
import { HOST_REFUSALS, HOST_ROWS, HOST_TABLE, statusesAccepting } from './host-table';
import { command, day1, stateAfter } from './host-fixture.spec';
import { DEFAULT_HOST_TIMEOUTS } from './host-timeouts';
import { evaluateHostGuards } from './host-guards';
import { HOST_VARIABLES } from './host-variables';

const pairs = HOST_SOURCES.flatMap((status) => HOST_COMMAND_TYPES.map((on) => [status, on] as const));
const has = (rows: typeof HOST_TABLE, status: HostSource, on: HostCommandType): boolean =>
  rows.some((row) => row.on === on && row.from.includes(status));

describe('the table of the host', () => {
  it('has rows that are disjoint, refusals included', () => {
    expect(findOverlaps(HOST_TABLE)).toEqual([]);
  });

  it.each(pairs)('answers in status %s to %s, whatever the guard variables are', (status, on) => {
    expect(has(HOST_TABLE, status, on)).toBe(true);
    expect(findGaps(HOST_TABLE, HOST_VARIABLES, status, on)).toEqual([]);
  });

  it.each([...HOST_COMMAND_TYPES])(
    'asks on %s about what is found out for it, and nothing is found out in vain',
    (on) => {
      const asked = new Set(HOST_TABLE.filter((row) => row.on === on).flatMap(({ when }) => Object.keys(when ?? {})));
      const found = evaluateHostGuards(command(on), stateAfter(day1('known')), DEFAULT_HOST_TIMEOUTS);
      expect(Object.keys(found).sort()).toEqual([...asked].sort());
    },
  );

  it('names each row once', () => {
    const ids = HOST_TABLE.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  it('says of every failure what caused it, and of nothing else', () => {
    const wrong = HOST_ROWS.filter(({ to, cause }) => (to === 'error') !== (cause !== undefined));
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('keeps refusals and transitions apart', () => {
    expect(HOST_ROWS.filter(({ refusal }) => refusal)).toEqual([]);
    expect(
      HOST_REFUSALS.filter(({ refusal, effects, info, to }) => !refusal || effects || info || to !== 'stay'),
    ).toEqual([]);
  });

  it('explains each row in a sentence', () => {
    expect(HOST_TABLE.filter(({ why }) => !/^[A-Z].*\.$/.test(why)).map(({ id }) => id)).toEqual([]);
  });

  it('can tell where a command is accepted', () => {
    expect(statusesAccepting('Bind')).toEqual(['known-unbound']);
    expect(statusesAccepting('Refresh')).toEqual(HOST_SOURCES.slice(1));
  });
});
