import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'metallb-system', subscriptionName: 'metallb-operator' };

export const METALLB = operatorPlugin({
  ...PLAIN,
  name: 'metallb',
  title: 'MetalLB',
  featureId: 'METALLB',
  bundles: () => [{ id: 'virtualization' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'metallb',
      installation: INSTALLATION,
      package: { name: 'metallb-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'metallb', watches: 'all' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'metallb.io/v1beta1',
      kind: 'MetalLB',
      metadata: { name: 'metallb', namespace: INSTALLATION.namespace },
    },
  ],
});
