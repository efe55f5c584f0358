import { gpusOf } from '../plugin/devices';
import { ADD_A_GPU, claimGpuInCluster, claimNoSecureBoot, TURN_SECURE_BOOT_OFF } from '../plugin/gpu-claims';
import { olmManifests } from '../plugin/olm-objects';
import { AWAITS_INVENTORY, meets } from '../plugin/operator-claim';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { flag, flagOf, names, namesOf } from '../plugin/operator-settings';

/** Vendors whose devices count. */
const SUPPORTED = names('AMD_SUPPORTED_GPUS', '1002');
const IS_DEMANDED = flag('AMD_REQUIRE_GPU', true);
const INSTALLATION = { namespace: 'kube-amd-gpu', subscriptionName: 'amd-gpu-operator' };

const LATER = {
  apiVersion: 'amd.com/v1alpha1',
  kind: 'DeviceConfig',
  metadata: { name: 'default', namespace: INSTALLATION.namespace },
  spec: { driver: { enable: true }, selector: { 'feature.node.kubernetes.io/amd-gpu': 'true' } },
};

export const AMD_GPU = operatorPlugin({
  ...PLAIN,
  name: 'amd-gpu',
  title: 'AMD GPU',
  featureId: 'AMD_GPU',
  dependencies: () => ['node-feature-discovery', 'kmm'],
  bundles: () => [{ id: 'openshift-ai', isOptional: true }],
  settings: [SUPPORTED, IS_DEMANDED],
  installation: () => INSTALLATION,
  host: {
    checks: 'Secure boot is off on hosts with such a GPU.',
    claim: (host, { settings }) => {
      if (!host.hardware) return AWAITS_INVENTORY;
      return gpusOf(host, namesOf(settings, SUPPORTED)) > 0 ? claimNoSecureBoot('AMD GPU', host) : meets();
    },
    remedy: TURN_SECURE_BOOT_OFF,
  },
  cluster: {
    checks: 'At least one supported GPU on a worker, or on a control plane host that runs workloads.',
    claim: (hosts, cluster) =>
      flagOf(cluster.settings, IS_DEMANDED)
        ? claimGpuInCluster('AMD GPU', hosts, cluster, namesOf(cluster.settings, SUPPORTED))
        : meets(),
    remedy: ADD_A_GPU,
  },
  manifests: () =>
    olmManifests({
      file: 'amd-gpu',
      installation: INSTALLATION,
      package: { name: 'amd-gpu-operator', source: 'certified-operators', channel: 'alpha' },
      group: { name: 'amd-gpu', watches: 'all' },
    }),
  laterManifests: () => [LATER],
});
