import type { ProxySettings } from '../discovery/discovery-input';

export interface InstallConfigInput {
  readonly name: string;
  readonly baseDomain: string;
  readonly controlPlaneCount: number;
  readonly workerCount: number;
  readonly arbiterCount: number;
  /** x86_64, arm64, …; empty: left to the installer. */
  readonly cpuArchitecture: string;
  /** all, masters, workers, none or several of them joined by commas. */
  readonly hyperthreading: string;
  readonly networkType: string;
  readonly clusterNetworks: readonly { readonly cidr: string; readonly hostPrefix: number }[];
  readonly serviceNetworks: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  /** baremetal or none; the others come with their own sections later. */
  readonly platformType: string;
  readonly proxy: ProxySettings;
  /** JSON text; a secret. */
  readonly pullSecret: string;
  readonly sshPublicKey: string;
  readonly additionalTrustBundle: string;
  /** Of a single node. */
  readonly installationDisk: string;
}

/** install-config.yaml from the cluster's basics, as an object; its JSON is YAML too. Holds the pull secret. */
export function renderInstallConfig(input: InstallConfigInput): object {
  const { controlPlaneCount, workerCount, arbiterCount, sshPublicKey, additionalTrustBundle } = input;
  const isSingleNode = controlPlaneCount === 1;
  return {
    apiVersion: 'v1',
    baseDomain: input.baseDomain,
    metadata: { name: input.name },
    controlPlane: { ...pool(input, 'master', controlPlaneCount) },
    compute: [pool(input, 'worker', workerCount)],
    ...(arbiterCount > 0 && { arbiter: pool(input, 'arbiter', arbiterCount) }),
    networking: {
      networkType: input.networkType,
      clusterNetwork: input.clusterNetworks.map(({ cidr, hostPrefix }) => ({ cidr, hostPrefix })),
      machineNetwork: input.machineNetworks.map((cidr) => ({ cidr })),
      serviceNetwork: [...input.serviceNetworks],
    },
    platform: platform(input),
    ...proxySection(input),
    pullSecret: input.pullSecret,
    ...(sshPublicKey && { sshKey: sshPublicKey }),
    ...(additionalTrustBundle && { additionalTrustBundle }),
    fips: false,
    ...(isSingleNode && input.installationDisk && { bootstrapInPlace: { installationDisk: input.installationDisk } }),
  };
}

function pool(input: InstallConfigInput, name: 'master' | 'worker' | 'arbiter', replicas: number): object {
  const chosen = input.hyperthreading.split(',');
  const isEnabled = input.hyperthreading === '' || chosen.includes('all') || chosen.includes(`${name}s`);
  return {
    name,
    replicas,
    hyperthreading: isEnabled ? 'Enabled' : 'Disabled',
    ...(input.cpuArchitecture && {
      architecture: GO_ARCHITECTURES.get(input.cpuArchitecture) ?? input.cpuArchitecture,
    }),
  };
}

const GO_ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['aarch64', 'arm64'],
]);

function platform({ platformType, apiVips, ingressVips, controlPlaneCount }: InstallConfigInput): object {
  if (platformType === 'none' || controlPlaneCount === 1) return { none: {} };
  return {
    baremetal: { apiVIPs: [...apiVips], ingressVIPs: [...ingressVips], provisioningNetwork: 'Disabled', hosts: [] },
  };
}

function proxySection(input: InstallConfigInput): object {
  const { httpProxy, httpsProxy, noProxy } = input.proxy;
  if (httpProxy === '' && httpsProxy === '') return {};
  return {
    proxy: {
      ...(httpProxy && { httpProxy }),
      ...(httpsProxy && { httpsProxy }),
      noProxy: noProxy === '*' ? '*' : withOwnNetworks(input).join(','),
    },
  };
}

/** Traffic of the cluster with itself does not go through a proxy. */
function withOwnNetworks(input: InstallConfigInput): readonly string[] {
  const given = input.proxy.noProxy.split(',').filter((entry) => entry !== '');
  const own = [
    `.${input.name}.${input.baseDomain}`,
    ...input.clusterNetworks.map(({ cidr }) => cidr),
    ...input.serviceNetworks,
    ...input.machineNetworks,
  ];
  return [...new Set([...given, ...own])];
}
