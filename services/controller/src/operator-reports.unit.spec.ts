import { KUBE_RESOURCES, type ServiceOperator } from '@muster/host-api';
import type { KubeObject, KubeResource } from '@muster/ports';
import { controllerWith } from './controller.fixture.spec';
import { csvOf, toOperatorStatus, waitForClusterOperators, waitForCsvs } from './operators';

const condition = (type: string, status: string, message = '') => ({ type, status, message });
const withConditions = (name: string, ...conditions: readonly object[]): KubeObject => ({
  metadata: { name },
  status: { conditions },
});

describe('the status of an operator', () => {
  it.each([
    [[condition('Progressing', 'False', 'p'), condition('Available', 'True', 'a')], 'available', 'a'],
    [[condition('Degraded', 'False', 'd'), condition('Available', 'False', 'a')], 'failed', 'a'],
    [[condition('Degraded', 'True', 'd'), condition('Available', 'True', 'a')], 'failed', 'd'],
    [[condition('Available', 'True', 'a'), condition('Degraded', 'True', 'd')], 'available', 'a'],
    [[condition('Progressing', 'True', 'p'), condition('Available', 'False', 'a')], 'progressing', 'p'],
    [[condition('Progressing', 'Unknown', 'p'), condition('Upgradeable', 'True', 'u')], 'progressing', ''],
  ])('with the conditions %j is %s', (conditions, status, status_info) => {
    expect(toOperatorStatus(withConditions('console', ...conditions))).toEqual({ status, status_info });
  });
});

describe('cluster operators', () => {
  const CLUSTER_OPERATORS: KubeResource = KUBE_RESOURCES.clusterOperators;
  /** Waits for the operators of a service that keeps what is reported. Returns the reports and whether all are available. */
  const waitFor = async (checksClusterVersion: boolean, console: KubeObject, rounds: number) => {
    const operators = new Map<string, ServiceOperator>(
      ['console', 'cvo'].map((name) => [name, { name, operator_type: 'builtin', status: 'progressing' }]),
    );
    const reports: string[] = [];
    const objects = new Map([
      [CLUSTER_OPERATORS, [console]],
      [KUBE_RESOURCES.clusterVersions, [withConditions('version', condition('Progressing', 'True', '80 %'))]],
    ]);
    const { controller, signal } = controllerWith(
      objects,
      {
        operators: async () => [...operators.values()],
        reportOperator: async (_cluster, operator) => {
          reports.push(`${operator.name} ${operator.status}`);
          operators.set(operator.name, { ...operators.get(operator.name), ...operator });
        },
      },
      { rounds },
    );
    const settings = { ...controller.settings, checksClusterVersion };
    await waitForClusterOperators({ ...controller, settings }, signal);
    return { areAvailable: !signal.aborted, reports };
  };
  const AVAILABLE = withConditions('console', condition('Available', 'True'));

  it('wait for the cluster version only where the settings require it', async () => {
    const reports = ['console available', 'cvo progressing'];
    expect(await waitFor(false, AVAILABLE, 5)).toEqual({ areAvailable: true, reports });
    expect(await waitFor(true, AVAILABLE, 5)).toEqual({ areAvailable: false, reports });
  });

  it('are reported once while they do not change', async () => {
    const { reports } = await waitFor(false, withConditions('console', condition('Degraded', 'True', 'no route')), 5);
    expect(reports).toEqual(['console failed', 'cvo progressing']);
  });
});

describe('operators of OLM', () => {
  const operator = { name: 'lso', operator_type: 'olm', namespace: 'n', subscription_name: 'lso' };
  const subscription = {
    metadata: { name: 'lso' },
    status: { installedCSV: 'lso.v1', installPlanRef: { name: 'plan' } },
  };
  const objectsWith = (phase: string, planPhase = 'Complete', jobs: readonly KubeObject[] = []) =>
    new Map<KubeResource, readonly KubeObject[]>([
      [KUBE_RESOURCES.subscriptions, [subscription]],
      [KUBE_RESOURCES.clusterServiceVersions, [{ metadata: { name: 'lso.v1' }, status: { phase, message: phase } }]],
      [KUBE_RESOURCES.installPlans, [{ metadata: { name: 'plan' }, status: { phase: planPhase } }]],
      [KUBE_RESOURCES.jobs, jobs],
    ]);

  it.each([
    ['Failed', ['delete plan']],
    ['Complete', []],
  ])('lose only their failed jobs, and an install plan that is %s', async (planPhase, deleted) => {
    const jobs = [0, 1].map((failed) => ({ metadata: { name: `job-${failed}` }, status: { failed } }));
    const { changes, controller, signal } = controllerWith(objectsWith('Succeeded', planPhase, jobs), {});
    expect(await csvOf(controller, operator, signal)).toMatchObject({ metadata: { name: 'lso.v1' } });
    expect(changes).toEqual(['delete job-1', ...deleted]);
  });

  /** Waits for an operator of a service that keeps what is reported, until the stage times out in the given round. */
  const reportsOf = async (phase: string, timesOutInRound = Infinity, rounds = 30) => {
    const reports: string[] = [];
    let status = '';
    let round = 0;
    const { controller, signal } = controllerWith(
      objectsWith(phase),
      {
        cluster: async () => ({
          status: 'finalizing',
          progress: { finalizing_stage_timed_out: ++round >= timesOutInRound },
        }),
        operators: async () => [{ ...operator, status }],
        reportOperator: async (_cluster, given) => {
          status = given.status ?? '';
          reports.push(`${round} ${status}: ${given.status_info}`);
        },
      },
      { rounds },
    );
    await waitForCsvs(controller, new Map(), signal);
    return { hasEnded: !signal.aborted, reports };
  };

  it('fail when they failed in ten successive rounds', async () => {
    const { hasEnded, reports } = await reportsOf('Failed');
    expect(reports.map((report) => report.replace(/:.*/, ''))).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `${index + 1} progressing`),
      '10 failed',
    ]);
    expect(hasEnded).toBe(true);
  });

  it('fail when the stage times out, and are not waited for any more', async () => {
    const { hasEnded, reports } = await reportsOf('Installing', 3);
    expect(reports.at(-1)).toBe('3 failed: Waiting for operator timed out');
    expect(hasEnded).toBe(true);
  });

  it('are available when their ClusterServiceVersion succeeded', async () => {
    expect(await reportsOf('Succeeded')).toEqual({ hasEnded: true, reports: ['1 available: Succeeded'] });
  });
});
