import { OPERATOR_PLUGINS } from '../operators.table';
import { type Release, shapeOf } from '../plugin/operator-facts';
import {
  cluster,
  disks,
  hardware,
  host,
  hosts,
  nic,
  statusOfCluster,
  statusOfHost,
} from '../plugin/sample-subjects.fixture.spec';
import { CNV } from './cnv.operator';
import { LVM, lvmStorageClassOf } from './local-storage.operators';
import { MCE } from './mce.operator';
import { bundleNamed } from '../selection/choose-operators';
import { ODF } from './odf.operator';

describe('the operators that decide on control plane hosts', () => {
  it('are those of storage and virtualization', () => {
    const deciding = OPERATOR_PLUGINS.filter(({ decidesControlPlane }) => decidesControlPlane).map(({ name }) => name);
    expect(deciding).toEqual(['lso', 'odf', 'cnv', 'lvm']);
  });
});

describe('OpenShift Virtualization', () => {
  const single = (release: Release) => cluster({ isSingleNode: true, operators: ['lso', 'cnv'], release });

  it.each([
    [[3, 11, 0], 'success'],
    [[4, 9, 9], 'success'],
    [[4, 10, 0], 'failure'],
    [[4, 11, 9], 'failure'],
    [[4, 12, 0], 'success'],
  ] as const)('of %j on a single node without another disk: %s', (release, status) => {
    expect(statusOfHost(CNV, host('master'), single(release))).toBe(status);
  });

  it('requires no disk of several nodes', () => {
    const several = { ...single([4, 11, 9]), isSingleNode: false };
    expect(statusOfHost(CNV, host('master'), several)).toBe('success');
  });

  it('names the required size in decimal GB', () => {
    expect(CNV.host?.claim(host('master', { disks: disks(10) }), single([4, 11, 9]))).toEqual({
      status: 'failure',
      reason: 'no-large-disk',
      parameters: [54],
    });
  });

  it.each(['aarch64', 'arm64'])('needs no flag of a CPU of %s', (cpuArchitecture) => {
    const subject = host('worker', { hasVirtualization: false, cpuArchitecture });
    expect(statusOfHost(CNV, subject, cluster())).toBe('success');
  });

  it.each([
    ['ppc64le', [4, 18, 0], 'failure'],
    ['aarch64', [4, 13, 9], 'failure'],
    ['aarch64', [4, 14, 0], 'success'],
    ['x86_64', [4, 9, 0], 'success'],
    ['', [4, 9, 0], 'success'],
  ] as const)('on %s of %j: %s', (cpuArchitecture, release, status) => {
    expect(statusOfCluster(CNV, [], { cpuArchitecture, release })).toBe(status);
  });

  it.each(['10de:1db6', '10de:1eb8'])('requires 1 GiB of memory for GPU %s', (id) => {
    const [vendorId = '', deviceId = ''] = id.split(':');
    const subject = host('worker', hardware({ gpus: [{ vendorId, deviceId }] }));
    expect(CNV.resources?.(subject, cluster()).ramMib).toBe(360 + 1_024);
  });

  it.each(['8086:158b', '15b3:1015', '15b3:1017', '15b3:1013', '15b3:101b'])(
    'requires 1 GiB of memory for network card %s',
    (id) => {
      const [vendorId = '', deviceId = ''] = id.split(':');
      const subject = host('worker', hardware({ nics: [nic(vendorId, deviceId)] }));
      expect(CNV.resources?.(subject, cluster()).ramMib).toBe(360 + 1_024);
    },
  );
});

describe('LVM Storage', () => {
  it('has another name before 4.12', () => {
    const names = (
      [
        [4, 11, 9],
        [4, 12, 0],
      ] as const
    ).map((release) => [LVM.installation(cluster({ release })).subscriptionName, lvmStorageClassOf({ release })]);
    expect(names).toEqual([
      ['odf-lvm-operator', 'odf-lvm-vg1'],
      ['lvms-operator', 'lvms-vg1'],
    ]);
  });

  it('requires 400 MiB in 4.15 still', () => {
    expect(LVM.resources?.(host('worker'), cluster({ release: [4, 15, 9] })).ramMib).toBe(400);
  });

  it('names the size of the disk only when other operators require one', () => {
    const claim = (minStorageGb: number) => LVM.host?.claim(host('worker'), cluster({ minStorageGb }));
    expect([claim(0), claim(1)]).toEqual([
      { status: 'failure', reason: 'no-disk', parameters: [] },
      { status: 'failure', reason: 'no-large-disk', parameters: [1] },
    ]);
  });

  it('stores the models on a single node, and OpenShift Data Foundation on several', () => {
    const storage = (isSingleNode: boolean) =>
      bundleNamed('openshift-ai', { isSingleNode })?.operators.filter((name) => ['lvm', 'odf'].includes(name));
    expect([storage(true), storage(false)]).toEqual([['lvm'], ['odf']]);
  });
});

describe('multicluster engine', () => {
  it.each([
    ['a worker', host('worker'), cluster(), { cpuCores: 4, ramMib: 16_384 }],
    ['a single node', host('master'), cluster({ isSingleNode: true }), { cpuCores: 8, ramMib: 32_768 }],
    ['an arbiter', host('arbiter'), cluster(), { cpuCores: 0, ramMib: 0 }],
  ])('requires resources of %s', (_case, subject, of, needs) => {
    expect(MCE.resources?.(subject, of)).toEqual(needs);
  });
});

describe('OpenShift Data Foundation', () => {
  const claim = (...subjects: ReturnType<typeof hosts>) =>
    ODF.cluster?.claim(subjects, cluster({ shape: shapeOf(subjects) }));
  const [small, large] = [host('master'), host('master', { disks: disks(30, 30) })];

  it('requires disks on three hosts, also when two have enough of them', () => {
    expect(claim(large, large, small)).toEqual({
      status: 'failure',
      reason: 'too-few-disks',
      parameters: [4, 2, 3, 3, 'compact'],
    });
    expect(claim(large, large, large)?.status).toBe('success');
  });

  it('names the roles that it requires', () => {
    expect(claim(large, ...hosts('worker'))).toEqual({ status: 'failure', reason: 'no-mode', parameters: [] });
  });
});
