import { createParser, formatViolation, holds } from '@muster/schema';
import { anything, listOf, mapping, network, oneOf, text } from '../documents/values';
import type { InstallConfig, InstallConfigInput } from './install-config-input';
import { effectivePlatform } from './platform-section';

const MAX_REPLICAS = 10_000;
/** The installer reads neither flags nor numbers from texts. */
const flag = holds((value) => typeof value === 'boolean', 'true or false');
const integer = (from: number, to: number) =>
  holds(
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to,
    `a whole number from ${from} to ${to}`,
  );

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

/** All fields of an install-config in any supported version. */
export const INSTALL_CONFIG = mapping({
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

const parse = createParser(INSTALL_CONFIG, { name: '', nullIsAbsent: true });
const parseAll = createParser(INSTALL_CONFIG, { name: '', nullIsAbsent: true, reportsAll: true });

/**
 * Returns the first reason why these fields are not an install-config, as a sentence without full stop, or undefined.
 */
export function faultOf(config: InstallConfig): string | undefined {
  const parsed = parse(config);
  return parsed.kind === 'invalid' ? formatViolation(parsed.violations[0]) : undefined;
}

/**
 * Returns the reasons why an installation with this config would fail at its first step, one sentence each. Empty when
 * there are none.
 */
export function checkInstallConfig(config: InstallConfig, input: InstallConfigInput): readonly string[] {
  const parsed = parseAll(config);
  const violations = parsed.kind === 'invalid' ? parsed.violations : [];
  const problems = violations.map((violation) => `install-config, ${formatViolation(violation)}.`);
  if (effectivePlatform(input) === 'baremetal')
    for (const { hostname, bootMacAddress } of input.hosts)
      if (bootMacAddress === '')
        problems.push(
          `Host ${hostname} has no interface with an address in a machine network. Add an address and install again.`,
        );
  return problems;
}
