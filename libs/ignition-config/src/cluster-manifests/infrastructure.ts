import type { ClusterManifestsInput, InstallConfigView, PlatformView } from './manifests-input';

const PLATFORM_TYPES: ReadonlyMap<string, string> = new Map([
  ['baremetal', 'BareMetal'],
  ['none', 'None'],
  ['external', 'External'],
  ['vsphere', 'VSphere'],
  ['nutanix', 'Nutanix'],
]);

/** Where the cluster stands: platform, addresses, how many of everything there are. */
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
      // With one worker only, its pods may run on the control plane too.
      infrastructureTopology: isSingleNode(config) ? 'SingleReplica' : 'HighlyAvailable',
      cpuPartitioning: config.cpuPartitioningMode ?? 'None',
    },
  };
}

export const domainOf = ({ metadata, baseDomain }: InstallConfigView): string => `${metadata.name}.${baseDomain}`;
const isSingleNode = ({ controlPlane }: InstallConfigView): boolean => controlPlane.replicas === 1;

function controlPlaneTopology(config: InstallConfigView): string {
  if (isSingleNode(config)) return 'SingleReplica';
  if ((config.arbiter?.replicas ?? 0) > 0) return 'HighlyAvailableArbiter';
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
