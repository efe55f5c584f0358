import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-workload-availability', subscriptionName: 'self-node-remediation' };

/** Shares namespace and group with the health check that it depends on. */
export const SELF_NODE_REMEDIATION = operatorPlugin({
  ...PLAIN,
  name: 'self-node-remediation',
  title: 'Self Node Remediation',
  featureId: 'SELF_NODE_REMEDIATION',
  dependencies: () => ['node-healthcheck'],
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'self-node-remediation',
      installation: INSTALLATION,
      package: { name: 'self-node-remediation', source: 'redhat-operators', channel: 'stable' },
    }),
});
