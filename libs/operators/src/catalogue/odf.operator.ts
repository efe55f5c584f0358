import { BYTES_PER_GB, localDisks } from '../plugin/devices';
import { olmManifests } from '../plugin/olm-objects';
import { awaits, AWAITS_INVENTORY, lacks, meets, type OperatorClaim } from '../plugin/operator-claim';
import { type ClusterShape, isSince, type OperatorCluster, type OperatorHost } from '../plugin/operator-facts';
import {
  type ExtraResources,
  type ManifestObject,
  MIB_PER_GIB,
  NOTHING,
  operatorPlugin,
  PLAIN,
} from '../plugin/operator-plugin';
import { whole, wholeOf } from '../plugin/operator-settings';

/** compact: on the control plane. standard: on workers. undefined: too few hosts for either. */
export type OdfMode = 'compact' | 'standard' | undefined;

export const STORAGE_HOSTS_MIN = 3;
const ARBITED_MASTERS_MIN = 2;

/** Determined by the roles that the user set. */
export function odfModeOf({ masters, arbiters, workers, unassigned }: ClusterShape): OdfMode {
  const isCompact =
    workers === 0 &&
    (masters + unassigned === STORAGE_HOSTS_MIN || (unassigned === 0 && masters + arbiters >= STORAGE_HOSTS_MIN));
  if (isCompact) return 'compact';
  const hasControlPlane = masters >= STORAGE_HOSTS_MIN || (masters >= ARBITED_MASTERS_MIN && arbiters > 0);
  return hasControlPlane && workers >= STORAGE_HOSTS_MIN ? 'standard' : undefined;
}

export function runsOdf({ effectiveRole }: Pick<OperatorHost, 'effectiveRole'>, mode: OdfMode): boolean {
  switch (mode) {
    case 'compact':
      return effectiveRole !== 'worker';
    case 'standard':
      return effectiveRole === 'worker';
    case undefined:
      return false;
    default:
      return mode satisfies never;
  }
}

const WORKER_LABEL = 'node-role.kubernetes.io/worker';
const CLUSTER = 'ocs-storagecluster';
/** Storage class of block devices, which other operators use by name. */
export const ODF_STORAGE_CLASS = `${CLUSTER}-ceph-rbd`;

const storageSystem = (namespace: string): ManifestObject => ({
  apiVersion: 'odf.openshift.io/v1alpha1',
  kind: 'StorageSystem',
  metadata: { name: `${CLUSTER}-storagesystem`, namespace },
  spec: { kind: 'storagecluster.ocs.openshift.io/v1', name: CLUSTER, namespace },
});

