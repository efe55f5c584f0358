import { isAtLeast } from '@muster/feature-support';
import { sshKeysIn } from '../config/ignition-config';
import { splitList } from '../discovery/discovery-input';
import { UNREADABLE, withEscapes } from '../documents/read-yaml';
import { checkInstallConfig } from './check-install-config';
import type { InstallConfig, InstallConfigHost, InstallConfigInput } from './install-config-input';
import { overrideInstallConfig } from './override-install-config';
import { effectivePlatform, platformSection } from './platform-section';

const DIGEST_SOURCES_SINCE = '4.14';
const ARBITER_PREVIEW = { since: '4.19', until: '4.20' };
const FENCING_SUPPORTED_SINCE = '4.22';

/** Returns the install-config for the settings of a cluster, before the overrides. */
export function renderInstallConfig(input: InstallConfigInput): InstallConfig {
  const { controlPlaneCount, workerCount, arbiterCount, additionalTrustBundle } = input;
  const sshKey = sshKeysIn(input.sshPublicKey).join('\n');
  const isSingleNode = controlPlaneCount === 1;
  return {
    apiVersion: 'v1',
    baseDomain: input.baseDomain,
    metadata: { name: input.name },
    controlPlane: { ...pool(input, 'master', controlPlaneCount), ...fencingSection(input) },
    compute: [pool(input, 'worker', workerCount)],
    ...(arbiterCount > 0 && { arbiter: pool(input, 'arbiter', arbiterCount) }),
    networking: {
      networkType: networkType(input),
      clusterNetwork: input.clusterNetworks.map(({ cidr, hostPrefix }) => ({ cidr, hostPrefix })),
      machineNetwork: input.machineNetworks.map((cidr) => ({ cidr })),
      serviceNetwork: [...input.serviceNetworks],
    },
    platform: platformSection(input),
    ...featureSet(input),
    ...proxySection(input),
    pullSecret: input.pullSecret,
    ...(sshKey && { sshKey }),
    ...(additionalTrustBundle && { additionalTrustBundle }),
    ...mirrorSection(input),
    fips: false,
    ...(isSingleNode && input.installationDisk && { bootstrapInPlace: { installationDisk: input.installationDisk } }),
  };
}

/** A bare-metal cluster with a custom network plug-in has an empty network type. */
const networkType = (input: InstallConfigInput): string =>
  input.networkType === 'None' && effectivePlatform(input) === 'baremetal' ? '' : input.networkType;

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

/** Only clusters of two nodes without an arbiter use fencing, but hosts of other clusters may have credentials too. */
const fencedHosts = ({ controlPlaneCount, arbiterCount, hosts }: InstallConfigInput): readonly InstallConfigHost[] =>
  controlPlaneCount === 2 && arbiterCount === 0
    ? hosts.filter(({ role, fencing }) => role === 'master' && fencing !== undefined)
    : [];

/** Two nodes with fencing credentials, in the order of their names. */
function fencingSection(input: InstallConfigInput): object {
  const credentials = [...fencedHosts(input)]
    .sort((first, second) => (first.hostname < second.hostname ? -1 : 1))
    .map(({ hostname, fencing }) => ({
      ...(fencing?.macAddress ? { macAddress: fencing.macAddress } : { hostname }),
      address: fencing?.address,
      username: fencing?.username,
      password: fencing?.password,
      ...(fencing?.certificateVerification && { certificateVerification: fencing.certificateVerification }),
    }));
  return credentials.length === 0 ? {} : { fencing: { credentials } };
}

/** Topologies are a technology preview before the version that supports them. */
function featureSet(input: InstallConfigInput): object {
  const { openshiftVersion, arbiterCount } = input;
  const { since, until } = ARBITER_PREVIEW;
  const isArbiterPreview =
    arbiterCount > 0 && isAtLeast(openshiftVersion, since) && !isAtLeast(openshiftVersion, until);
  const isFencingPreview = fencedHosts(input).length > 0 && !isAtLeast(openshiftVersion, FENCING_SUPPORTED_SINCE);
  return isArbiterPreview || isFencingPreview ? { featureSet: 'TechPreviewNoUpgrade' } : {};
}

/** The installer refuses an install-config with wildcards, and with sources that are blocked and have no mirror. */
function mirrorSection({ mirrors: all, openshiftVersion }: InstallConfigInput): object {
  const mirrors = all.filter(({ mirrors: places, source }) => places.length > 0 && !source.startsWith('*.'));
  if (mirrors.length === 0) return {};
  const field = isAtLeast(openshiftVersion, DIGEST_SOURCES_SINCE) ? 'imageDigestSources' : 'imageContentSources';
  return { [field]: mirrors.map(({ source, mirrors: places }) => ({ source, mirrors: [...places] })) };
}

function proxySection(input: InstallConfigInput): object {
  const { httpProxy, httpsProxy, noProxy } = input.proxy;
  if (httpProxy === '' && httpsProxy === '') return {};
  return {
    proxy: {
      ...(httpProxy && { httpProxy }),
      ...(httpsProxy && { httpsProxy }),
      noProxy: noProxy.trim() === '*' ? '*' : withOwnNetworks(input).join(','),
    },
  };
}

/** Traffic within the cluster must not use a proxy. The installer refuses blanks. */
function withOwnNetworks(input: InstallConfigInput): readonly string[] {
  const own = [
    `.${input.name}.${input.baseDomain}`,
    ...input.clusterNetworks.map(({ cidr }) => cidr),
    ...input.serviceNetworks,
    ...input.machineNetworks,
  ];
  return [...new Set([...splitList(input.proxy.noProxy), ...own])];
}

export type ComposedInstallConfig =
  | {
      readonly kind: 'composed';
      readonly config: InstallConfig;
      /** Reasons why the installation would fail at its first step, one sentence each. */
      readonly problems: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Returns the document with the overrides of the cluster, as the installer receives it. */
export function composeInstallConfig(input: InstallConfigInput): ComposedInstallConfig {
  const overridden = overrideInstallConfig(renderInstallConfig(input), input.overrides);
  if (overridden.kind === 'refused') return overridden;
  const { config } = overridden;
  return { kind: 'composed', config, problems: checkInstallConfig(config, input) };
}

/** Returns the document as JSON text that is YAML as well. It contains secrets. */
export const toInstallConfigText = (config: InstallConfig): string => withEscapes(JSON.stringify(config), UNREADABLE);
