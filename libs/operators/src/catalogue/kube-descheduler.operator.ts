import { machineConfigManifests, olmManifests } from '../plugin/olm-objects';
import { isSince, type OperatorCluster } from '../plugin/operator-facts';
import { type ManifestObject, operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = {
  namespace: 'openshift-kube-descheduler-operator',
  subscriptionName: 'cluster-kube-descheduler-operator',
};

const hasVirtualMachines = ({ operators }: OperatorCluster): boolean => operators.includes('cnv');

/** Only reports which pods it would evict. */
const PREDICTIVE = { mode: 'Predictive', profiles: ['AffinityAndTaints'], deschedulingIntervalSeconds: 3_600 };

const IN_BACKGROUND = { devEnableEvictionsInBackground: true };
const PODS_WITH_VOLUMES = ['EvictPodsWithPVC', 'EvictPodsWithLocalStorage'];
/** The profiles for virtual machines by the first minor version that has them, the latest first. */
const MIGRATING_PROFILES: readonly { readonly minor: number; readonly spec: ManifestObject }[] = [
  { minor: 20, spec: { profiles: ['KubeVirtRelieveAndMigrate'] } },
  { minor: 19, spec: { profiles: ['DevKubeVirtRelieveAndMigrate'] } },
  {
    minor: 18,
    spec: {
      profiles: ['DevKubeVirtRelieveAndMigrate'],
      profileCustomizations: {
        ...IN_BACKGROUND,
        devEnableSoftTainter: true,
        devDeviationThresholds: 'AsymmetricLow',
        devActualUtilizationProfile: 'PrometheusCPUCombined',
      },
    },
  },
  { minor: 17, spec: { profiles: ['LongLifecycle', ...PODS_WITH_VOLUMES], profileCustomizations: IN_BACKGROUND } },
];
const FIRST_MIGRATING_PROFILE: ManifestObject = { profiles: ['DevPreviewLongLifecycle', ...PODS_WITH_VOLUMES] };

/** Evicts virtual machines, which migrate to other nodes. */
const migrating = (cluster: OperatorCluster): ManifestObject => ({
  mode: 'Automatic',
  deschedulingIntervalSeconds: 60,
  ...(MIGRATING_PROFILES.find(({ minor }) => isSince(cluster, 4, minor))?.spec ?? FIRST_MIGRATING_PROFILE),
});

export const KUBE_DESCHEDULER = operatorPlugin({
  ...PLAIN,
  name: 'kube-descheduler',
  title: 'Kube Descheduler',
  featureId: 'KUBE_DESCHEDULER',
  bundles: ({ isSingleNode }) => (isSingleNode ? [] : [{ id: 'virtualization' }]),
  installation: () => INSTALLATION,
  manifests: (cluster) => [
    ...olmManifests({
      file: 'kube-descheduler',
      installation: INSTALLATION,
      package: { name: 'cluster-kube-descheduler-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'kube-descheduler', watches: 'own' },
    }),
    // The profiles since 4.18 read the CPU pressure of the nodes, which the kernel measures only with this argument.
    ...(hasVirtualMachines(cluster) && isSince(cluster, 4, 18)
      ? machineConfigManifests('kube-descheduler_psi', 'psi', { kernelArguments: ['psi=1'] })
      : []),
  ],
  laterManifests: (_hosts, cluster) => [
    {
      apiVersion: 'operator.openshift.io/v1',
      kind: 'KubeDescheduler',
      metadata: { name: 'cluster', namespace: INSTALLATION.namespace },
      spec: {
        managementState: 'Managed',
        ...(hasVirtualMachines(cluster) ? migrating(cluster) : PREDICTIVE),
        logLevel: 'Normal',
        operatorLogLevel: 'Normal',
      },
    },
  ],
});