/** Storage on `disks` raw disks. Each copy is on another host. Control planes get fewer resources. */
export function odfObjects(namespace: string, disks: number, isCompact: boolean): readonly ManifestObject[] {
  return [
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

/** On nodes that run workloads, preferably on different nodes. */
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

const CORES_PER_DISK = whole('ODF_PER_DISK_CPU_COUNT', 2, 'CPU cores that each storage disk requires.');
const GIB_PER_DISK = whole('ODF_PER_DISK_RAM_GIB', 5, 'Memory in GiB that each storage disk requires.');
const DISKS_MIN = whole('ODF_NUM_MINIMUM_DISK', 3, 'Minimum number of storage disks in the cluster.');
const CORES_COMPACT = whole(
  'ODF_PER_HOST_CPU_COMPACT_MODE',
  6,
  'CPU cores that each control plane host requires when it stores data.',
);
const GIB_COMPACT = whole(
  'ODF_PER_HOST_MEMORY_GIB_COMPACT_MODE',
  19,
  'Memory in GiB that each control plane host requires when it stores data.',
);
const CORES_STANDARD = whole(
  'ODF_PER_HOST_CPU_STANDARD_MODE',
  8,
  'CPU cores that each worker requires when the workers store data.',
);
const GIB_STANDARD = whole(
  'ODF_PER_HOST_MEMORY_GIB_STANDARD_MODE',
  19,
  'Memory in GiB that each worker requires when the workers store data.',
);
const DISK_GB_MIN = whole('ODF_MIN_DISK_SIZE_GB', 25, 'Minimum size of a storage disk in GB.');

const INSTALLATION = { namespace: 'openshift-storage', subscriptionName: 'odf-operator' };

const minGbOf = ({ settings, minStorageGb }: OperatorCluster): number => wholeOf(settings, DISK_GB_MIN) + minStorageGb;
const disksOf = (host: OperatorHost, cluster: OperatorCluster): number =>
  localDisks(host, minGbOf(cluster) * BYTES_PER_GB).length;

function needsOf(host: OperatorHost, cluster: OperatorCluster): ExtraResources {
  const mode = odfModeOf(cluster.shape);
  if (mode === undefined || !runsOdf(host, mode)) return NOTHING;
  const { settings } = cluster;
  const found = disksOf(host, cluster);
  // A control plane host with storage has at least one disk.
  const disks = mode === 'compact' ? Math.max(found, 1) : found;
  const [cores, gib] = mode === 'compact' ? [CORES_COMPACT, GIB_COMPACT] : [CORES_STANDARD, GIB_STANDARD];
  return {
    cpuCores: wholeOf(settings, cores) + disks * wholeOf(settings, CORES_PER_DISK),
    ramMib: (wholeOf(settings, gib) + disks * wholeOf(settings, GIB_PER_DISK)) * MIB_PER_GIB,
  };
}

function claimHost(host: OperatorHost, cluster: OperatorCluster): OperatorClaim {
  if (!host.hardware) return AWAITS_INVENTORY;
  if (host.role === 'auto-assign' && cluster.shape.hosts !== STORAGE_HOSTS_MIN) return awaits('awaits-role');
  if (!runsOdf(host, odfModeOf(cluster.shape)) || disksOf(host, cluster) > 0) return meets();
  return lacks('no-large-disk', minGbOf(cluster));
}

function claimCluster(hosts: readonly OperatorHost[], cluster: OperatorCluster): OperatorClaim {
  const mode = odfModeOf(cluster.shape);
  if (mode === undefined) return lacks('no-mode');
  const carriers = hosts.filter((host) => runsOdf(host, mode));
  if (carriers.some(({ hardware }) => !hardware)) return awaits('awaits-inventories');
  const counts = carriers.map((host) => disksOf(host, cluster)).filter((count) => count > 0);
  const disks = counts.reduce((sum, count) => sum + count, 0);
  const disksMin = wholeOf(cluster.settings, DISKS_MIN);
  return counts.length >= STORAGE_HOSTS_MIN && disks >= disksMin
    ? meets()
    : lacks('too-few-disks', disks, counts.length, disksMin, STORAGE_HOSTS_MIN, mode);
}

export const ODF = operatorPlugin({
  ...PLAIN,
  name: 'odf',
  title: 'OpenShift Data Foundation',
  aliases: ['ocs'],
  featureId: 'ODF',
  dependencies: () => ['lso'],
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'openshift-ai' }]),
  settings: [
    CORES_PER_DISK,
    GIB_PER_DISK,
    DISKS_MIN,
    CORES_COMPACT,
    GIB_COMPACT,
    CORES_STANDARD,
    GIB_STANDARD,
    DISK_GB_MIN,
  ],
  installation: () => INSTALLATION,
  decidesControlPlane: true,
  resources: needsOf,
  preview: (role, { settings }) =>
    role === 'master'
      ? {
          cpuCores: wholeOf(settings, CORES_COMPACT),
          ramMib: wholeOf(settings, GIB_COMPACT) * MIB_PER_GIB,
          descriptions: [
            'Only when the cluster has no workers',
            `${wholeOf(settings, CORES_PER_DISK)} cores and ${wholeOf(settings, GIB_PER_DISK)} GiB more for each disk that storage gets`,
            'At least 3 hosts with a disk in addition to the installation disk, SSD or HDD',
          ],
        }
      : {
          cpuCores: wholeOf(settings, CORES_STANDARD),
          ramMib: wholeOf(settings, GIB_STANDARD) * MIB_PER_GIB,
          descriptions: [
            'Only when the cluster has workers',
            `${wholeOf(settings, CORES_PER_DISK)} cores and ${wholeOf(settings, GIB_PER_DISK)} GiB more for each disk that storage gets`,
            'At least 3 workers with a disk in addition to the installation disk, SSD or HDD',
          ],
        },
  host: {
    checks:
      'Storage hosts have an SSD or HDD that is not removable, of at least `ODF_MIN_DISK_SIZE_GB` (25 GB by default), in addition to the installation disk.',
    claim: claimHost,
    remedy: 'Add a disk to the host, or assign a role to the host.',
  },
  cluster: {
    checks:
      'The roles match compact or standard mode, and at least 3 storage hosts have `ODF_NUM_MINIMUM_DISK` disks (3 by default) together.',
    claim: claimCluster,
    remedy: 'Assign roles: 3 control plane hosts alone, or with at least 3 workers. Add disks to the storage hosts.',
  },
  manifests: () =>
    olmManifests({
      file: 'odf',
      installation: INSTALLATION,
      package: { name: 'odf-operator', source: 'redhat-operators' },
      group: { name: 'openshift-storage-operatorgroup', watches: 'own' },
      namespaceLabels: { 'openshift.io/cluster-monitoring': 'true' },
    }),
  laterManifests: (hosts, cluster) => {
    const mode = odfModeOf(cluster.shape);
    const disks = hosts.filter((host) => runsOdf(host, mode)).reduce((sum, host) => sum + disksOf(host, cluster), 0);
    const objects = odfObjects(INSTALLATION.namespace, disks, mode === 'compact');
    // The StorageSystem type was removed in 4.19.
    return isSince(cluster, 4, 19) ? objects : [storageSystem(INSTALLATION.namespace), ...objects];
  },
});
