import { gpuOperator } from '../plugin/gpu-operator';
import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'kube-amd-gpu', subscriptionName: 'amd-gpu-operator' };

const LATER = {
  apiVersion: 'amd.com/v1alpha1',
  kind: 'DeviceConfig',
  metadata: { name: 'default', namespace: INSTALLATION.namespace },
  spec: { driver: { enable: true }, selector: { 'feature.node.kubernetes.io/amd-gpu': 'true' } },
};

export const AMD_GPU = operatorPlugin({
  ...PLAIN,
  ...gpuOperator('AMD GPU', 'AMD', '1002'),
  name: 'amd-gpu',
  featureId: 'AMD_GPU',
  dependencies: () => ['node-feature-discovery', 'kmm'],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'amd-gpu',
      installation: INSTALLATION,
      package: { name: 'amd-gpu-operator', source: 'certified-operators', channel: 'alpha' },
      group: { name: 'amd-gpu', watches: 'all' },
    }),
  laterManifests: () => [LATER],
});
