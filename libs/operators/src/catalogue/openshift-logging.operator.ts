import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { CHOOSE_ANOTHER_CLUSTER, claimSince } from '../plugin/shared-claims';

const INSTALLATION = { namespace: 'openshift-logging', subscriptionName: 'cluster-logging' };

export const OPENSHIFT_LOGGING = operatorPlugin({
  ...PLAIN,
  name: 'openshift-logging',
  title: 'OpenShift Logging',
  featureId: 'OPENSHIFT_LOGGING',
  dependencies: () => ['loki'],
  bundles: () => [{ id: 'virtualization' }],
  installation: () => INSTALLATION,
  cluster: {
    checks: 'OpenShift 4.17 or later.',
    claim: (_hosts, cluster) => claimSince(cluster, [4, 17, 0]),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: () =>
    olmManifests({
      file: 'openshift-logging',
      installation: INSTALLATION,
      package: { name: 'cluster-logging', source: 'redhat-operators', channel: 'stable-6.3' },
      group: { name: 'openshift-logging', watches: 'all' },
      namespaceLabels: { 'openshift.io/cluster-monitoring': 'true' },
    }),
});
