import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = {
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
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'cluster-observability',
      installation: INSTALLATION,
      package: { name: 'cluster-observability-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'cluster-observability', watches: 'all' },
    }),
});
