import { gpusOf } from '../plugin/devices';
import { ADD_A_GPU, claimGpuInCluster, claimNoSecureBoot, TURN_SECURE_BOOT_OFF } from '../plugin/gpu-claims';
import { olmManifests } from '../plugin/olm-objects';
import { AWAITS_INVENTORY, meets } from '../plugin/operator-claim';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { flag, flagOf, names, namesOf } from '../plugin/operator-settings';

/** Vendors whose devices count. */
const SUPPORTED = names('NVIDIA_SUPPORTED_GPUS', '10de');
const IS_DEMANDED = flag('NVIDIA_REQUIRE_GPU', true);
const INSTALLATION = { namespace: 'nvidia-gpu-operator', subscriptionName: 'gpu-operator-certified' };

/** Every part as the vendor ships it; drivers are built with the toolkit of the release. */
const LATER = {
  apiVersion: 'nvidia.com/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'gpu-cluster-policy' },
  spec: {
    operator: { defaultRuntime: 'crio', runtimeClass: 'nvidia', use_ocp_driver_toolkit: true },
    daemonsets: { updateStrategy: 'RollingUpdate', rollingUpdate: { maxUnavailable: '1' } },
    driver: { enabled: true, upgradePolicy: { autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: '25%' } },
    toolkit: { enabled: true },
    devicePlugin: { enabled: true },
    dcgm: { enabled: true },
    dcgmExporter: { enabled: true, serviceMonitor: { enabled: true } },
    gfd: { enabled: true },
    mig: { strategy: 'single' },
    migManager: { enabled: true },
    nodeStatusExporter: { enabled: true },
    validator: { plugin: { env: [{ name: 'WITH_WORKLOAD', value: 'false' }] } },
  },
};

export const NVIDIA_GPU = operatorPlugin({
  ...PLAIN,
  name: 'nvidia-gpu',
  title: 'NVIDIA GPU',
  featureId: 'NVIDIA_GPU',
  dependencies: () => ['node-feature-discovery'],
  bundles: () => [{ id: 'openshift-ai', isOptional: true }],
  settings: [SUPPORTED, IS_DEMANDED],
  installation: () => INSTALLATION,
  host: {
    checks: 'Secure boot is off on hosts with such a GPU.',
    claim: (host, { settings }) => {
      if (!host.hardware) return AWAITS_INVENTORY;
      return gpusOf(host, namesOf(settings, SUPPORTED)) > 0 ? claimNoSecureBoot('NVIDIA GPU', host) : meets();
    },
    remedy: TURN_SECURE_BOOT_OFF,
  },
  cluster: {
    checks: 'At least one supported GPU on a worker, or on a control plane host that runs workloads.',
    claim: (hosts, cluster) =>
      flagOf(cluster.settings, IS_DEMANDED)
        ? claimGpuInCluster('NVIDIA GPU', hosts, cluster, namesOf(cluster.settings, SUPPORTED))
        : meets(),
    remedy: ADD_A_GPU,
  },
  manifests: () =>
    olmManifests({
      file: 'nvidia-gpu',
      installation: INSTALLATION,
      package: { name: 'gpu-operator-certified', source: 'certified-operators', channel: 'stable' },
      group: { name: 'nvidia-gpu', watches: 'own' },
    }),
  laterManifests: () => [LATER],
});
