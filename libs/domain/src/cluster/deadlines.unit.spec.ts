import { rowFor } from './cluster.fixture.spec';
import { CLUSTER_TIMEOUT_TABLE, clusterTimeouts, DEFAULT_CLUSTER_TIMEOUTS } from './deadlines';
import { inOptionalStage, inStage, pass } from './row-examples.fixture.spec';

const MINUTE_MS = 60_000;

describe('timeouts of a cluster', () => {
  it('have the default values of assisted-service v2', () => {
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

  it('can be changed by environment names, stages in both limits', () => {
    const timeouts = clusterTimeouts({
      INSTALLATION_TIMEOUT: 5,
      FINALIZING_STAGE_WAITING_FOR_CLUSTER_OPERATORS_TIMEOUT: 7,
      SOMETHING_ELSE: 9,
    });
    expect(timeouts.installationMs).toBe(5);
    expect(timeouts.finalizingStageMs['Waiting for cluster operators']).toEqual({ hardMs: 7, softMs: 7 });
  });

  it('have unique names', () => {
    const names = CLUSTER_TIMEOUT_TABLE.map(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[A-Z_]+$/.test(name))).toEqual([]);
  });
});

describe('a finalizing stage that takes too long', () => {
  it.each([
    ['fails', 'a required stage with hard timeouts', inStage, false, 'finalizing-stage-timed-out'],
    ['warns', 'a required stage with soft timeouts', inStage, true, 'finalizing-stage-overdue'],
    ['warns', 'an optional stage with hard timeouts', inOptionalStage, false, 'finalizing-stage-overdue'],
  ])('%s in %s', (_effect, _case, state, softTimeouts, row) => {
    expect(rowFor(pass('finalizing-stage', 2_000, softTimeouts), state)?.id).toBe(row);
  });
});
