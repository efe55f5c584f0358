import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-operators', subscriptionName: 'openshift-pipelines-operator-rh' };

export const PIPELINES = operatorPlugin({
  ...PLAIN,
  name: 'pipelines',
  title: 'OpenShift Pipelines',
  featureId: 'PIPELINES',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'pipelines',
      installation: INSTALLATION,
      package: { name: 'openshift-pipelines-operator-rh', source: 'redhat-operators', channel: 'latest' },
    }),
});
