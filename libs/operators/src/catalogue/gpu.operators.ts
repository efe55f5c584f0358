import { gpusOf } from '../plugin/devices';
import { machineConfigManifests, olmManifests } from '../plugin/olm-objects';
import { awaits, AWAITS_INVENTORY, lacks, meets, type OperatorClaim } from '../plugin/operator-claim';
import { areMastersSchedulable, type OperatorCluster, type OperatorHost } from '../plugin/operator-facts';
import { NOTHING, type OperatorPlugin, operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { flag, flagOf, names, namesOf } from '../plugin/operator-settings';

export const TURN_SECURE_BOOT_OFF = 'Disable secure boot in the firmware of the host, or remove the operator.';

/** Kernel modules that are built on the host are not signed with a key that the firmware trusts. */
export function claimNoSecureBoot({ hardware }: Pick<OperatorHost, 'hardware'>): OperatorClaim {
  if (!hardware) return AWAITS_INVENTORY;
  return hardware.secureBootState === 'Enabled' ? lacks('secure-boot') : meets();
}

/** Requires at least one GPU on a host that runs workloads. */
function claimGpuInCluster(
  hosts: readonly OperatorHost[],
  cluster: OperatorCluster,
  vendors: readonly string[],
): OperatorClaim {
  const candidates = hosts.filter(
    ({ effectiveRole }) =>
      effectiveRole !== 'arbiter' && (effectiveRole !== 'master' || areMastersSchedulable(cluster)),
  );
  if (candidates.some((host) => gpusOf(host, vendors) > 0)) return meets();
  const isUnknown = hosts.length > 0 && hosts.every(({ hardware }) => !hardware);
  return isUnknown ? awaits('awaits-inventories') : lacks('no-gpu');
}

/** Returns the settings and checks of a GPU operator. `vendorId` is the default PCI vendor. */
export function gpuOperator(
  title: string,
  vendor: 'AMD' | 'NVIDIA',
  vendorId: string,
): Pick<OperatorPlugin, 'title' | 'bundles' | 'settings' | 'host' | 'cluster'> {
  const supported = names(
    `${vendor}_SUPPORTED_GPUS`,
    [vendorId],
    'PCI vendor ids of the GPUs that the operator supports.',
  );
  const isRequired = flag(`${vendor}_REQUIRE_GPU`, true, 'Requires a supported GPU in the cluster.');
  return {
    title,
    bundles: () => [{ id: 'openshift-ai', isOptional: true }],
    settings: [supported, isRequired],
    host: {
      checks: 'Secure boot is disabled on hosts with a supported GPU.',
      claim: (host, { settings }) => {
        if (!host.hardware) return AWAITS_INVENTORY;
        return gpusOf(host, namesOf(settings, supported)) > 0 ? claimNoSecureBoot(host) : meets();
      },
      remedy: TURN_SECURE_BOOT_OFF,
    },
    cluster: {
      checks: 'At least one worker, or one control plane host that runs workloads, has a supported GPU.',
      claim: (hosts, cluster) =>
        flagOf(cluster.settings, isRequired)
          ? claimGpuInCluster(hosts, cluster, namesOf(cluster.settings, supported))
          : meets(),
      remedy: 'Add a host with a supported GPU, or remove the operator.',
    },
  };
}

const AMD_GPU_INSTALLATION = { namespace: 'kube-amd-gpu', subscriptionName: 'amd-gpu-operator' };

const AMD_GPU_LATER = {
  apiVersion: 'amd.com/v1alpha1',
  kind: 'DeviceConfig',
  metadata: { name: 'default', namespace: AMD_GPU_INSTALLATION.namespace },
  spec: { driver: { enable: true }, selector: { 'feature.node.kubernetes.io/amd-gpu': 'true' } },
};

/** The module of the kernel would take the devices before the driver of the operator. */
const AMD_GPU_BLACKLIST = {
  config: {
    ignition: { version: '3.2.0' },
    storage: {
      files: [
        {
          path: '/etc/modprobe.d/amdgpu-blacklist.conf',
          mode: 0o644,
          overwrite: true,
          contents: { source: `data:,${encodeURIComponent('blacklist amdgpu\n')}` },
        },
      ],
    },
  },
};

export const AMD_GPU = operatorPlugin({
  ...PLAIN,
  ...gpuOperator('AMD GPU', 'AMD', '1002'),
  name: 'amd-gpu',
  featureId: 'AMD_GPU',
  dependencies: () => ['node-feature-discovery', 'kmm'],
  installation: () => AMD_GPU_INSTALLATION,
  preview: () => ({
    ...NOTHING,
    descriptions: ['An internal image registry with storage, where the operator stores the drivers that it builds'],
  }),
  manifests: () => [
    ...olmManifests({
      file: 'amd-gpu',
      installation: AMD_GPU_INSTALLATION,
      package: { name: 'amd-gpu-operator', source: 'certified-operators', channel: 'alpha' },
      group: { name: 'amd-gpu', watches: 'all' },
    }),
    ...machineConfigManifests('amd-gpu_blacklist', 'amdgpu-blacklist', AMD_GPU_BLACKLIST),
  ],
  laterManifests: () => [AMD_GPU_LATER],
});

const NVIDIA_GPU_INSTALLATION = { namespace: 'nvidia-gpu-operator', subscriptionName: 'gpu-operator-certified' };

/** The default values of the vendor. Drivers are built with the driver toolkit of the release. */
const NVIDIA_GPU_LATER = {
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
  ...gpuOperator('NVIDIA GPU', 'NVIDIA', '10de'),
  name: 'nvidia-gpu',
  featureId: 'NVIDIA_GPU',
  dependencies: () => ['node-feature-discovery'],
  installation: () => NVIDIA_GPU_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'nvidia-gpu',
      installation: NVIDIA_GPU_INSTALLATION,
      package: { name: 'gpu-operator-certified', source: 'certified-operators', channel: 'stable' },
      group: { name: 'nvidia-gpu', watches: 'own' },
    }),
  laterManifests: () => [NVIDIA_GPU_LATER],
});
