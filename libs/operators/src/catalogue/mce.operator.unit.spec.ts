import type { Release } from '../plugin/operator-facts';
import { cluster, GIB, host, statusOfCluster, statusOfHost, unseen } from '../plugin/sample-subjects.fixture.spec';
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

  it('uses the channel that belongs to the release', () => {
    expect(JSON.stringify(MCE.manifests(cluster({ release: [4, 18, 3] })))).toContain('"stable-2.8"');
    expect(JSON.stringify(MCE.manifests(cluster({ release: undefined })))).not.toContain('channel');
  });
});
