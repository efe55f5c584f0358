import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-operators', subscriptionName: 'authorino-operator' };

export const AUTHORINO = operatorPlugin({
  ...PLAIN,
  name: 'authorino',
  title: 'Authorino',
  featureId: 'AUTHORINO',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'authorino',
      installation: INSTALLATION,
      package: { name: 'authorino-operator', source: 'redhat-operators', channel: 'tech-preview-v1' },
    }),
});
