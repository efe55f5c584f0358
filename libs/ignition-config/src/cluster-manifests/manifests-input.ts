import type { InstallConfig } from '../install-config/install-config-input';

export const MANIFEST_FOLDERS = ['openshift', 'manifests'] as const;
export type ManifestFolder = (typeof MANIFEST_FOLDERS)[number];

/** A document, or several, that the new cluster finds when it comes up. */
export interface ManifestFile {
  readonly folder: ManifestFolder;
  readonly fileName: string;
  /** YAML or JSON text. */
  readonly content: string;
}

/** JSON is YAML: what reads manifests reads this. */
export const manifest = (folder: ManifestFolder, fileName: string, object: object): ManifestFile => ({
  folder,
  fileName,
  content: `${JSON.stringify(object, undefined, 2)}\n`,
});

/** Everything the generated manifests say. Holds secrets. */
export interface ClusterManifestsInput {
  /** As it is given to the installer, overrides included. */
  readonly installConfig: InstallConfig;
  /** What the cluster calls itself: a UUID. */
  readonly openshiftClusterId: string;
  /** Prefix of the names of what belongs to the cluster. */
  readonly infraId: string;
  /** PEM. */
  readonly rootCaPem: string;
  readonly machineConfigServer: { readonly certificatePem: string; readonly privateKeyPem: string };
  /** bcrypt hash of the password of kubeadmin. */
  readonly kubeadminPasswordHash: string;
  /** Pointer configs by role, as JSON text. */
  readonly pointers: ReadonlyMap<string, string>;
  /** Name of the installing program, as the cluster reports it. */
  readonly invoker: string;
  readonly version: string;
}

/** The members of an install-config that manifests are made of; what it is has been checked before. */
export interface InstallConfigView {
  readonly baseDomain: string;
  readonly metadata: { readonly name: string };
  readonly controlPlane: Pool & { readonly fencing?: object };
  readonly compute: readonly Pool[];
  readonly arbiter?: Pool;
  readonly networking: {
    readonly networkType: string;
    readonly clusterNetwork: readonly { readonly cidr: string; readonly hostPrefix: number }[];
    readonly machineNetwork: readonly { readonly cidr: string }[];
    readonly serviceNetwork: readonly string[];
  };
  readonly platform: { readonly [name: string]: PlatformView | undefined };
  readonly proxy?: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };
  readonly pullSecret: string;
  readonly sshKey?: string;
  readonly additionalTrustBundle?: string;
  readonly fips?: boolean;
  readonly featureSet?: string;
  readonly capabilities?: {
    readonly baselineCapabilitySet?: string;
    readonly additionalEnabledCapabilities?: readonly string[];
  };
  readonly cpuPartitioningMode?: string;
  readonly imageDigestSources?: readonly MirrorView[];
  readonly imageContentSources?: readonly MirrorView[];
}

export interface MirrorView {
  readonly source: string;
  readonly mirrors: readonly string[];
}
export interface PlatformView {
  readonly apiVIPs?: readonly string[];
  readonly ingressVIPs?: readonly string[];
  readonly loadBalancer?: object;
  readonly PlatformName?: string;
  readonly CloudControllerManager?: string;
}
interface Pool {
  readonly name: string;
  readonly replicas: number;
  readonly hyperthreading?: string;
}

export const viewOf = (config: InstallConfig): InstallConfigView => config as unknown as InstallConfigView;
