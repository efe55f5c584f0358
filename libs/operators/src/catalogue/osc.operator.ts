import { olmManifests } from '../plugin/olm-objects';
import { oneCoreOperator } from '../plugin/shared-claims';
import { LONG_TIMEOUT_SECONDS, operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = {
  namespace: 'openshift-sandboxed-containers-operator',
  subscriptionName: 'sandboxed-containers-operator',
};

export const OSC = operatorPlugin({
  ...PLAIN,
  ...oneCoreOperator('OpenShift Sandboxed Containers', [4, 10, 0]),
  name: 'osc',
  featureId: 'OSC',
  dependencies: () => ['node-feature-discovery'],
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'osc',
      installation: INSTALLATION,
      package: { name: 'sandboxed-containers-operator', source: 'redhat-operators' },
      group: { name: 'sandboxed-containers', watches: 'own' },
    }),
});
