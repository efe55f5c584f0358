import { findInputMismatches } from '@muster/decision';
import { testTableProofs } from '../table-proofs.fixture.spec';
import { HOST_COMMAND_TYPES } from './commands';
import { DEFAULT_HOST_TIMEOUTS } from './deadlines';
import { HOST_TABLE } from './decider';
import { command, day1, stateAfter } from './host.fixture.spec';
import { HOST_SOURCES } from './state';

describe('the decision table of the host', () => {
  testTableProofs(HOST_TABLE);

  it.each([...HOST_COMMAND_TYPES])('computes for %s exactly the guard variables that its rows name', (on) => {
    const context = { command: command(on), state: stateAfter(day1('known')), settings: DEFAULT_HOST_TIMEOUTS };
    expect(findInputMismatches(HOST_TABLE, context)).toEqual({ missing: [], unused: [] });
  });

  it('sets a cause in every row to error and in no other row', () => {
    const wrong = HOST_TABLE.rows.filter(({ to, cause }) => (to === 'error') !== (cause !== undefined));
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('lists the statuses that accept a command', () => {
    expect(HOST_TABLE.accepting('Bind')).toEqual(['known-unbound']);
    expect(HOST_TABLE.accepting('Refresh')).toEqual(HOST_SOURCES.slice(1));
  });
});
