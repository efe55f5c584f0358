import {
  cluster,
  disks,
  host,
  statusOfCluster,
  statusOfHost,
  unseen,
  WITH_WORKERS,
} from '../plugin/sample-subjects.fixture.spec';
import { LVM } from './local-storage.operators';

const roomy = cluster({ shape: WITH_WORKERS });
const compact = cluster();
/** The disks other than the installation disk belong to an array. */
const held = (gb: number) => disks(gb).map((one, index) => (index > 0 ? { ...one, holders: 'md127' } : one));

describe('LVM storage', () => {
  it.each([
    ['a worker with a disk', host('worker', { disks: disks(1) }), roomy, 'success'],
    ['a worker without a disk', host('worker'), roomy, 'failure'],
    ['a worker with a device of 0 bytes', host('worker', { disks: disks(0) }), roomy, 'failure'],
    ['a worker whose other disk is a member of an array', host('worker', { disks: held(1) }), roomy, 'failure'],
    ['a control plane host in a cluster with workers', host('master'), roomy, 'success'],
    ['a control plane host that runs workloads', host('master'), compact, 'failure'],
    ['a control plane host that runs workloads, with a disk', host('master', { disks: disks(1) }), compact, 'success'],
    ['an arbiter', host('arbiter'), compact, 'success'],
    ['a host without a role in a cluster with workers', host('auto-assign', { disks: disks(1) }), roomy, 'failure'],
    [
      'a host without a role in a cluster without workers',
      host('auto-assign', { disks: disks(1) }),
      compact,
      'success',
    ],
    ['a host without inventory', unseen('worker'), roomy, 'pending'],
    [
      'a disk that is too small for the data of other operators',
      host('worker', { disks: disks(49) }),
      cluster({ minStorageGb: 50 }),
      'failure',
    ],
    [
      'a disk that is large enough for the data of other operators',
      host('worker', { disks: disks(50) }),
      cluster({ minStorageGb: 50 }),
      'success',
    ],
  ])('checks %s', (_case, subject, of, status) => {
    expect(statusOfHost(LVM, subject, of)).toBe(status);
  });

  it.each([
    [[4, 10, 9], true, 'failure'],
    [[4, 11, 0], true, 'success'],
    [[4, 14, 9], false, 'failure'],
    [[4, 15, 0], false, 'success'],
  ] as const)('checks release %j, single node %s', (release, isSingleNode, status) => {
    expect(statusOfCluster(LVM, [], { release, isSingleNode })).toBe(status);
  });

  it.each([
    [[4, 12, 0], 1200],
    [[4, 13, 0], 400],
    [[4, 16, 0], 100],
  ] as const)('in %j requires %d MiB', (release, ramMib) => {
    expect(LVM.resources?.(host('worker'), cluster({ release, shape: WITH_WORKERS }))).toEqual({ cpuCores: 1, ramMib });
    const settings = new Map([['LVM_MEMORY_PER_HOST_MIB', '77']]);
    expect(LVM.resources?.(host('worker'), cluster({ release, settings }))?.ramMib).toBe(77);
  });

  it('requires no resources on hosts without its data', () => {
    expect(LVM.resources?.(host('master'), roomy)).toEqual({ cpuCores: 0, ramMib: 0 });
    expect(LVM.resources?.(host('arbiter'), compact)).toEqual({ cpuCores: 0, ramMib: 0 });
    expect(LVM.resources?.(host('master'), compact).cpuCores).toBe(1);
  });

  it('requires 1 core and 100 MiB of control plane hosts and workers in the preflight requirements', () => {
    const latest = { isSingleNode: false, release: [4, 18, 0] as const, settings: new Map() };
    expect(LVM.preview?.('master', latest)).toMatchObject({ cpuCores: 1, ramMib: 100 });
    expect(LVM.preview?.('worker', latest)).toMatchObject({ cpuCores: 1, ramMib: 100 });
  });

  it.each([
    [[4, 12, 9], { name: 'vg1' }],
    [[4, 13, 0], { name: 'vg1', default: true }],
  ] as const)('in %j has the device class %j', (release, deviceClass) => {
    const thinPoolConfig = { name: 'thin-pool-1', sizePercent: 90, overprovisionRatio: 10 };
    expect(LVM.laterManifests?.([], cluster({ release }))).toEqual([
      expect.objectContaining({ spec: { storage: { deviceClasses: [{ ...deviceClass, thinPoolConfig }] } } }),
    ]);
  });

  it('has another package name in its first release', () => {
    expect(LVM.installation(cluster({ release: [4, 11, 5] })).subscriptionName).toBe('odf-lvm-operator');
    expect(LVM.installation(cluster()).subscriptionName).toBe('lvms-operator');
  });
});
