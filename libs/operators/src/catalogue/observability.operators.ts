import { olmManifests } from '../plugin/olm-objects';
import { CHOOSE_ANOTHER_CLUSTER, claimSince } from '../plugin/shared-claims';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const LOKI_INSTALLATION = { namespace: 'openshift-operators-redhat', subscriptionName: 'loki-operator' };

export const LOKI = operatorPlugin({
  ...PLAIN,
  name: 'loki',
  title: 'Loki',
  featureId: 'LOKI',
  bundles: () => [{ id: 'virtualization' }],
  installation: () => LOKI_INSTALLATION,
  cluster: {
    checks: 'The OpenShift version is 4.17 or later.',
    claim: (_hosts, cluster) => claimSince(cluster, [4, 17, 0]),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: () =>
    olmManifests({
      file: 'loki',
      installation: LOKI_INSTALLATION,
      package: { name: 'loki-operator', source: 'redhat-operators' },
      group: { name: 'loki', watches: 'all' },
      namespaceLabels: { 'openshift.io/cluster-monitoring': 'true' },
    }),
});

const OPENSHIFT_LOGGING_INSTALLATION = { namespace: 'openshift-logging', subscriptionName: 'cluster-logging' };

export const OPENSHIFT_LOGGING = operatorPlugin({
  ...PLAIN,
  name: 'openshift-logging',
  title: 'OpenShift Logging',
  featureId: 'OPENSHIFT_LOGGING',
  dependencies: () => ['loki'],
  bundles: () => [{ id: 'virtualization' }],
  installation: () => OPENSHIFT_LOGGING_INSTALLATION,
  cluster: {
    checks: 'The OpenShift version is 4.17 or later.',
    claim: (_hosts, cluster) => claimSince(cluster, [4, 17, 0]),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: () =>
    olmManifests({
      file: 'openshift-logging',
      installation: OPENSHIFT_LOGGING_INSTALLATION,
      package: { name: 'cluster-logging', source: 'redhat-operators', channel: 'stable-6.3' },
      group: { name: 'openshift-logging', watches: 'all' },
      namespaceLabels: { 'openshift.io/cluster-monitoring': 'true' },
    }),
});

const CLUSTER_OBSERVABILITY_INSTALLATION = {
  namespace: 'openshift-cluster-observability-operator',
  subscriptionName: 'cluster-observability-operator',
};

export const CLUSTER_OBSERVABILITY = operatorPlugin({
  ...PLAIN,
  name: 'cluster-observability',
  title: 'Cluster Observability',
  featureId: 'CLUSTER_OBSERVABILITY',
  dependencies: () => ['openshift-logging'],
  bundles: () => [{ id: 'virtualization' }],
  installation: () => CLUSTER_OBSERVABILITY_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'cluster-observability',
      installation: CLUSTER_OBSERVABILITY_INSTALLATION,
      package: { name: 'cluster-observability-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'cluster-observability', watches: 'all' },
    }),
});
