import { olmManifests } from '../plugin/olm-objects';
import { LONG_TIMEOUT_SECONDS, operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { firstFault } from '../plugin/operator-claim';
import { NOTHING } from '../plugin/operator-plugin';
import { claimResources } from '../plugin/own-resources';
import { BARRED_OFF_X86, CHOOSE_ANOTHER_CLUSTER, claimArchitecture, claimSince } from '../plugin/release-claims';

const NEEDS = { cpuCores: 1, ramMib: 1_024 };
const INSTALLATION = { namespace: 'openshift-mtv', subscriptionName: 'mtv-operator' };

export const MTV = operatorPlugin({
  ...PLAIN,
  name: 'mtv',
  title: 'Migration Toolkit for Virtualization',
  featureId: 'MTV',
  dependencies: () => ['cnv'],
  bundles: () => [{ id: 'virtualization' }],
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  installation: () => INSTALLATION,
  resources: ({ effectiveRole }) => (effectiveRole === 'arbiter' ? NOTHING : NEEDS),
  preview: () => ({ ...NEEDS, descriptions: [] }),
  host: {
    checks: 'At least 1 core and 1024 MiB for it alone; an arbiter needs nothing.',
    claim: (host) =>
      claimResources('Migration Toolkit for Virtualization', host, host.effectiveRole === 'arbiter' ? NOTHING : NEEDS),
    remedy: 'Use machines with more cores and memory.',
  },
  cluster: {
    checks: 'OpenShift 4.14 or later, on x86_64.',
    claim: (_hosts, cluster) =>
      firstFault(
        () => claimSince('Migration Toolkit for Virtualization', cluster, [4, 14, 0]),
        () => claimArchitecture('Migration Toolkit for Virtualization', cluster, BARRED_OFF_X86),
      ),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
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
