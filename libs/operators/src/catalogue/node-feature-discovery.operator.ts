import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

/** Other operators select nodes by network, display and accelerator devices. JSON is valid YAML. */
const WORKER_CONFIG = {
  core: { sleepInterval: '60s' },
  sources: {
    pci: { deviceClassWhitelist: ['0200', '03', '12'], deviceLabelFields: ['vendor', 'device'] },
    custom: [
      {
        name: 'amd-gpu',
        labels: { 'feature.node.kubernetes.io/amd-gpu': 'true' },
        matchFeatures: [
          {
            feature: 'pci.device',
            matchExpressions: {
              vendor: { op: 'In', value: ['1002'] },
              class: { op: 'InRegexp', value: ['^03', '^12'] },
            },
          },
        ],
      },
    ],
  },
};
const INSTALLATION = { namespace: 'openshift-nfd', subscriptionName: 'nfd' };

export const NODE_FEATURE_DISCOVERY = operatorPlugin({
  ...PLAIN,
  name: 'node-feature-discovery',
  title: 'Node Feature Discovery',
  featureId: 'NODE_FEATURE_DISCOVERY',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'node-feature-discovery',
      installation: INSTALLATION,
      package: { name: 'nfd', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'nfd', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'nfd.openshift.io/v1',
      kind: 'NodeFeatureDiscovery',
      metadata: { name: 'nfd-instance', namespace: INSTALLATION.namespace },
      spec: {
        operand: { imagePullPolicy: 'IfNotPresent', servicePort: 12_000 },
        topologyUpdater: false,
        workerConfig: { configData: JSON.stringify(WORKER_CONFIG) },
      },
    },
  ],
});
