import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-adp', subscriptionName: 'redhat-oadp-operator' };

export const OADP = operatorPlugin({
  ...PLAIN,
  name: 'oadp',
  title: 'OADP',
  featureId: 'OADP',
  bundles: () => [{ id: 'virtualization' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'oadp',
      installation: INSTALLATION,
      package: { name: 'redhat-oadp-operator', source: 'redhat-operators' },
      group: { name: 'oadp', watches: 'own' },
    }),
});
