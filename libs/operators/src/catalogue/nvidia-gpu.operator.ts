import { gpuOperator } from '../plugin/gpu-operator';
import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

const INSTALLATION = { namespace: 'nvidia-gpu-operator', subscriptionName: 'gpu-operator-certified' };

/** The defaults of the vendor. Drivers are built with the driver toolkit of the release. */
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
  ...gpuOperator('NVIDIA GPU', 'NVIDIA', '10de'),
  name: 'nvidia-gpu',
  featureId: 'NVIDIA_GPU',
  dependencies: () => ['node-feature-discovery'],
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'nvidia-gpu',
      installation: INSTALLATION,
      package: { name: 'gpu-operator-certified', source: 'certified-operators', channel: 'stable' },
      group: { name: 'nvidia-gpu', watches: 'own' },
    }),
  laterManifests: () => [LATER],
});
