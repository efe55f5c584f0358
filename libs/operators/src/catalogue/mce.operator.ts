import { olmManifests } from '../plugin/olm-objects';
import { CHOOSE_ANOTHER_CLUSTER, claimResources, claimSince } from '../plugin/shared-claims';
import { type ExtraResources, LONG_TIMEOUT_SECONDS, NOTHING, operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { type OperatorSetting, versionOfSetting } from '../plugin/operator-settings';

const MIN_RELEASE: OperatorSetting = { variable: 'MCE_MIN_OPENSHIFT_VERSION', kind: 'version', standard: '4.10.0' };
const SINGLE_NODE_NEEDS: ExtraResources = { cpuCores: 8, ramMib: 32 * 1024 };
const NODE_NEEDS: ExtraResources = { cpuCores: 4, ramMib: 16 * 1024 };
/**
 * Decimal GB of its databases, file stores and images: on one disk of a single node, otherwise on the largest of
 * several disks.
 */
const STORED_GB_SINGLE_NODE = 70;
const STORED_GB = 50;
const INSTALLATION = { namespace: 'multicluster-engine', subscriptionName: 'multicluster-engine' };
/** Engine 2.0 belongs to OpenShift 4.10. The minor versions of both increase together. */
const FIRST_MINOR = 10;

const needsOf = (isSingleNode: boolean): ExtraResources => (isSingleNode ? SINGLE_NODE_NEEDS : NODE_NEEDS);

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
    checks: 'OpenShift 4.10 or later.',
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
});
