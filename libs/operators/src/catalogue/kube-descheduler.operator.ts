import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = {
  namespace: 'openshift-kube-descheduler-operator',
  subscriptionName: 'cluster-kube-descheduler-operator',
};

export const KUBE_DESCHEDULER = operatorPlugin({
  ...PLAIN,
  name: 'kube-descheduler',
  title: 'Kube Descheduler',
  featureId: 'KUBE_DESCHEDULER',
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'kube-descheduler',
      installation: INSTALLATION,
      package: { name: 'cluster-kube-descheduler-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'kube-descheduler', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'operator.openshift.io/v1',
      kind: 'KubeDescheduler',
      metadata: { name: 'cluster', namespace: INSTALLATION.namespace },
      spec: {
        managementState: 'Managed',
        mode: 'Predictive',
        profiles: ['AffinityAndTaints'],
        deschedulingIntervalSeconds: 3_600,
        logLevel: 'Normal',
        operatorLogLevel: 'Normal',
      },
    },
  ],
});
