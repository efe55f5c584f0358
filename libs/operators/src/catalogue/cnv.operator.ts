import { BYTES_PER_GB, listedDevices, localDisks } from '../plugin/devices';
import { olmManifests } from '../plugin/olm-objects';
import { AWAITS_INVENTORY, firstFault, lacks, meets, type OperatorClaim } from '../plugin/operator-claim';
import { isSince, type OperatorCluster, type OperatorHost } from '../plugin/operator-facts';
import {
  type ExtraResources,
  LONG_TIMEOUT_SECONDS,
  type ManifestObject,
  MIB_PER_GIB,
  NOTHING,
  operatorPlugin,
  PLAIN,
} from '../plugin/operator-plugin';
import { flag, flagOf, names, namesOf } from '../plugin/operator-settings';
import { CHOOSE_ANOTHER_CLUSTER, claimArchitecture, claimResources, claimSince } from '../plugin/shared-claims';
import { LOCAL_STORAGE_CLASS, LSO } from './local-storage.operators';

const POOL = 'sno';

/** Returns the operand, and on a single node without other storage the storage class with host-path directories. */
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
          storageClassName: LOCAL_STORAGE_CLASS,
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

const SUPPORTED_GPUS = names(
  'CNV_SUPPORTED_GPUS',
  ['10de:1db6', '10de:1eb8'],
  'PCI ids (vendor:device) of GPUs. Each one requires 1 GiB of additional memory on its host.',
);
const SUPPORTED_NICS = names(
  'CNV_SUPPORTED_SRIOV_NICS',
  ['8086:158b', '15b3:1015', '15b3:1017', '15b3:1013', '15b3:101b'],
  'PCI ids (vendor:device) of SR-IOV network devices. Each one requires 1 GiB of additional memory on its host.',
);
const IS_PRODUCT = flag('CNV_MODE', true, 'Installs OpenShift Virtualization instead of its community build.');
const INSTALLS_HOST_PATHS = flag(
  'CNV_SNO_INSTALL_HPP',
  true,
  'Installs the host-path provisioner on a single node with OpenShift 4.10 or 4.11 and the Local Storage operator.',
);

const MASTER_NEEDS: ExtraResources = { cpuCores: 4, ramMib: 150 };
const WORKER_NEEDS: ExtraResources = { cpuCores: 2, ramMib: 360 };
/** Minimum size in GiB of the disk for host-path volumes of a single node. */
const HOST_PATH_GIB = 50;
const BYTES_PER_GIB = 1024 ** 3;

type Known = Pick<OperatorCluster, 'release' | 'settings'>;

const installationOf = ({
  settings,
}: Pick<OperatorCluster, 'settings'>): { namespace: string; subscriptionName: string } => ({
  namespace: flagOf(settings, IS_PRODUCT) ? 'openshift-cnv' : 'kubevirt-hyperconverged',
  subscriptionName: 'hco-operatorhub',
});

/** Before LVM storage existed, a single node could store the disks of virtual machines in directories only. */
const canHaveHostPaths = (cluster: Known & Pick<OperatorCluster, 'isSingleNode'>): boolean =>
  cluster.isSingleNode &&
  isSince(cluster, 4, 10) &&
  !isSince(cluster, 4, 12) &&
  flagOf(cluster.settings, INSTALLS_HOST_PATHS);
/** The directories are on a disk of the Local Storage operator. */
const hasHostPaths = (cluster: OperatorCluster): boolean =>
  canHaveHostPaths(cluster) && cluster.operators.includes(LSO.name);

function workerNeeds(host: OperatorHost, { settings }: OperatorCluster): ExtraResources {
  const devices = listedDevices(host, namesOf(settings, SUPPORTED_GPUS), namesOf(settings, SUPPORTED_NICS));
  return { cpuCores: WORKER_NEEDS.cpuCores, ramMib: WORKER_NEEDS.ramMib + devices * MIB_PER_GIB };
}

/** A single node is control plane and worker. */
const singleNodeNeeds = (worker: ExtraResources): ExtraResources => ({
  cpuCores: MASTER_NEEDS.cpuCores + worker.cpuCores,
  ramMib: MASTER_NEEDS.ramMib + worker.ramMib,
});

