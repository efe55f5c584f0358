import { olmManifests } from '../plugin/olm-objects';
import { firstFault } from '../plugin/operator-claim';
import { LONG_TIMEOUT_SECONDS, operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { BARRED_OFF_X86, CHOOSE_ANOTHER_CLUSTER, claimArchitecture, claimSince } from '../plugin/shared-claims';

const INSTALLATION = { namespace: 'openshift-nmstate', subscriptionName: 'kubernetes-nmstate-operator' };

export const NMSTATE = operatorPlugin({
  ...PLAIN,
  name: 'nmstate',
  title: 'NMState',
  featureId: 'NMSTATE',
  bundles: () => [{ id: 'virtualization' }],
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  installation: () => INSTALLATION,
  cluster: {
    checks: 'The OpenShift version is 4.12 or later, and the CPU architecture is x86_64.',
    claim: (_hosts, cluster) =>
      firstFault(
        () => claimSince(cluster, [4, 12, 0]),
        () => claimArchitecture(cluster, BARRED_OFF_X86),
      ),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: () =>
    olmManifests({
      file: 'nmstate',
      installation: INSTALLATION,
      package: { name: 'kubernetes-nmstate-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'openshift-nmstate', watches: 'own' },
    }),
  laterManifests: () => [{ apiVersion: 'nmstate.io/v1', kind: 'NMState', metadata: { name: 'nmstate' } }],
});
