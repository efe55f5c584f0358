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
import { ODF, odfModeOf, odfObjects } from './odf.operator';

const MASTERS = ['master', 'master', 'master'];
const WORKERS = ['worker', 'worker', 'worker'];
const of = (...roles: readonly string[]) => cluster({ shape: shapeOf(hosts(...roles)) });
const removable = (gb: number) => disks(gb).map((one, index) => ({ ...one, removable: index > 0 }));
const equipped = (...roles: readonly string[]) => roles.map((role) => host(role, { disks: disks(100) }));

describe('mode of OpenShift Data Foundation', () => {
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
    [['master', 'arbiter', ...WORKERS], undefined],
    [['master', 'arbiter', 'arbiter', ...WORKERS], undefined],
    [[], undefined],
  ])('with %j is %s', (roles, mode) => {
    expect(odfModeOf(shapeOf(hosts(...roles)))).toBe(mode);
  });
});

describe('OpenShift Data Foundation', () => {
  it.each([
    ['a control plane host in compact mode', host('master', { disks: disks(25) }), of(...MASTERS), 'success'],
    [
      'a control plane host in compact mode with a disk that is too small',
      host('master', { disks: disks(24) }),
      of(...MASTERS),
      'failure',
    ],
    ['a host whose other disk is removable', host('master', { disks: removable(64) }), of(...MASTERS), 'failure'],
    ['a control plane host in compact mode without a disk', host('master'), of(...MASTERS), 'failure'],
    ['a control plane host in standard mode', host('master'), of(...MASTERS, ...WORKERS), 'success'],
    ['a worker in standard mode', host('worker', { disks: disks(25) }), of(...MASTERS, ...WORKERS), 'success'],
    ['a worker without a disk', host('worker'), of(...MASTERS, ...WORKERS), 'failure'],
    ['any host without a mode', host('worker'), of(...MASTERS, 'worker'), 'success'],
    ['a host without a role among four hosts', host('auto-assign>worker'), of(...MASTERS, 'auto-assign'), 'pending'],
    ['a host without inventory', unseen('master'), of(...MASTERS), 'pending'],
    [
      'a disk that is too small for the data of other operators',
      host('master', { disks: disks(74) }),
      cluster({ minStorageGb: 50, shape: shapeOf(hosts(...MASTERS)) }),
      'failure',
    ],
  ])('checks %s', (_case, subject, where, status) => {
    expect(statusOfHost(ODF, subject, where)).toBe(status);
  });

  it.each([
    ['three hosts with a disk each', equipped(...MASTERS), 'success'],
    ['two hosts with disks and one without', [...equipped('master', 'master'), host('master')], 'failure'],
    ['three workers with a disk each', [...hosts(...MASTERS), ...equipped(...WORKERS)], 'success'],
    ['disks on hosts without storage', [...equipped(...MASTERS), ...hosts(...WORKERS)], 'failure'],
    ['a host without inventory', [...equipped('master', 'master'), unseen('master')], 'pending'],
    ['too few hosts', equipped('master', 'worker'), 'failure'],
  ])('checks a cluster of %s', (_case, subjects, status) => {
    expect(statusOfCluster(ODF, subjects)).toBe(status);
  });

  it.each([
    ['compact mode without a disk', host('master'), of(...MASTERS), { cpuCores: 8, ramMib: 24 * 1024 }],
    [
      'compact mode with two disks',
      host('arbiter', { disks: disks(30, 30) }),
      of('master', 'master', 'arbiter'),
      { cpuCores: 10, ramMib: 29 * 1024 },
    ],
    [
      'standard mode with two disks',
      host('worker', { disks: disks(30, 30) }),
      of(...MASTERS, ...WORKERS),
      { cpuCores: 12, ramMib: 29 * 1024 },
    ],
    ['standard mode without a disk', host('worker'), of(...MASTERS, ...WORKERS), { cpuCores: 8, ramMib: 19 * 1024 }],
    [
      'a control plane host in standard mode',
      host('master', { disks: disks(30) }),
      of(...MASTERS, ...WORKERS),
      { cpuCores: 0, ramMib: 0 },
    ],
    [
      'compact mode of a host that becomes a worker',
      host('auto-assign>worker', { disks: disks(30) }),
      of('master', 'master', 'auto-assign'),
      { cpuCores: 0, ramMib: 0 },
    ],
    ['no mode', host('worker'), of('worker'), { cpuCores: 0, ramMib: 0 }],
  ])('requires resources in %s', (_case, subject, where, needs) => {
    expect(ODF.resources?.(subject, where)).toEqual(needs);
  });

  it('counts no removable disk, which the Local Storage operator does not provide', () => {
    const [stick] = removable(64).slice(1);
    const subjects = MASTERS.map((role) => host(role, { disks: [...disks(100), ...(stick ? [stick] : [])] }));
    const objects = ODF.laterManifests?.(subjects, cluster({ shape: shapeOf(subjects) }));
    expect(objects?.[1]).toMatchObject({ kind: 'StorageCluster', spec: { storageDeviceSets: [{ count: 3 }] } });
  });

  it('uses all disks of the storage hosts', () => {
    const subjects = [...hosts(...MASTERS), ...WORKERS.map((role) => host(role, { disks: disks(30, 30, 10) }))];
    const objects = ODF.laterManifests?.(subjects, cluster({ shape: shapeOf(subjects) }));
    expect(objects?.[1]).toMatchObject({ kind: 'StorageCluster', spec: { storageDeviceSets: [{ count: 6 }] } });
  });

  it.each([
    [
      [4, 18, 9],
      ['StorageSystem', 'StorageCluster'],
    ],
    [[4, 19, 0], ['StorageCluster']],
  ] as const)('in %j creates %j', (release, kinds) => {
    const objects = ODF.laterManifests?.(equipped(...MASTERS), cluster({ release, shape: shapeOf(hosts(...MASTERS)) }));
    expect(objects?.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('the settings of OpenShift Data Foundation', () => {
  it('can require more disks', () => {
    const subjects = ['master', 'master', 'master'].map((role) => host(role, { disks: disks(100) }));
    const status = (count: string) =>
      statusOfCluster(ODF, subjects, { settings: new Map([['ODF_NUM_MINIMUM_DISK', count]]) });
    expect([status('3'), status('4')]).toEqual(['success', 'failure']);
  });

  it('can require larger machines and disks', () => {
    const subjects = ['worker', 'worker', 'worker'].map((role) => host(role, { disks: disks(30) }));
    const shape = { hosts: 4, masters: 3, arbiters: 0, workers: 3, unassigned: 0, effectiveWorkers: 3 };
    const settings = new Map([
      ['ODF_PER_HOST_CPU_STANDARD_MODE', '10'],
      ['ODF_PER_HOST_MEMORY_GIB_STANDARD_MODE', '20'],
      ['ODF_PER_DISK_CPU_COUNT', '3'],
      ['ODF_PER_DISK_RAM_GIB', '7'],
    ]);
    const [worker] = subjects;
    if (!worker) throw new Error('There is no worker.');
    expect(ODF.resources?.(worker, cluster({ shape, settings }))).toEqual({ cpuCores: 13, ramMib: 27 * 1024 });
    const larger = new Map([['ODF_MIN_DISK_SIZE_GB', '31']]);
    expect(ODF.host?.claim(worker, cluster({ shape, settings: larger }))).toEqual({
      status: 'failure',
      reason: 'no-large-disk',
      parameters: [31],
    });
  });
});

describe('the storage of OpenShift Data Foundation', () => {
  const workers = { key: 'node-role.kubernetes.io/worker' };
  const apartFrom = (app: string) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ ...workers, operator: 'Exists' }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: {
            labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [app] }] },
            topologyKey: 'kubernetes.io/hostname',
          },
        },
      ],
    },
  });
  const limited = (request: string, limit: string, memory: string) => ({
    requests: { cpu: request, memory },
    limits: { cpu: limit, memory },
  });

  it.each([
    [
      'on the control plane has limited resources',
      true,
      { resources: { mds: limited('1', '3', '8Gi'), rgw: limited('1', '2', '4Gi') } },
      { resources: limited('1', '2', '5Gi') },
    ],
    ['on workers has its own resources', false, {}, {}],
  ])('%s', (_case, isCompact, ofCluster, ofDisks) => {
    expect(odfObjects('openshift-storage', 6, isCompact)).toEqual([
      {
        apiVersion: 'ocs.openshift.io/v1',
        kind: 'StorageCluster',
        metadata: { name: 'ocs-storagecluster', namespace: 'openshift-storage' },
        spec: {
          labelSelector: { matchExpressions: [{ ...workers, operator: 'In', values: [''] }] },
          manageNodes: false,
          flexibleScaling: true,
          monDataDirHostPath: '/var/lib/rook',
          ...ofCluster,
          storageDeviceSets: [
            {
              name: 'ocs-deviceset',
              count: 6,
              replica: 1,
              portable: false,
              dataPVCTemplate: {
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1' } },
                  storageClassName: 'localblock-sc',
                  volumeMode: 'Block',
                },
              },
              placement: apartFrom('rook-ceph-osd'),
              preparePlacement: apartFrom('rook-ceph-osd-prepare'),
              ...ofDisks,
            },
          ],
        },
      },
    ]);
  });
});
