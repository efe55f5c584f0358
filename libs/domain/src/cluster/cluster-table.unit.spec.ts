import { PROBLEMS } from '@muster/problems';
import { findGaps, findOverlaps, type Row } from '@muster/decision';
import { CLUSTER_COMMANDS, type ClusterCommandType } from './cluster-commands';
import { clusterIn, STORIES } from './cluster-given.spec';
import { CLUSTER_REFUSALS } from './cluster-refusals';
import { CLUSTER_VARIABLES, type ClusterVariables } from './cluster-row';
import { CLUSTER_PHASES, type ClusterPhase } from './cluster-status';
import { CLUSTER_TRANSITIONS } from './cluster-transitions';

const ALL: readonly Row<ClusterPhase, ClusterCommandType, ClusterVariables>[] = [
  ...CLUSTER_TRANSITIONS,
  ...CLUSTER_REFUSALS,
];

describe('the cluster tables', () => {
  it('have no two rows that could both apply', () => {
    expect(findOverlaps(ALL)).toEqual([]);
  });

  it.each(CLUSTER_COMMANDS)('answer to %s in every status, whatever the guards say', (command) => {
    for (const status of CLUSTER_PHASES) {
      const rows = ALL.filter((row) => row.on === command && row.from.includes(status));
      expect({ status, isAnswered: rows.length > 0 }).toEqual({ status, isAnswered: true });
      expect({ status, gaps: findGaps(ALL, CLUSTER_VARIABLES, status, command) }).toEqual({ status, gaps: [] });
    }
  });

  it('name every row once', () => {
    const ids = ALL.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$/.test(id))).toEqual([]);
  });

  it('guard with values that the variables have', () => {
    for (const row of ALL)
      for (const [name, values] of Object.entries(row.when ?? {})) {
        const known: readonly unknown[] = CLUSTER_VARIABLES[name as keyof ClusterVariables];
        expect({ row: row.id, unknown: values.filter((value) => !known.includes(value)) }).toEqual({
          row: row.id,
          unknown: [],
        });
      }
  });

  it('refuse with a fault of the request, never of the service', () => {
    for (const { id, code } of CLUSTER_REFUSALS)
      expect({ id, isRequestFault: [400, 404, 409].includes(PROBLEMS[code].status) }).toEqual({
        id,
        isRequestFault: true,
      });
  });

  it('list the statuses that would accept, whenever the status is the reason', () => {
    for (const { id, subject, allowed } of CLUSTER_REFUSALS)
      if (subject === 'status' && id !== 'operator-status-unknown') {
        const statuses: readonly string[] = CLUSTER_PHASES;
        expect({
          id,
          allowed: allowed.filter((status) => !statuses.includes(status)).length,
          some: allowed.length > 0,
        }).toEqual({
          id,
          allowed: 0,
          some: true,
        });
      }
  });

  it('reach every status', () => {
    const reached = new Set(CLUSTER_TRANSITIONS.map(({ to }) => to));
    expect(CLUSTER_PHASES.filter((status) => status !== 'unregistered' && !reached.has(status))).toEqual([]);
  });

  it('have a story into every status', () => {
    expect(Object.keys(STORIES).sort()).toEqual([...CLUSTER_PHASES].sort());
    for (const status of CLUSTER_PHASES) expect(clusterIn(status).status).toBe(status);
  });
});
