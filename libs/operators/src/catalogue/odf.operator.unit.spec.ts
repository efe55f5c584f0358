import { shapeOf } from '../plugin/operator-facts';
import {
  cluster,
  disks,
  host,
  hosts,
  statusOfCluster,
  statusOfHost,
  unseen,
} from '../plugin/sample-subjects.fixture.spec';
import { ODF, odfModeOf } from './odf.operator';

const MASTERS = ['master', 'master', 'master'];
const WORKERS = ['worker', 'worker', 'worker'];
const of = (...roles: readonly string[]) => cluster({ shape: shapeOf(hosts(...roles)) });
const equipped = (...roles: readonly string[]) => roles.map((role) => host(role, { disks: disks(100) }));

describe('the mode of data foundation', () => {
  it.each([
    [MASTERS, 'compact'],
    [['master', 'auto-assign', 'auto-assign'], 'compact'],
    [['auto-assign', 'auto-assign', 'auto-assign'], 'compact'],
    [['master', 'master', 'arbiter'], 'compact'],
    [[...MASTERS, 'master'], 'compact'],
    [[...MASTERS, 'auto-assign'], undefined],
    [[...MASTERS, ...WORKERS], 'standard'],
    [['master', 'master', 'arbiter', ...WORKERS], 'standard'],
    [[...MASTERS, 'worker', 'worker'], undefined],
    [['master', 'master', ...WORKERS], undefined],
    [[], undefined],
  ])('with %j is %s', (roles, mode) => {
    expect(odfModeOf(shapeOf(hosts(...roles)))).toBe(mode);
  });
});

describe('data foundation', () => {
  it.each([
    ['a control plane host that carries it', host('master', { disks: disks(25) }), of(...MASTERS), 'success'],
    ['one with a disk too small', host('master', { disks: disks(24) }), of(...MASTERS), 'failure'],
    ['one without', host('master'), of(...MASTERS), 'failure'],
    ['a control plane host beside workers', host('master'), of(...MASTERS, ...WORKERS), 'success'],
    ['a worker that carries it', host('worker', { disks: disks(25) }), of(...MASTERS, ...WORKERS), 'success'],
    ['a worker without a disk', host('worker'), of(...MASTERS, ...WORKERS), 'failure'],
    ['any host while there is no mode', host('worker'), of(...MASTERS, 'worker'), 'success'],
    ['a host without a role among four', host('auto-assign>worker'), of(...MASTERS, 'auto-assign'), 'pending'],
    ['a host that is not known yet', unseen('master'), of(...MASTERS), 'pending'],
    [
      'a disk too small for what others store',
      host('master', { disks: disks(74) }),
      cluster({ minStorageGb: 50, shape: shapeOf(hosts(...MASTERS)) }),
      'failure',
    ],
  ])('of %s', (_case, subject, where, status) => {
    expect(statusOfHost(ODF, subject, where)).toBe(status);
  });

  it.each([
    ['three that carry it', equipped(...MASTERS), 'success'],
    ['two with disks and one without', [...equipped('master', 'master'), host('master')], 'failure'],
    ['workers that carry it', [...hosts(...MASTERS), ...equipped(...WORKERS)], 'success'],
    ['disks where it does not run', [...equipped(...MASTERS), ...hosts(...WORKERS)], 'failure'],
    ['one that is not known yet', [...equipped('master', 'master'), unseen('master')], 'pending'],
    ['too few', equipped('master', 'worker'), 'failure'],
  ])('for a cluster of %s', (_case, subjects, status) => {
    expect(statusOfCluster(ODF, subjects)).toBe(status);
  });

  it.each([
    ['compact, no disk found yet', host('master'), of(...MASTERS), { cpuCores: 8, ramMib: 24 * 1024 }],
    [
      'compact, two disks',
      host('arbiter', { disks: disks(30, 30) }),
      of('master', 'master', 'arbiter'),
      { cpuCores: 10, ramMib: 29 * 1024 },
    ],
    [
      'standard, two disks',
      host('worker', { disks: disks(30, 30) }),
      of(...MASTERS, ...WORKERS),
      { cpuCores: 12, ramMib: 29 * 1024 },
    ],
    ['standard, none', host('worker'), of(...MASTERS, ...WORKERS), { cpuCores: 8, ramMib: 19 * 1024 }],
    [
      'standard, control plane',
      host('master', { disks: disks(30) }),
      of(...MASTERS, ...WORKERS),
      { cpuCores: 0, ramMib: 0 },
    ],
    ['no mode', host('worker'), of('worker'), { cpuCores: 0, ramMib: 0 }],
  ])('needs, %s', (_case, subject, where, needs) => {
    expect(ODF.resources?.(subject, where)).toEqual(needs);
  });

  it('builds on all disks of the hosts that carry it', () => {
    const subjects = [...hosts(...MASTERS), ...WORKERS.map((role) => host(role, { disks: disks(30, 30, 10) }))];
    const objects = ODF.laterManifests?.(subjects, cluster({ shape: shapeOf(subjects) }));
    expect(objects?.[1]).toMatchObject({ kind: 'StorageCluster', spec: { storageDeviceSets: [{ count: 6 }] } });
  });
});
