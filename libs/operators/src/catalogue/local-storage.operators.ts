import { BYTES_PER_GB, extraDisks } from '../plugin/devices';
import { olmManifests } from '../plugin/olm-objects';
import { AWAITS_INVENTORY, firstFault, lacks, meets, type OperatorClaim } from '../plugin/operator-claim';
import {
  areMastersForcedSchedulable,
  isSince,
  type OperatorCluster,
  type OperatorHost,
} from '../plugin/operator-facts';
import { type ExtraResources, NOTHING, operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { type OperatorSetting, whole, wholeOf } from '../plugin/operator-settings';
import { CHOOSE_ANOTHER_CLUSTER, claimSince } from '../plugin/shared-claims';

/** Storage class of the raw disks, which other operators use by name. */
export const LOCAL_STORAGE_CLASS = 'localblock-sc';
const TIMEOUT_SECONDS = 4_200;
const LSO_INSTALLATION = { namespace: 'openshift-local-storage', subscriptionName: 'local-storage-operator' };

export const LSO = operatorPlugin({
  ...PLAIN,
  name: 'lso',
  title: 'Local Storage',
  featureId: 'LSO',
  timeoutSeconds: TIMEOUT_SECONDS,
  decidesControlPlane: true,
  installation: () => LSO_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'lso',
      installation: LSO_INSTALLATION,
      package: { name: 'local-storage-operator', source: 'redhat-operators' },
      group: { name: 'local-storage', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'local.storage.openshift.io/v1alpha1',
      kind: 'LocalVolumeSet',
      metadata: { name: 'local-disks', namespace: LSO_INSTALLATION.namespace },
      spec: {
        storageClassName: LOCAL_STORAGE_CLASS,
        volumeMode: 'Block',
        deviceInclusionSpec: { deviceTypes: ['disk'] },
      },
    },
  ],
});

const CPU_PER_HOST = whole(
  'LVM_CPU_PER_HOST',
  1,
  'CPU cores that LVM Storage requires on each host that runs workloads.',
);
/** Has no default, because the requirement decreased in later releases. */
const MEMORY_PER_HOST: OperatorSetting = {
  variable: 'LVM_MEMORY_PER_HOST_MIB',
  kind: 'whole',
  standard: '',
  meaning:
    'Memory in MiB that LVM Storage requires on each host that runs workloads. Not set: 1,200, 400 from OpenShift 4.13 on, 100 from 4.16 on.',
};
const RAM_MIB_AT_FIRST = 1_200;
const RAM_MIB_SINCE_4_13 = 400;
const RAM_MIB_SINCE_4_16 = 100;
const NAMESPACE = 'openshift-storage';
const DEVICE_CLASS = 'vg1';

type Known = Pick<OperatorCluster, 'release' | 'settings'>;

/** Returns where it is installed. Its first release had another name. */
const installationOf = (cluster: Known): { namespace: string; subscriptionName: string } => ({
  namespace: NAMESPACE,
  subscriptionName: isSince(cluster, 4, 12) ? 'lvms-operator' : 'odf-lvm-operator',
});

/** Returns the storage class that it creates for its device class. */
export const lvmStorageClassOf = (cluster: Pick<OperatorCluster, 'release'>): string =>
  `${isSince(cluster, 4, 12) ? 'lvms' : 'odf-lvm'}-${DEVICE_CLASS}`;

function ramMibOf(cluster: Known): number {
  if (cluster.settings.has(MEMORY_PER_HOST.variable)) return wholeOf(cluster.settings, MEMORY_PER_HOST);
  if (isSince(cluster, 4, 16)) return RAM_MIB_SINCE_4_16;
  return isSince(cluster, 4, 13) ? RAM_MIB_SINCE_4_13 : RAM_MIB_AT_FIRST;
}

const needsOf = (cluster: Known): ExtraResources => ({
  cpuCores: wholeOf(cluster.settings, CPU_PER_HOST),
  ramMib: ramMibOf(cluster),
});

/** Returns whether it stores data on the host: where workloads run. */
function runsOn({ effectiveRole }: OperatorHost, cluster: OperatorCluster): boolean {
  if (effectiveRole === 'arbiter') return false;
  return effectiveRole !== 'master' || areMastersForcedSchedulable(cluster);
}

function claimDisk(host: OperatorHost, cluster: OperatorCluster): OperatorClaim {
  const { minStorageGb } = cluster;
  if (!runsOn(host, cluster)) return meets();
  if (host.effectiveRole === 'auto-assign' && !areMastersForcedSchedulable(cluster)) return lacks('needs-role');
  if (extraDisks(host, minStorageGb * BYTES_PER_GB).length > 0) return meets();
  return minStorageGb > 0 ? lacks('no-large-disk', minStorageGb) : lacks('no-disk');
}

export const LVM = operatorPlugin({
  ...PLAIN,
  name: 'lvm',
  title: 'LVM Storage',
  featureId: 'LVM',
  bundles: ({ isSingleNode }) => (isSingleNode ? [{ id: 'openshift-ai' }] : []),
  settings: [CPU_PER_HOST, MEMORY_PER_HOST],
  installation: installationOf,
  decidesControlPlane: true,
  resources: (host, cluster) => (runsOn(host, cluster) ? needsOf(cluster) : NOTHING),
  preview: (_role, cluster) => ({
    ...needsOf(cluster),
    descriptions: ['One disk in addition to the installation disk, without partitions or file systems'],
  }),
  host: {
    checks: 'Hosts that run workloads have an HDD or SSD in addition to the installation disk.',
    claim: (host, cluster) => (host.hardware ? claimDisk(host, cluster) : AWAITS_INVENTORY),
    remedy: 'Add a disk to the host, or assign a role to the host.',
  },
  cluster: {
    checks: 'The OpenShift version is 4.11 or later on a single node, 4.15 or later on several.',
    claim: (_hosts, cluster) => firstFault(() => claimSince(cluster, cluster.isSingleNode ? [4, 11, 0] : [4, 15, 0])),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: (cluster) => {
    const installation = installationOf(cluster);
    return olmManifests({
      file: 'lvm',
      installation,
      package: { name: installation.subscriptionName, source: 'redhat-operators' },
      group: { name: 'openshift-storage-operatorgroup', watches: 'own' },
      namespaceLabels: { 'openshift.io/cluster-monitoring': 'true' },
    });
  },
  laterManifests: (_hosts, cluster) => [
    {
      apiVersion: 'lvm.topolvm.io/v1alpha1',
      kind: 'LVMCluster',
      metadata: { name: 'lvmcluster', namespace: NAMESPACE },
      spec: {
        storage: {
          deviceClasses: [
            {
              name: DEVICE_CLASS,
              // Earlier releases refuse this member.
              ...(isSince(cluster, 4, 13) ? { default: true } : {}),
              thinPoolConfig: { name: 'thin-pool-1', sizePercent: 90, overprovisionRatio: 10 },
            },
          ],
        },
      },
    },
  ],
});
