import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { CHOOSE_ANOTHER_CLUSTER, claimSince } from '../plugin/shared-claims';

const INSTALLATION = { namespace: 'openshift-operators-redhat', subscriptionName: 'loki-operator' };

export const LOKI = operatorPlugin({
  ...PLAIN,
  name: 'loki',
  title: 'Loki',
  featureId: 'LOKI',
  bundles: () => [{ id: 'virtualization' }],
  installation: () => INSTALLATION,
  cluster: {
    checks: 'OpenShift 4.17 or later.',
    claim: (_hosts, cluster) => claimSince(cluster, [4, 17, 0]),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: () =>
    olmManifests({
      file: 'loki',
      installation: INSTALLATION,
      package: { name: 'loki-operator', source: 'redhat-operators' },
      group: { name: 'loki', watches: 'all' },
      namespaceLabels: { 'openshift.io/cluster-monitoring': 'true' },
    }),
});
