import type { ProxySettings } from '../discovery/discovery-input';

/** Everything the install-config says. Empty texts and lists count as not given. */
export interface InstallConfigInput {
  readonly name: string;
  readonly baseDomain: string;
  readonly openshiftVersion: string;
  readonly controlPlaneCount: number;
  readonly workerCount: number;
  readonly arbiterCount: number;
  /** x86_64, arm64, …; empty: left to the installer. */
  readonly cpuArchitecture: string;
  /** all, masters, workers, arbiters, none or several of them joined by commas. */
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
  /** JSON text; a secret. */
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
  /** MAC address of the first port with an address in a machine network; empty without such a port. */
  readonly bootMacAddress: string;
  readonly isLegacyBoot: boolean;
  /** How its power is cut when it stops answering; two-node clusters with fencing. Secrets. */
  readonly fencing?: FencingCredentials;
}

export interface FencingCredentials {
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly certificateVerification: string;
  /** Names the host instead of its host name. */
  readonly macAddress?: string;
}

export interface RegistryMirror {
  readonly source: string;
  readonly mirrors: readonly string[];
  /** Images are never taken from the source: `blocked` in a registries.conf. */
  readonly neverContactSource?: boolean;
}

/** The document as an object; its JSON is YAML too. Holds the pull secret. */
export interface InstallConfig {
  readonly [field: string]: unknown;
}
