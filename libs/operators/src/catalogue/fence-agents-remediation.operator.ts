import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-workload-availability', subscriptionName: 'fence-agents-remediation' };

/** Shares namespace and group with the health check that it depends on. */
export const FENCE_AGENTS_REMEDIATION = operatorPlugin({
  ...PLAIN,
  name: 'fence-agents-remediation',
  title: 'Fence Agents Remediation',
  featureId: 'FENCE_AGENTS_REMEDIATION',
  dependencies: () => ['node-healthcheck'],
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'fence-agents-remediation',
      installation: INSTALLATION,
      package: { name: 'fence-agents-remediation', source: 'redhat-operators', channel: 'stable' },
    }),
});
