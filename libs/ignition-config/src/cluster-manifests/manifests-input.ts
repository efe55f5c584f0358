import type { InstallConfig } from '../install-config/install-config-input';

export const MANIFEST_FOLDERS = ['openshift', 'manifests'] as const;
export type ManifestFolder = (typeof MANIFEST_FOLDERS)[number];

/** A file with one or several manifests for the new cluster. */
export interface ManifestFile {
  readonly folder: ManifestFolder;
  readonly fileName: string;
  /** YAML or JSON text. */
  readonly content: string;
}

/** JSON is valid YAML. */
export const manifest = (folder: ManifestFolder, fileName: string, object: object): ManifestFile => ({
  folder,
  fileName,
  content: `${JSON.stringify(object, undefined, 2)}\n`,
});

/** The input of the generated manifests. Contains secrets. */
export interface ClusterManifestsInput {
  /** The final install-config with overrides. */
  readonly installConfig: InstallConfig;
  /** Id of the cluster in OpenShift: a UUID. */
  readonly openshiftClusterId: string;
  /** Prefix of the names of the cluster's resources. */
  readonly infraId: string;
  /** PEM. */
  readonly rootCaPem: string;
  readonly machineConfigServer: { readonly certificatePem: string; readonly privateKeyPem: string };
  /** bcrypt hash of the password of kubeadmin. */
  readonly kubeadminPasswordHash: string;
  /** Pointer configs by role as JSON text. */
  readonly pointers: ReadonlyMap<string, string>;
  /** Name of the installing program, which the cluster reports. */
  readonly invoker: string;
  readonly version: string;
}

/** The members of an install-config that manifests contain. They have been validated before. */
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
