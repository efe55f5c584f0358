import type { ManifestObject } from '../plugin/operator-plugin';

const POOL = 'sno';

/** The operand, and on a single node without other storage the directories that volumes live in. */
export function cnvObjects(namespace: string, hasHostPaths: boolean): readonly ManifestObject[] {
  const operand = {
    apiVersion: 'hco.kubevirt.io/v1beta1',
    kind: 'HyperConverged',
    metadata: { name: 'kubevirt-hyperconverged', namespace },
    spec: {},
  };
  return hasHostPaths ? [operand, hostPathProvisioner, hostPathClass] : [operand];
}

const hostPathProvisioner = {
  apiVersion: 'hostpathprovisioner.kubevirt.io/v1beta1',
  kind: 'HostPathProvisioner',
  metadata: { name: 'hostpath-provisioner' },
  spec: {
    imagePullPolicy: 'IfNotPresent',
    storagePools: [
      {
        name: POOL,
        path: '/var/hpvolumes',
        pvcTemplate: {
          volumeMode: 'Block',
          storageClassName: 'localblock-sc',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '50Gi' } },
        },
      },
    ],
    workload: { nodeSelector: { 'kubernetes.io/os': 'linux' } },
  },
};

const hostPathClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'sno-storage' },
  provisioner: 'kubevirt.io.hostpath-provisioner',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  parameters: { storagePool: POOL },
};
