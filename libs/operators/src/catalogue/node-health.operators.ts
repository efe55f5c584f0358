import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const CONTROL_PLANE_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
const NODE_HEALTHCHECK_INSTALLATION = {
  namespace: 'openshift-workload-availability',
  subscriptionName: 'node-healthcheck-operator',
};

export const NODE_HEALTHCHECK = operatorPlugin({
  ...PLAIN,
  name: 'node-healthcheck',
  title: 'Node Health Check',
  featureId: 'NODE_HEALTHCHECK',
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => NODE_HEALTHCHECK_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'node-healthcheck',
      installation: NODE_HEALTHCHECK_INSTALLATION,
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
          namespace: NODE_HEALTHCHECK_INSTALLATION.namespace,
          name: 'self-node-remediation-automatic-strategy-template',
        },
        minHealthy: '51%',
        unhealthyConditions: ['False', 'Unknown'].map((status) => ({ type: 'Ready', status, duration: '300s' })),
      },
    },
  ],
});

const SELF_NODE_REMEDIATION_INSTALLATION = {
  namespace: 'openshift-workload-availability',
  subscriptionName: 'self-node-remediation',
};

/** Uses the namespace and operator group of the health check operator, on which it depends. */
export const SELF_NODE_REMEDIATION = operatorPlugin({
  ...PLAIN,
  name: 'self-node-remediation',
  title: 'Self Node Remediation',
  featureId: 'SELF_NODE_REMEDIATION',
  dependencies: () => ['node-healthcheck'],
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => SELF_NODE_REMEDIATION_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'self-node-remediation',
      installation: SELF_NODE_REMEDIATION_INSTALLATION,
      package: { name: 'self-node-remediation', source: 'redhat-operators', channel: 'stable' },
    }),
});

const FENCE_AGENTS_REMEDIATION_INSTALLATION = {
  namespace: 'openshift-workload-availability',
  subscriptionName: 'fence-agents-remediation',
};

/** Uses the namespace and operator group of the health check operator, on which it depends. */
export const FENCE_AGENTS_REMEDIATION = operatorPlugin({
  ...PLAIN,
  name: 'fence-agents-remediation',
  title: 'Fence Agents Remediation',
  featureId: 'FENCE_AGENTS_REMEDIATION',
  dependencies: () => ['node-healthcheck'],
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => FENCE_AGENTS_REMEDIATION_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'fence-agents-remediation',
      installation: FENCE_AGENTS_REMEDIATION_INSTALLATION,
      package: { name: 'fence-agents-remediation', source: 'redhat-operators', channel: 'stable' },
    }),
});

const NODE_MAINTENANCE_INSTALLATION = {
  namespace: 'openshift-workload-maintenance',
  subscriptionName: 'node-maintenance-operator',
};

export const NODE_MAINTENANCE = operatorPlugin({
  ...PLAIN,
  name: 'node-maintenance',
  title: 'Node Maintenance',
  featureId: 'NODE_MAINTENANCE',
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => NODE_MAINTENANCE_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'node-maintenance',
      installation: NODE_MAINTENANCE_INSTALLATION,
      package: { name: 'node-maintenance-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'node-maintenance', watches: 'all' },
    }),
});
