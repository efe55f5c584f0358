import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const CONTROL_PLANE_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
const INSTALLATION = { namespace: 'openshift-workload-availability', subscriptionName: 'node-healthcheck-operator' };

export const NODE_HEALTHCHECK = operatorPlugin({
  ...PLAIN,
  name: 'node-healthcheck',
  title: 'Node Health Check',
  featureId: 'NODE_HEALTHCHECK',
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'node-healthcheck',
      installation: INSTALLATION,
      package: { name: 'node-healthcheck-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'workload-availability', watches: 'all' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'remediation.medik8s.io/v1alpha1',
      kind: 'NodeHealthCheck',
      metadata: { name: 'worker-health' },
      spec: {
        selector: { matchExpressions: CONTROL_PLANE_LABELS.map((key) => ({ key, operator: 'DoesNotExist' })) },
        remediationTemplate: {
          apiVersion: 'self-node-remediation.medik8s.io/v1alpha1',
          kind: 'SelfNodeRemediationTemplate',
          namespace: INSTALLATION.namespace,
          name: 'self-node-remediation-automatic-strategy-template',
        },
        minHealthy: '51%',
        unhealthyConditions: ['False', 'Unknown'].map((status) => ({ type: 'Ready', status, duration: '300s' })),
      },
    },
  ],
});
