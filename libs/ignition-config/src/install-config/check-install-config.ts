import { anything, formatPath, integer, listOf, mapping, network, oneOf, type Shape, text } from '../shape/shape';
import type { InstallConfig, InstallConfigInput } from './install-config-input';
import { effectivePlatform } from './platform-section';

const MAX_REPLICAS = 10_000;
const flag = oneOf(['true', 'false']);

const pool = mapping({
  name: text,
  replicas: integer(0, MAX_REPLICAS),
  hyperthreading: oneOf(['Enabled', 'Disabled']),
  architecture: oneOf(['amd64', 'arm64', 'ppc64le', 's390x']),
  platform: anything,
  diskSetup: anything,
  fencing: mapping({ credentials: listOf(anything) }),
});
const mirrorSources = listOf(
  mapping({
    source: text,
    mirrors: listOf(text),
    sourcePolicy: oneOf(['NeverContactSource', 'AllowContactingSource']),
  }),
);

/** Every field that an install-config of any supported version may have. */
export const INSTALL_CONFIG_SHAPE: Shape = mapping({
  apiVersion: oneOf(['v1']),
  baseDomain: text,
  metadata: mapping({ name: text, annotations: anything, labels: anything }),
  controlPlane: pool,
  compute: listOf(pool),
  arbiter: pool,
  networking: mapping({
    networkType: text,
    clusterNetwork: listOf(mapping({ cidr: network, hostPrefix: integer(0, 128) })),
    machineNetwork: listOf(mapping({ cidr: network })),
    serviceNetwork: listOf(network),
    ovnKubernetesConfig: anything,
    clusterNetworkMTU: integer(0, 65_535),
  }),
  platform: mapping({
    baremetal: anything,
    none: anything,
    vsphere: anything,
    nutanix: anything,
    external: anything,
  }),
  proxy: mapping({ httpProxy: text, httpsProxy: text, noProxy: text }),
  pullSecret: text,
  sshKey: text,
  additionalTrustBundle: text,
  additionalTrustBundlePolicy: oneOf(['Proxyonly', 'Always']),
  imageContentSources: mirrorSources,
  imageDigestSources: mirrorSources,
  fips: flag,
  bootstrapInPlace: mapping({ installationDisk: text }),
  capabilities: mapping({ baselineCapabilitySet: text, additionalEnabledCapabilities: listOf(text) }),
  cpuPartitioningMode: oneOf(['None', 'AllNodes']),
  featureSet: text,
  featureGates: listOf(text),
  osImageStream: text,
  publish: oneOf(['External', 'Internal', 'Mixed']),
  credentialsMode: oneOf(['Mint', 'Passthrough', 'Manual']),
});

/** Why an installation with this config would fail at its first step, one sentence each; empty when it would not. */
export function checkInstallConfig(config: InstallConfig, input: InstallConfigInput): readonly string[] {
  const problems: string[] = [];
  INSTALL_CONFIG_SHAPE(config, [], (path, problem) => problems.push(`install-config, ${formatPath(path)}: ${problem}`));
  if (effectivePlatform(input) === 'baremetal')
    for (const { hostname, bootMacAddress } of input.hosts)
      if (bootMacAddress === '')
        problems.push(
          `Host ${hostname} has no port with an address in a machine network; give it one and install again.`,
        );
  return problems;
}
