import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-workload-maintenance', subscriptionName: 'node-maintenance-operator' };

export const NODE_MAINTENANCE = operatorPlugin({
  ...PLAIN,
  name: 'node-maintenance',
  title: 'Node Maintenance',
  featureId: 'NODE_MAINTENANCE',
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'node-maintenance',
      installation: INSTALLATION,
      package: { name: 'node-maintenance-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'node-maintenance', watches: 'all' },
    }),
});
