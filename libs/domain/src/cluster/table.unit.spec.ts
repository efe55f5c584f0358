import { findInputMismatches } from '@muster/decision';
import { testTableProofs } from '../table-proofs.fixture.spec';
import { clusterIn, COMMANDS, COMMAND_SEQUENCES } from './cluster.fixture.spec';
import { CLUSTER_TABLE, DEFAULT_CLUSTER_DECIDER_SETTINGS } from './decider';
import { CLUSTER_PHASES } from './state';

describe('the decision table of the cluster', () => {
  testTableProofs(CLUSTER_TABLE);

  it.each(Object.values(COMMANDS).map((command) => [command.type, command] as const))(
    'computes for %s exactly the guard variables that its rows name',
    (_type, command) => {
      for (const status of CLUSTER_PHASES) {
        const context = { command, state: clusterIn(status), settings: DEFAULT_CLUSTER_DECIDER_SETTINGS };
        expect(findInputMismatches(CLUSTER_TABLE, context)).toEqual({ missing: [], unused: [] });
      }
    },
  );

  it('reaches every status', () => {
    const reached = new Set(CLUSTER_TABLE.rows.map(({ to }) => to));
    expect(CLUSTER_PHASES.filter((status) => status !== 'unregistered' && !reached.has(status))).toEqual([]);
  });

  it('has a command sequence for every status', () => {
    expect(Object.keys(COMMAND_SEQUENCES).sort()).toEqual([...CLUSTER_PHASES].sort());
    for (const status of CLUSTER_PHASES) expect(clusterIn(status).status).toBe(status);
  });
});
