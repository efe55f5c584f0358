import { parse } from 'yaml';
import type { Release } from '../plugin/operator-facts';
import { cluster, GIB, host, statusOfCluster, statusOfHost, unseen } from '../plugin/sample-subjects.fixture.spec';
import { operatorManifests } from '../selection/operator-manifests';
import { MCE } from './mce.operator';

const single = cluster({ isSingleNode: true });

describe('multicluster engine', () => {
  it.each([
    ['4 cores', host('worker', { cpuCount: 4, usableMemoryBytes: 16 * GIB }), cluster(), 'success'],
    ['3 cores', host('worker', { cpuCount: 3 }), cluster(), 'failure'],
    ['less than 16 GiB', host('master', { usableMemoryBytes: 16 * GIB - 1 }), cluster(), 'failure'],
    ['a small arbiter', host('arbiter', { cpuCount: 1, usableMemoryBytes: GIB }), cluster(), 'success'],
    ['a single node of 8 cores', host('master', { cpuCount: 8, usableMemoryBytes: 32 * GIB }), single, 'success'],
    ['a single node of 7 cores', host('master', { cpuCount: 7 }), single, 'failure'],
    ['a host without inventory', unseen('worker'), cluster(), 'pending'],
  ])('checks %s', (_case, subject, of, status) => {
    expect(statusOfHost(MCE, subject, of)).toBe(status);
  });

  it('requires a minimum release, which can be configured', () => {
    const status = (release: Release, minimum?: string) =>
      statusOfCluster(MCE, [], { release, settings: new Map(minimum ? [['MCE_MIN_OPENSHIFT_VERSION', minimum]] : []) });
    expect([status([4, 9, 9]), status([4, 10, 0])]).toEqual(['failure', 'success']);
    expect([status([4, 10, 1], '4.10.2'), status([4, 10, 2], '4.10.2')]).toEqual(['failure', 'success']);
  });

  it('stores data on disks of storage operators', () => {
    expect([MCE.storedGb?.(cluster()), MCE.storedGb?.(single)]).toEqual([50, 70]);
  });

  it.each([
    [['mce', 'odf'], [4, 18, 0], 'ocs-storagecluster-ceph-rbd'],
    [['mce', 'lvm'], [4, 18, 0], 'lvms-vg1'],
    [['mce', 'lvm'], [4, 11, 9], 'odf-lvm-vg1'],
    [['mce', 'odf', 'lvm'], [4, 18, 0], 'ocs-storagecluster-ceph-rbd'],
  ] as const)('with %j in %j has an installation service whose volumes use %s', (operators, release, storageClass) => {
    const { later } = operatorManifests([], cluster({ operators, release }));
    const { operator, content } = later.at(-1) ?? { operator: '', content: '' };
    const volume = (storage: string) => ({
      storageClassName: storageClass,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage } },
    });
    expect(operator).toBe('mce');
    expect(later.filter((entry) => entry.operator === 'mce')).toHaveLength(2);
    expect(parse(content)).toEqual({
      apiVersion: 'agent-install.openshift.io/v1beta1',
      kind: 'AgentServiceConfig',
      metadata: { name: 'agent' },
      spec: { databaseStorage: volume('10Gi'), filesystemStorage: volume('10Gi'), imageStorage: volume('50Gi') },
    });
  });

  it('has no installation service without a storage operator', () => {
    const { later } = operatorManifests([], cluster({ operators: ['mce'] }));
    expect(later.map(({ content }): unknown => parse(content))).toEqual([
      expect.objectContaining({ kind: 'MultiClusterEngine' }),
    ]);
  });

  it('uses the channel that belongs to the release', () => {
    expect(JSON.stringify(MCE.manifests(cluster({ release: [4, 18, 3] })))).toContain('"stable-2.8"');
    expect(JSON.stringify(MCE.manifests(cluster({ release: undefined })))).not.toContain('channel');
  });
});
