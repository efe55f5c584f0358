import { CLUSTER_PERMISSIONS, clusterActionRefusal } from './cluster-permissions';
import { CLUSTER_REFUSALS } from './cluster-refusals';
import { CLUSTER_STATUSES } from './cluster-status';
import { CLUSTER_TIMEOUT_TABLE, clusterTimeouts, DEFAULT_CLUSTER_TIMEOUTS } from './cluster-timeouts';

const MINUTE_MS = 60_000;

describe('permissions by cluster status', () => {
  it('say which statuses would allow it', () => {
    expect(clusterActionRefusal('accept-hosts', 'installed')).toEqual({
      code: 'cluster-does-not-accept-hosts',
      reason: 'The cluster is installed: it does not take hosts now.',
      subject: 'status',
      allowed: ['pending-for-input', 'insufficient', 'ready', 'adding-hosts'],
    });
    expect(clusterActionRefusal('accept-hosts', 'ready')).toBeUndefined();
  });

  it('agree with the cluster’s own table', () => {
    const refusedBy = (on: string): readonly string[] =>
      CLUSTER_REFUSALS.filter(
        (row) => row.on === on && row.subject === 'status' && row.id.endsWith('not-open'),
      ).flatMap(({ from }) => from);
    for (const status of CLUSTER_STATUSES) {
      expect({ status, open: !refusedBy('Revise').includes(status) }).toEqual({
        status,
        open: clusterActionRefusal('update', status) === undefined,
      });
      const mayGo = !CLUSTER_REFUSALS.some((row) => row.on === 'Deregister' && row.from.includes(status));
      expect({ status, mayGo }).toEqual({ status, mayGo: clusterActionRefusal('deregister', status) === undefined });
    }
  });

  it('word every refusal that can happen', () => {
    for (const { allowed, refusal } of Object.values(CLUSTER_PERMISSIONS))
      expect(refusal.length > 0).toBe(allowed.length < CLUSTER_STATUSES.length);
  });
});

describe('timeouts', () => {
  it('have the defaults of today’s deployments', () => {
    expect(DEFAULT_CLUSTER_TIMEOUTS).toMatchObject({
      preparationMs: 10 * MINUTE_MS,
      installationMs: 1_440 * MINUTE_MS,
      finalizingMs: 300 * MINUTE_MS,
      logRequestMs: 10 * MINUTE_MS,
      logCollectionMs: 60 * MINUTE_MS,
      finalizingStageMs: {
        'Waiting for cluster operators': { hardMs: 600 * MINUTE_MS, softMs: 70 * MINUTE_MS },
        'Waiting for OLM operator setup jobs': { hardMs: 10 * MINUTE_MS, softMs: 10 * MINUTE_MS },
      },
    });
  });

  it('are overridden by the environment’s names, stages in both columns', () => {
    const timeouts = clusterTimeouts({
      INSTALLATION_TIMEOUT: 5,
      FINALIZING_STAGE_WAITING_FOR_CLUSTER_OPERATORS_TIMEOUT: 7,
      SOMETHING_ELSE: 9,
    });
    expect(timeouts.installationMs).toBe(5);
    expect(timeouts.finalizingStageMs['Waiting for cluster operators']).toEqual({ hardMs: 7, softMs: 7 });
  });

  it('have one name each', () => {
    const names = CLUSTER_TIMEOUT_TABLE.map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[A-Z_]+$/.test(name))).toEqual([]);
  });
});
