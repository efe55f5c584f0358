import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'openshift-numaresources', subscriptionName: 'numaresources-operator' };

export const NUMA_RESOURCES = operatorPlugin({
  ...PLAIN,
  name: 'numaresources',
  aliases: ['numa-resources'],
  title: 'NUMA Resources',
  featureId: 'NUMA_RESOURCES',
  bundles: () => [{ id: 'virtualization' }],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'numa-resources',
      installation: INSTALLATION,
      package: { name: 'numaresources-operator', source: 'redhat-operators' },
      group: { name: 'numaresources', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'nodetopology.openshift.io/v1',
      kind: 'NUMAResourcesOperator',
      metadata: { name: 'numaresourcesoperator' },
      spec: {
        nodeGroups: [
          {
            machineConfigPoolSelector: {
              matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' },
            },
          },
        ],
      },
    },
  ],
});
