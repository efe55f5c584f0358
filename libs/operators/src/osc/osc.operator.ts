import { olmManifests } from '../plugin/olm-objects';
import { LONG_TIMEOUT_SECONDS, operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { firstFault } from '../plugin/operator-claim';
import { NOTHING } from '../plugin/operator-plugin';
import { claimResources } from '../plugin/own-resources';
import { BARRED_OFF_X86, CHOOSE_ANOTHER_CLUSTER, claimArchitecture, claimSince } from '../plugin/release-claims';

const NEEDS = { cpuCores: 1, ramMib: 1_024 };
const INSTALLATION = {
  namespace: 'openshift-sandboxed-containers-operator',
  subscriptionName: 'sandboxed-containers-operator',
};

export const OSC = operatorPlugin({
  ...PLAIN,
  name: 'osc',
  title: 'OpenShift Sandboxed Containers',
  featureId: 'OSC',
  dependencies: () => ['node-feature-discovery'],
  timeoutSeconds: LONG_TIMEOUT_SECONDS,
  installation: () => INSTALLATION,
  resources: ({ effectiveRole }) => (effectiveRole === 'arbiter' ? NOTHING : NEEDS),
  preview: () => ({ ...NEEDS, descriptions: [] }),
  host: {
    checks: 'At least 1 core and 1024 MiB for it alone; an arbiter needs nothing.',
    claim: (host) =>
      claimResources('OpenShift Sandboxed Containers', host, host.effectiveRole === 'arbiter' ? NOTHING : NEEDS),
    remedy: 'Use machines with more cores and memory.',
  },
  cluster: {
    checks: 'OpenShift 4.10 or later, on x86_64.',
    claim: (_hosts, cluster) =>
      firstFault(
        () => claimSince('OpenShift Sandboxed Containers', cluster, [4, 10, 0]),
        () => claimArchitecture('OpenShift Sandboxed Containers', cluster, BARRED_OFF_X86),
      ),
    remedy: CHOOSE_ANOTHER_CLUSTER,
  },
  manifests: () =>
    olmManifests({
      file: 'osc',
      installation: INSTALLATION,
      package: { name: 'sandboxed-containers-operator', source: 'redhat-operators' },
      group: { name: 'sandboxed-containers', watches: 'own' },
    }),
});
