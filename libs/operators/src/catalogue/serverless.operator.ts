import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-serverless', subscriptionName: 'serverless-operator' };

export const SERVERLESS = operatorPlugin({
  ...PLAIN,
  name: 'serverless',
  title: 'OpenShift Serverless',
  featureId: 'SERVERLESS',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'serverless',
      installation: INSTALLATION,
      package: { name: 'serverless-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'serverless', watches: 'all' },
    }),
});
