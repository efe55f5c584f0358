import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-operators', subscriptionName: 'servicemeshoperator' };

export const SERVICEMESH = operatorPlugin({
  ...PLAIN,
  name: 'servicemesh',
  title: 'OpenShift Service Mesh',
  featureId: 'SERVICEMESH',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'servicemesh',
      installation: INSTALLATION,
      package: { name: 'servicemeshoperator', source: 'redhat-operators', channel: 'stable' },
    }),
});
