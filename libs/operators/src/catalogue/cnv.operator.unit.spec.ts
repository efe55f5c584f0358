import type { Release } from '../plugin/operator-facts';
import {
  cluster,
  disks,
  GIB,
  hardware,
  host,
  nic,
  statusOfCluster,
  statusOfHost,
  unseen,
} from '../plugin/sample-subjects.fixture.spec';
import { CNV } from './cnv.operator';

const single = (release: Release, settings = new Map<string, string>()) =>
  cluster({ isSingleNode: true, operators: ['lso', 'cnv'], release, settings });
const singleWithoutLso = { ...single([4, 11, 9]), operators: ['cnv'] };
const DEVICES = hardware({
  gpus: [
    { vendorId: '10de', deviceId: '1eb8' },
    { vendorId: '10de', deviceId: 'ffff' },
  ],
  nics: [nic('15b3', '1015'), nic('8086', '1000')],
});

describe('OpenShift Virtualization', () => {
  it.each([
    ['a worker without requirements of its own', host('worker'), cluster(), 'success'],
    ['a CPU without virtualization', host('worker', { hasVirtualization: false }), cluster(), 'failure'],
    [
      'an ARM CPU, which reports no flags',
      host('worker', { hasVirtualization: false, cpuArchitecture: 'aarch64' }),
      cluster(),
      'success',
    ],
    ['a host without a role', host('auto-assign'), cluster(), 'failure'],
    ['a host with a suggested role', host('auto-assign>worker'), cluster(), 'success'],
    ['a host without inventory', unseen('worker'), cluster(), 'pending'],
    ['3 cores on the control plane', host('master', { cpuCount: 3 }), cluster(), 'failure'],
    ['4 cores on the control plane', host('master', { cpuCount: 4 }), cluster(), 'success'],
    ['1 core of a worker', host('worker', { cpuCount: 1 }), cluster(), 'failure'],
    ['359 MiB of a worker', host('worker', { usableMemoryBytes: 359 * 1024 ** 2 }), cluster(), 'failure'],
    ['360 MiB of a worker', host('worker', { usableMemoryBytes: 360 * 1024 ** 2 }), cluster(), 'success'],
    ['a single node of 4.11 without a disk', host('master'), single([4, 11, 9]), 'failure'],
    ['one with a disk of 50 GiB', host('master', { disks: disks((50 * GIB) / 1e9) }), single([4, 11, 9]), 'failure'],
    ['one with a larger disk', host('master', { disks: disks(54) }), single([4, 11, 9]), 'success'],
    [
      'one with a larger disk that is removable',
      host('master', { disks: disks(54).map((one) => ({ ...one, removable: true })) }),
      single([4, 11, 9]),
      'failure',
    ],
    ['a single node of 4.11 without Local Storage', host('master'), singleWithoutLso, 'success'],
    ['a single node of 4.12', host('master'), single([4, 12, 0]), 'success'],
    [
      'a single node of 4.11 with host paths disabled',
      host('master'),
      single([4, 11, 9], new Map([['CNV_SNO_INSTALL_HPP', 'false']])),
      'success',
    ],
  ])('checks %s', (_case, subject, of, status) => {
    expect(statusOfHost(CNV, subject, of)).toBe(status);
  });

  it.each([
    ['x86_64', [4, 18, 0], 'success'],
    ['arm64', [4, 13, 9], 'failure'],
    ['arm64', [4, 14, 0], 'success'],
    ['s390x', [4, 18, 0], 'failure'],
    ['multi', [4, 18, 0], 'success'],
  ] as const)('checks %s of %j', (cpuArchitecture, release, status) => {
    expect(statusOfCluster(CNV, [], { cpuArchitecture, release })).toBe(status);
  });

  it.each([
    ['the control plane', host('master', DEVICES), cluster(), { cpuCores: 4, ramMib: 150 }],
    ['a worker', host('worker'), cluster(), { cpuCores: 2, ramMib: 360 }],
    ['a worker with devices', host('worker', DEVICES), cluster(), { cpuCores: 2, ramMib: 360 + 2048 }],
    ['an arbiter', host('arbiter', DEVICES), cluster(), { cpuCores: 0, ramMib: 0 }],
    ['a single node with devices', host('master', DEVICES), single([4, 18, 0]), { cpuCores: 6, ramMib: 510 + 2048 }],
  ])('requires resources on %s', (_case, subject, of, needs) => {
    expect(CNV.resources?.(subject, of)).toEqual(needs);
  });

  it.each([
    ['the control plane', 'master', cluster(), { cpuCores: 4, ramMib: 150 }],
    ['workers', 'worker', cluster(), { cpuCores: 2, ramMib: 360 }],
    ['a single node, as control plane and worker', 'master', single([4, 18, 0]), { cpuCores: 6, ramMib: 510 }],
    ['workers of a single node', 'worker', single([4, 18, 0]), { cpuCores: 2, ramMib: 360 }],
  ] as const)('has preflight requirements of %s', (_case, role, of, needs) => {
    expect(CNV.preview?.(role, of)).toMatchObject(needs);
  });

  const HOST_PATHS = ['HyperConverged', 'HostPathProvisioner', 'StorageClass'];

  it.each([
    ['a single node of 4.11', single([4, 11, 9]), HOST_PATHS],
    ['a single node of 4.11 without Local Storage', singleWithoutLso, ['HyperConverged']],
    ['a single node of 4.12', single([4, 12, 0]), ['HyperConverged']],
    ['several nodes', cluster({ release: [4, 11, 9], operators: ['lso', 'cnv'] }), ['HyperConverged']],
  ])('creates objects on %s', (_case, of, kinds) => {
    expect(CNV.laterManifests?.([], of).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('counts the configured devices', () => {
    const settings = new Map([
      ['CNV_SUPPORTED_GPUS', '10de:ffff, 10de:1eb8'],
      ['CNV_SUPPORTED_SRIOV_NICS', ''],
    ]);
    expect(CNV.resources?.(host('worker', DEVICES), cluster({ settings }))?.ramMib).toBe(360 + 2048);
  });

  it('can use the community build', () => {
    const of = cluster({ settings: new Map([['CNV_MODE', 'false']]) });
    expect(CNV.installation(of).namespace).toBe('kubevirt-hyperconverged');
    expect(JSON.stringify(CNV.manifests(of))).toContain('community-operators');
  });
});
