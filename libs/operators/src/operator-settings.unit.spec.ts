import { ODF, odfObjects } from './catalogue/odf.operator';
import { OPERATOR_SETTINGS } from './operators.table';
import { cluster, disks, host, statusOfCluster } from './plugin/sample-subjects.fixture.spec';

describe('the settings of all operators', () => {
  it('have the names and defaults of assisted-service v2', () => {
    expect(Object.fromEntries(OPERATOR_SETTINGS.map(({ variable, standard }) => [variable, standard]))).toEqual({
      AMD_REQUIRE_GPU: 'true',
      AMD_SUPPORTED_GPUS: '1002',
      CNV_MODE: 'true',
      CNV_SNO_INSTALL_HPP: 'true',
      CNV_SUPPORTED_GPUS: '10de:1db6,10de:1eb8',
      CNV_SUPPORTED_SRIOV_NICS: '8086:158b,15b3:1015,15b3:1017,15b3:1013,15b3:101b',
      LVM_CPU_PER_HOST: '1',
      LVM_MEMORY_PER_HOST_MIB: '',
      MCE_MIN_OPENSHIFT_VERSION: '4.10.0',
      NVIDIA_REQUIRE_GPU: 'true',
      NVIDIA_SUPPORTED_GPUS: '10de',
      ODF_MIN_DISK_SIZE_GB: '25',
      ODF_NUM_MINIMUM_DISK: '3',
      ODF_PER_DISK_CPU_COUNT: '2',
      ODF_PER_DISK_RAM_GIB: '5',
      ODF_PER_HOST_CPU_COMPACT_MODE: '6',
      ODF_PER_HOST_CPU_STANDARD_MODE: '8',
      ODF_PER_HOST_MEMORY_GIB_COMPACT_MODE: '19',
      ODF_PER_HOST_MEMORY_GIB_STANDARD_MODE: '19',
      OPENSHIFT_AI_MIN_WORKER_CPU_CORES: '8',
      OPENSHIFT_AI_MIN_WORKER_MEMORY_GIB: '32',
      OPENSHIFT_AI_MIN_WORKER_NODES: '2',
    });
  });

  it('can require more disks of OpenShift Data Foundation', () => {
    const subjects = ['master', 'master', 'master'].map((role) => host(role, { disks: disks(100) }));
    const status = (count: string) =>
      statusOfCluster(ODF, subjects, { settings: new Map([['ODF_NUM_MINIMUM_DISK', count]]) });
    expect([status('3'), status('4')]).toEqual(['success', 'failure']);
  });

  it('can require larger machines and disks of OpenShift Data Foundation', () => {
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
