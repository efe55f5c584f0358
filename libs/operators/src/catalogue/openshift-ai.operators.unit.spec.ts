import {
  cluster,
  GIB,
  host,
  hosts,
  statusOfCluster,
  statusOfHost,
  unseen,
} from '../plugin/sample-subjects.fixture.spec';
import { OPENSHIFT_AI } from './openshift-ai.operators';

const small = { cpuCount: 2, usableMemoryBytes: 8 * GIB };

describe('OpenShift AI', () => {
  it.each([
    ['a worker of 8 cores and 32 GiB', host('worker', { cpuCount: 8, usableMemoryBytes: 32 * GIB }), 'success'],
    ['a worker of 7 cores', host('worker', { cpuCount: 7 }), 'failure'],
    ['a worker of less memory', host('worker', { usableMemoryBytes: 32 * GIB - 1 }), 'failure'],
    ['a small control plane host', host('master', small), 'success'],
    ['a small arbiter', host('arbiter', small), 'success'],
    ['a host without inventory', unseen('worker'), 'pending'],
  ])('checks %s', (_case, subject, status) => {
    expect(statusOfHost(OPENSHIFT_AI, subject, cluster())).toBe(status);
  });

  it('requires two workers or a single node', () => {
    expect(statusOfCluster(OPENSHIFT_AI, hosts('master', 'worker'))).toBe('failure');
    expect(statusOfCluster(OPENSHIFT_AI, hosts('master', 'worker', 'auto-assign>worker'))).toBe('success');
    expect(statusOfCluster(OPENSHIFT_AI, hosts('master'), { isSingleNode: true })).toBe('success');
    const settings = new Map([['OPENSHIFT_AI_MIN_WORKER_NODES', '1']]);
    expect(statusOfCluster(OPENSHIFT_AI, hosts('worker'), { settings })).toBe('success');
  });

  it('selects a storage operator on a single node', () => {
    expect(OPENSHIFT_AI.dependencies({ isSingleNode: true })).toEqual(['lvm']);
    expect(OPENSHIFT_AI.dependencies({ isSingleNode: false })).toEqual([]);
  });

  const WITHOUT_MESH = { kind: 'DSCInitialization', spec: { serviceMesh: { managementState: 'Removed' } } };
  const serving = (managementState: string) => ({
    kind: 'DataScienceCluster',
    spec: { components: { kserve: { managementState: 'Managed', serving: { managementState } } } },
  });
  const KNATIVE = ['serverless', 'servicemesh'];

  it.each([
    ['with the operators of Knative', { operators: KNATIVE }, [serving('Managed')]],
    ['without them', { operators: ['serverless'] }, [WITHOUT_MESH, serving('Removed')]],
    ['on a single node', { operators: KNATIVE, isSingleNode: true }, [WITHOUT_MESH, serving('Removed')]],
  ])('serves models %s', (_case, changes, objects) => {
    expect(OPENSHIFT_AI.laterManifests?.([], cluster(changes))).toMatchObject(objects);
  });
});
