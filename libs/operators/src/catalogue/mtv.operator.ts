import { olmManifests } from '../plugin/olm-objects';
import { oneCoreOperator } from '../plugin/shared-claims';
import { LONG_TIMEOUT_SECONDS, operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-mtv', subscriptionName: 'mtv-operator' };

export const MTV = operatorPlugin({
  ...PLAIN,
  ...oneCoreOperator('Migration Toolkit for Virtualization', [4, 14, 0]),
  name: 'mtv',
  featureId: 'MTV',
  dependencies: () => ['cnv'],
  bundles: () => [{ id: 'virtualization' }],
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'mtv',
      installation: INSTALLATION,
      package: { name: 'mtv-operator', source: 'redhat-operators' },
      group: { name: 'migration', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'forklift.konveyor.io/v1beta1',
      kind: 'ForkliftController',
      metadata: { name: 'forklift-controller', namespace: INSTALLATION.namespace },
      spec: { olm_managed: true },
    },
  ],
});
