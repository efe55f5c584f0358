import type { ManifestObject } from '../plugin/operator-plugin';

const WORKER_LABEL = 'node-role.kubernetes.io/worker';
const CLUSTER = 'ocs-storagecluster';

/** Storage over `disks` raw disks, one replica each as copies are kept across hosts. Control planes that carry it get less. */
export function odfObjects(namespace: string, disks: number, isCompact: boolean): readonly ManifestObject[] {
  return [
    {
      apiVersion: 'odf.openshift.io/v1alpha1',
      kind: 'StorageSystem',
      metadata: { name: `${CLUSTER}-storagesystem`, namespace },
      spec: { kind: 'storagecluster.ocs.openshift.io/v1', name: CLUSTER, namespace },
    },
    {
      apiVersion: 'ocs.openshift.io/v1',
      kind: 'StorageCluster',
      metadata: { name: CLUSTER, namespace },
      spec: {
        labelSelector: { matchExpressions: [{ key: WORKER_LABEL, operator: 'In', values: [''] }] },
        manageNodes: false,
        flexibleScaling: true,
        monDataDirHostPath: '/var/lib/rook',
        ...(isCompact ? { resources: { mds: budget('1', '3', '8Gi'), rgw: budget('1', '2', '4Gi') } } : {}),
        storageDeviceSets: [
          {
            name: 'ocs-deviceset',
            count: disks,
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
            ...(isCompact ? { resources: budget('1', '2', '5Gi') } : {}),
          },
        ],
      },
    },
  ];
}

const budget = (cpuRequest: string, cpuLimit: string, memory: string): ManifestObject => ({
  requests: { cpu: cpuRequest, memory },
  limits: { cpu: cpuLimit, memory },
});

/** On nodes that run workloads, and rather not two on one. */
const apartFrom = (app: string): ManifestObject => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: WORKER_LABEL, operator: 'Exists' }] }],
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
