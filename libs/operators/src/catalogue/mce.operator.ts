import { olmManifests } from '../plugin/olm-objects';
import type { OperatorCluster } from '../plugin/operator-facts';
import {
  type ExtraResources,
  LONG_TIMEOUT_SECONDS,
  type ManifestObject,
  NOTHING,
  operatorPlugin,
  PLAIN,
} from '../plugin/operator-plugin';
import { type OperatorSetting, versionOfSetting } from '../plugin/operator-settings';
import { CHOOSE_ANOTHER_CLUSTER, claimResources, claimSince } from '../plugin/shared-claims';
import { lvmStorageClassOf } from './local-storage.operators';
import { ODF_STORAGE_CLASS } from './odf.operator';

const MIN_RELEASE: OperatorSetting = {
  variable: 'MCE_MIN_OPENSHIFT_VERSION',
  kind: 'version',
  standard: '4.10.0',
  meaning: 'Lowest OpenShift version with which the operator can be installed.',
};
const SINGLE_NODE_NEEDS: ExtraResources = { cpuCores: 8, ramMib: 32 * 1024 };
const NODE_NEEDS: ExtraResources = { cpuCores: 4, ramMib: 16 * 1024 };
/** Volumes of its installation service. GiB of the volumes count as GB of the disks, as in assisted-service v2. */
const VOLUMES_GIB = { databaseStorage: 10, filesystemStorage: 10, imageStorage: 50 } as const;
/** A single node has one disk for all volumes. With several hosts, each volume may be on another disk. */
const STORED_GB_SINGLE_NODE = Object.values(VOLUMES_GIB).reduce((sum, gib) => sum + gib, 0);
const STORED_GB = Math.max(...Object.values(VOLUMES_GIB));
const INSTALLATION = { namespace: 'multicluster-engine', subscriptionName: 'multicluster-engine' };
/** Engine 2.0 belongs to OpenShift 4.10. The minor versions of both increase together. */
const FIRST_MINOR = 10;

const needsOf = (isSingleNode: boolean): ExtraResources => (isSingleNode ? SINGLE_NODE_NEEDS : NODE_NEEDS);

/** Returns the storage class of the selected storage operator. */
function storageClassOf(cluster: OperatorCluster): string | undefined {
  if (cluster.operators.includes('odf')) return ODF_STORAGE_CLASS;
  return cluster.operators.includes('lvm') ? lvmStorageClassOf(cluster) : undefined;
}

const agentServiceConfig = (storageClassName: string): ManifestObject => ({
  apiVersion: 'agent-install.openshift.io/v1beta1',
  kind: 'AgentServiceConfig',
  metadata: { name: 'agent' },
  spec: Object.fromEntries(
    Object.entries(VOLUMES_GIB).map(([name, gib]) => [
      name,
      { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: `${gib}Gi` } } },
    ]),
  ),
});

export const MCE = operatorPlugin({
  ...PLAIN,
  name: 'mce',
  title: 'Multicluster Engine',
  featureId: 'MCE',
  settings: [MIN_RELEASE],
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  installation: () => INSTALLATION,
  resources: ({ effectiveRole }, { isSingleNode }) => (effectiveRole === 'arbiter' ? NOTHING : needsOf(isSingleNode)),
  preview: (_role, { isSingleNode }) => ({ ...needsOf(isSingleNode), descriptions: [] }),
  storedGb: ({ isSingleNode }) => (isSingleNode ? STORED_GB_SINGLE_NODE : STORED_GB),
  host: {
    checks:
      'The operator requires 4 cores and 16 GiB on each host, or 8 cores and 32 GiB on a single node. It requires no resources on an arbiter.',
    claim: (host, { isSingleNode }) =>
      claimResources(host, host.effectiveRole === 'arbiter' ? NOTHING : needsOf(isSingleNode)),
    remedy: 'Use machines with more cores and memory.',
  },
  cluster: {
    checks: 'The OpenShift version is `MCE_MIN_OPENSHIFT_VERSION` (4.10 by default) or later.',
    claim: (_hosts, cluster) => claimSince(cluster, versionOfSetting(cluster.settings, MIN_RELEASE)),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: ({ release }) =>
    olmManifests({
      file: 'mce',
      installation: INSTALLATION,
      package: {
        name: 'multicluster-engine',
        source: 'redhat-operators',
        ...(release && release[1] >= FIRST_MINOR ? { channel: `stable-2.${release[1] - FIRST_MINOR}` } : {}),
      },
      group: { name: 'mce', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'multicluster.openshift.io/v1',
      kind: 'MultiClusterEngine',
      metadata: { name: 'mce' },
      spec: { targetNamespace: INSTALLATION.namespace },
    },
  ],
  // The engine installs this type.
  lastManifests: (cluster) => {
    const storageClass = storageClassOf(cluster);
    return storageClass ? [agentServiceConfig(storageClass)] : [];
  },
});
