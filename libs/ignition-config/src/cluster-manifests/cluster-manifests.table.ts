import { objectAt } from '@muster/schema';
import type { ClusterManifestsInput, InstallConfigView, ManifestFolder, PlatformView } from './manifests-input';

const PLATFORM_TYPES: ReadonlyMap<string, string> = new Map([
  ['baremetal', 'BareMetal'],
  ['none', 'None'],
  ['external', 'External'],
  ['vsphere', 'VSphere'],
  ['nutanix', 'Nutanix'],
]);

/** The object with platform, addresses and topology of the cluster. */
export function infrastructure({ infraId }: ClusterManifestsInput, config: InstallConfigView): object {
  const domain = domainOf(config);
  const [[name, platform = {}] = ['none', {}]] = Object.entries(config.platform);
  const type = PLATFORM_TYPES.get(name) ?? 'None';
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    spec: { platformSpec: { type, ...(type !== 'None' && { [name]: platformSpec(name, platform, config) }) } },
    status: {
      apiServerURL: `https://api.${domain}:6443`,
      apiServerInternalURI: `https://api-int.${domain}:6443`,
      etcdDiscoveryDomain: '',
      infrastructureName: infraId,
      platform: type,
      platformStatus: { type, ...(type !== 'None' && { [name]: platformStatus(name, platform) }) },
      controlPlaneTopology: controlPlaneTopology(config),
      // With one worker, the pods of the infrastructure may also run on the control plane.
      infrastructureTopology: isSingleNode(config) ? 'SingleReplica' : 'HighlyAvailable',
      cpuPartitioning: config.cpuPartitioningMode ?? 'None',
    },
  };
}

export const domainOf = ({ metadata, baseDomain }: InstallConfigView): string => `${metadata.name}.${baseDomain}`;
const isSingleNode = ({ controlPlane }: InstallConfigView): boolean => Number(controlPlane.replicas) === 1;

function controlPlaneTopology(config: InstallConfigView): string {
  if (isSingleNode(config)) return 'SingleReplica';
  if (Number(config.arbiter?.replicas ?? 0) > 0) return 'HighlyAvailableArbiter';
  return config.controlPlane.fencing ? 'DualReplica' : 'HighlyAvailable';
}

function platformSpec(name: string, platform: PlatformView, { networking }: InstallConfigView): object {
  if (name === 'external') return { platformName: platform.PlatformName ?? 'Unknown' };
  if (name !== 'baremetal') return {};
  return {
    apiServerInternalIPs: platform.apiVIPs ?? [],
    ingressIPs: platform.ingressVIPs ?? [],
    machineNetworks: networking.machineNetwork.map(({ cidr }) => cidr),
  };
}

function platformStatus(name: string, platform: PlatformView): object {
  const { apiVIPs = [], ingressVIPs = [], loadBalancer } = platform;
  if (name === 'external') return { cloudControllerManager: { state: platform.CloudControllerManager || 'None' } };
  return {
    ...(apiVIPs[0] && { apiServerInternalIP: apiVIPs[0], apiServerInternalIPs: apiVIPs }),
    ...(ingressVIPs[0] && { ingressIP: ingressVIPs[0], ingressIPs: ingressVIPs }),
    ...(loadBalancer && { loadBalancer }),
  };
}

interface ManifestRow {
  readonly folder: ManifestFolder;
  readonly fileName: string;
  /** Undefined when the cluster does not need the file. */
  readonly object: (input: ClusterManifestsInput, config: InstallConfigView) => object | undefined;
}

const CONFIG = 'config.openshift.io/v1';
const named = (name: string, namespace?: string): object => ({ name, ...(namespace && { namespace }) });
const ofCluster = (kind: string, body: object): object => ({
  apiVersion: CONFIG,
  kind,
  metadata: named('cluster'),
  ...body,
});
const configMap = (name: string, namespace: string, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: named(name, namespace),
  data,
});
const secret = (name: string, namespace: string, type: string, stringData: object): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: named(name, namespace),
  type,
  stringData,
});