function needsOf(host: OperatorHost, cluster: OperatorCluster): ExtraResources {
  if (host.effectiveRole === 'arbiter') return NOTHING;
  if (cluster.isSingleNode) return singleNodeNeeds(workerNeeds(host, cluster));
  return host.effectiveRole === 'master' ? MASTER_NEEDS : workerNeeds(host, cluster);
}

function previewNeeds(role: 'master' | 'worker', isSingleNode: boolean): ExtraResources {
  if (role === 'worker') return WORKER_NEEDS;
  return isSingleNode ? singleNodeNeeds(WORKER_NEEDS) : MASTER_NEEDS;
}

function claimVirtualization({ hardware }: OperatorHost): OperatorClaim {
  if (!hardware) return AWAITS_INVENTORY;
  return hardware.hasVirtualization || ['aarch64', 'arm64'].includes(hardware.cpuArchitecture)
    ? meets()
    : lacks('virtualization');
}

function claimHostPathDisk(host: OperatorHost, cluster: OperatorCluster): OperatorClaim {
  if (!hasHostPaths(cluster)) return meets();
  const disks = localDisks(host).filter(({ sizeBytes }) => sizeBytes > HOST_PATH_GIB * BYTES_PER_GIB);
  return disks.length > 0 ? meets() : lacks('no-large-disk', Math.ceil((HOST_PATH_GIB * BYTES_PER_GIB) / BYTES_PER_GB));
}

export const CNV = operatorPlugin({
  ...PLAIN,
  name: 'cnv',
  title: 'OpenShift Virtualization',
  featureId: 'CNV',
  bundles: () => [{ id: 'virtualization' }],
  settings: [SUPPORTED_GPUS, SUPPORTED_NICS, IS_PRODUCT, INSTALLS_HOST_PATHS],
  installation: installationOf,
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  decidesControlPlane: true,
  resources: needsOf,
  preview: (role, cluster) => ({
    ...previewNeeds(role, cluster.isSingleNode),
    descriptions: [
      '1 GiB of memory more for each supported GPU',
      '1 GiB of memory more for each supported SR-IOV network card',
      'A CPU with virtualization support (vmx or svm)',
      ...(canHaveHostPaths(cluster)
        ? [`With Local Storage, a disk of more than ${HOST_PATH_GIB} GiB in addition to the installation disk`]
        : []),
    ],
  }),
  host: {
    checks:
      'The CPU supports virtualization, and the host has the resources of the operator: 4 cores and 150 MiB on the control plane, 2 cores and 360 MiB on workers, 1 GiB more per supported GPU and SR-IOV card. A single node requires both and, before 4.12 with Local Storage, a disk of more than 50 GiB.',
    claim: (host, cluster) =>
      firstFault(
        () => claimVirtualization(host),
        () => (host.effectiveRole === 'auto-assign' ? lacks('needs-role') : meets()),
        () => claimResources(host, needsOf(host, cluster)),
        () => claimHostPathDisk(host, cluster),
      ),
    remedy: 'Enable virtualization in the firmware, use a larger machine, or assign a role to the host.',
  },
  cluster: {
    checks: 'The CPU architecture supports virtual machines: x86_64, or arm64 since 4.14.',
    claim: (_hosts, cluster) =>
      firstFault(
        () => claimArchitecture(cluster, ['s390x', 'ppc64le']),
        () => (['arm64', 'aarch64'].includes(cluster.cpuArchitecture) ? claimSince(cluster, [4, 14, 0]) : meets()),
      ),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: (cluster) =>
    olmManifests({
      file: 'cnv',
      installation: installationOf(cluster),
      package: flagOf(cluster.settings, IS_PRODUCT)
        ? { name: 'kubevirt-hyperconverged', source: 'redhat-operators', channel: 'stable' }
        : { name: 'community-kubevirt-hyperconverged', source: 'community-operators', channel: 'stable' },
      group: { name: 'kubevirt-hyperconverged-group', watches: 'own' },
    }),
  laterManifests: (_hosts, cluster) => cnvObjects(installationOf(cluster).namespace, hasHostPaths(cluster)),
});
