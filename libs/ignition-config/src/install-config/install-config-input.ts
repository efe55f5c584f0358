import type { ProxySettings } from '../discovery/discovery-input';

/** The input of the install-config. Empty texts and lists count as absent. */
export interface InstallConfigInput {
  readonly name: string;
  readonly baseDomain: string;
  readonly openshiftVersion: string;
  readonly controlPlaneCount: number;
  readonly workerCount: number;
  readonly arbiterCount: number;
  /** x86_64, arm64, … Empty: the installer decides. */
  readonly cpuArchitecture: string;
  /** all, none, or a comma-separated list of masters, workers and arbiters. */
  readonly hyperthreading: string;
  readonly networkType: string;
  readonly clusterNetworks: readonly { readonly cidr: string; readonly hostPrefix: number }[];
  readonly serviceNetworks: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly platform: PlatformChoice;
  /** In any order. */
  readonly hosts: readonly InstallConfigHost[];
  readonly ntpServers: readonly string[];
  readonly proxy: ProxySettings;
  /** JSON text. Secret. */
  readonly pullSecret: string;
  readonly sshPublicKey: string;
  /** PEM. */
  readonly additionalTrustBundle: string;
  readonly mirrors: readonly RegistryMirror[];
  /** Input of a single-node cluster. */
  readonly installationDisk: string;
  /** JSON text of `install_config_overrides`; empty without overrides. */
  readonly overrides: string;
}

export interface PlatformChoice {
  /** baremetal, none, vsphere, nutanix or external. */
  readonly type: string;
  readonly isUserManagedNetworking: boolean;
  readonly isUserManagedLoadBalancer: boolean;
  readonly externalName: string;
  readonly cloudControllerManager: string;
}

export interface InstallConfigHost {
  readonly hostname: string;
  readonly role: 'master' | 'worker' | 'arbiter';
  /** MAC address of the first port with an address in a machine network. Empty without such a port. */
  readonly bootMacAddress: string;
  readonly isLegacyBoot: boolean;
  /** Access to the power control of the host, in two-node clusters with fencing. Secret. */
  readonly fencing?: FencingCredentials;
}

export interface FencingCredentials {
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly certificateVerification: string;
  /** Identifies the host instead of its host name. */
  readonly macAddress?: string;
}

export interface RegistryMirror {
  readonly source: string;
  readonly mirrors: readonly string[];
  /** Images are never taken from the source: `blocked` in a registries.conf. */
  readonly neverContactSource?: boolean;
}

/** The document as an object. Contains the pull secret. */
export interface InstallConfig {
  readonly [field: string]: unknown;
}