/** The files with the configuration of the cluster's operators. Bootstrap stages and patches use these names. */
export const CLUSTER_MANIFESTS: readonly ManifestRow[] = [
  {
    folder: 'manifests',
    fileName: 'cluster-config.yaml',
    object: ({ installConfig }) =>
      configMap('cluster-config-v1', 'kube-system', {
        'install-config': JSON.stringify(withoutSecrets(installConfig)),
      }),
  },
  {
    folder: 'manifests',
    fileName: 'cluster-dns-02-config.yml',
    object: (_, config) => ofCluster('DNS', { spec: { baseDomain: domainOf(config) }, status: {} }),
  },
  { folder: 'manifests', fileName: 'cluster-infrastructure-02-config.yml', object: infrastructure },
  {
    folder: 'manifests',
    fileName: 'cluster-ingress-02-config.yml',
    object: (_, config) => ofCluster('Ingress', { spec: { domain: `apps.${domainOf(config)}` }, status: {} }),
  },
  {
    folder: 'manifests',
    fileName: 'cluster-network-02-config.yml',
    object: (_, { networking: { clusterNetwork, serviceNetwork, networkType } }) => {
      const network = { clusterNetwork, serviceNetwork, networkType, externalIP: { policy: {} } };
      return ofCluster('Network', { spec: network, status: { clusterNetwork, serviceNetwork, networkType } });
    },
  },
  {
    folder: 'manifests',
    fileName: 'cluster-proxy-01-config.yaml',
    object: (_, { proxy, additionalTrustBundle }) =>
      ofCluster('Proxy', {
        spec: { ...proxy, trustedCA: { name: additionalTrustBundle ? 'user-ca-bundle' : '' } },
        status: { ...proxy },
      }),
  },
  {
    folder: 'manifests',
    fileName: 'cluster-scheduler-02-config.yml',
    object: (_, { compute }) =>
      ofCluster('Scheduler', {
        spec: { mastersSchedulable: compute.every(({ replicas }) => replicas === 0), policy: { name: '' } },
        status: {},
      }),
  },
  {
    folder: 'manifests',
    fileName: 'cvo-overrides.yaml',
    object: ({ openshiftClusterId }, { capabilities }) => ({
      apiVersion: CONFIG,
      kind: 'ClusterVersion',
      metadata: named('version', 'openshift-cluster-version'),
      spec: { clusterID: openshiftClusterId, channel: '', ...(capabilities && { capabilities }) },
    }),
  },
  {
    folder: 'manifests',
    fileName: 'kube-system-configmap-root-ca.yaml',
    object: ({ rootCaPem }) => configMap('root-ca', 'kube-system', { 'ca.crt': rootCaPem }),
  },
  {
    folder: 'manifests',
    fileName: 'machine-config-server-tls-secret.yaml',
    object: ({ machineConfigServer: { certificatePem, privateKeyPem } }) =>
      secret('machine-config-server-tls', 'openshift-machine-config-operator', 'kubernetes.io/tls', {
        'tls.crt': certificatePem,
        'tls.key': privateKeyPem,
      }),
  },
  {
    folder: 'manifests',
    fileName: 'openshift-config-secret-pull-secret.yaml',
    object: (_, { pullSecret }) =>
      secret('pull-secret', 'openshift-config', 'kubernetes.io/dockerconfigjson', { '.dockerconfigjson': pullSecret }),
  },
  {
    folder: 'manifests',
    fileName: 'user-ca-bundle-config.yaml',
    object: (_, { additionalTrustBundle }) =>
      additionalTrustBundle
        ? configMap('user-ca-bundle', 'openshift-config', { 'ca-bundle.crt': additionalTrustBundle })
        : undefined,
  },
  {
    folder: 'manifests',
    fileName: 'image-digest-mirror-set.yaml',
    object: (_, { imageDigestSources: sources }) =>
      sources && {
        apiVersion: CONFIG,
        kind: 'ImageDigestMirrorSet',
        metadata: named('image-digest-mirror'),
        spec: { imageDigestMirrors: sources.map(({ source, mirrors }) => ({ source, mirrors })) },
      },
  },
  {
    folder: 'manifests',
    fileName: 'image-content-source-policy.yaml',
    object: (_, { imageContentSources: sources }) =>
      sources && {
        apiVersion: 'operator.openshift.io/v1alpha1',
        kind: 'ImageContentSourcePolicy',
        metadata: named('image-policy'),
        spec: { repositoryDigestMirrors: sources.map(({ source, mirrors }) => ({ source, mirrors })) },
      },
  },
  {
    folder: 'openshift',
    fileName: '99_kubeadmin-password-secret.yaml',
    object: ({ kubeadminPasswordHash }) =>
      secret('kubeadmin', 'kube-system', 'Opaque', { kubeadmin: kubeadminPasswordHash }),
  },
  {
    folder: 'openshift',
    fileName: 'openshift-install-manifests.yaml',
    object: ({ invoker, version }) =>
      configMap('openshift-install-manifests', 'openshift-config', { invoker, version }),
  },
  {
    folder: 'openshift',
    fileName: '99_feature-gate.yaml',
    object: (_, { featureSet }) => (featureSet ? ofCluster('FeatureGate', { spec: { featureSet } }) : undefined),
  },
];

/** Every reader of the namespace can read this copy. */
function withoutSecrets(config: ClusterManifestsInput['installConfig']): object {
  const { fencing: _, ...controlPlane } = objectAt(config, 'controlPlane');
  return { ...config, pullSecret: '', controlPlane };
}
