import type { HardwareFacts, Plain } from '@muster/contracts';
import type { RemoteHosts, StepOtherHost } from './remote-hosts';

/** The inputs of a step's arguments. The caller adds the time and the ids. */
export interface StepContext {
  readonly host: StepHost;
  /** Absent until the first inventory. */
  readonly hardware?: Plain<HardwareFacts>;
  /** Absent for a host without a cluster. */
  readonly cluster?: StepCluster;
  /** Settings of the infra-env whose image the host booted. */
  readonly infraEnv: StepInfraEnv;
  /** The other hosts of the cluster. A function, because most steps do not need them. */
  readonly others: () => readonly StepOtherHost[];
  /** All hosts of the cluster, in the text of connectivity checks. */
  readonly remoteHosts: () => RemoteHosts;
  readonly images: StepImages;
  readonly settings: StepSettings;
}

export interface StepHost {
  readonly hostId: string;
  readonly infraEnvId: string;
  readonly status: string;
  /** Two live machines use the id of the host, so that either of them may be polling. */
  readonly hasIdentityConflict: boolean;
  readonly kind: string;
  /** The suggested role when the role is `auto-assign` and a suggestion exists. */
  readonly effectiveRole: string;
  readonly isBootstrap: boolean;
  readonly installationDiskId: string;
  readonly installationDiskPath: string;
  /** JSON array of extra coreos-installer arguments, as a text. Empty for none. */
  readonly installerArgs: string;
  readonly skipFormattingDisks: readonly string[];
  readonly hasLogs: boolean;
  readonly machineConfigPoolName: string;
  /** Paths of the disks whose speed was measured. */
  readonly measuredDisks: readonly string[];
  /** Images whose availability was checked. */
  readonly checkedImages: readonly string[];
  /** Tang servers of the installed cluster that a day-2 host joins, from its Ignition config, as a JSON array. */
  readonly tangServers?: string;
  /** Operating system image of the installed cluster that a day-2 host joins, from its Ignition config. */
  readonly osImageUrl?: string;
  /** How this host accesses the Ignition endpoint, when it differs from the other hosts. Token and headers are secrets. */
  readonly ignitionAccess?: {
    readonly token: string;
    readonly headers: { readonly [name: string]: string };
    /** Certificate authorities of the cluster and of the host, base64 of PEM. Empty when the host adds none. */
    readonly caCertificate: string;
  };
}

export interface StepCluster {
  readonly id: string;
  readonly name: string;
  readonly baseDnsDomain: string;
  readonly controlPlaneCount: number;
  readonly openshiftVersion: string;
  readonly releaseImage: string;
  /** Whether its installation waits for the cluster-version operator. */
  readonly waitsForClusterVersion: boolean;
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly userManagedNetworking: boolean;
  readonly vipDhcpAllocation: boolean;
  /** Lease blocks of the VIPs that DHCP allocated; empty before. */
  readonly vipLeases: { readonly api: string; readonly ingress: string };
  /** Name of the external platform, such as oci. Set for platform external only. */
  readonly externalPlatformName: string;
  /**
   * The NTP sources of its hosts, comma separated: those of the cluster, else those of its infra-envs. May be empty.
   */
  readonly ntpSources: string;
  readonly proxy?: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };
  readonly apiVipDnsName: string;
  /** The Ignition endpoint of day-2 hosts when it is not the API. The certificate is base64 of PEM. */
  readonly ignitionEndpoint?: { readonly url?: string; readonly caCertificate?: string };
  readonly diskEncryption?: {
    /** none, all, or a comma-separated list of masters, arbiters, workers. */
    readonly enableOn: string;
    readonly mode: string;
    /** JSON array string of {url, thumbprint}. */
    readonly tangServers: string;
  };
}

export interface StepInfraEnv {
  /** Comma separated; may be empty. */
  readonly ntpSources: string;
  readonly hasStaticNetwork: boolean;
  /** Architecture of the image that the host booted. Empty when it is not known. */
  readonly cpuArchitecture: string;
}

/** Programs that hosts run: container image references, or `muster-host:<version>` for the executable. */
export interface StepImages {
  readonly agent: string;
  /** Architectures for which the service has a current executable, as `uname -m` prints them. */
  readonly agentArchitectures: readonly string[];
  readonly installer: string;
  readonly controller: string;
  readonly machineConfigOperator: string;
  readonly mustGather: string;
  /** Operating system of the release. Empty when it is not known. */
  readonly coreos: string;
}

export interface StepSettings {
  readonly diskCheckTimeoutSeconds: number;
  readonly imageAvailabilityTimeoutSeconds: number;
  /** Maximum size of an inventory in bytes. 0: no limit. */
  readonly inventoryBytesMax: number;
  /** Disks below this size in bytes are omitted from inventories. 0: none. */
  readonly inventoryDiskBytesMin: number;
  readonly skipMcoReboot: boolean;
  /** Step types that are never sent. */
  readonly disabledSteps: readonly string[];
  readonly upgradesAgents: boolean;
}

/** Returns the arguments of one step, or undefined when the step does not apply. */
export type StepArguments = (context: StepContext) => readonly string[] | undefined;

export const isDay2Host = ({ kind }: Pick<StepHost, 'kind'>): boolean => kind === 'AddToExistingClusterHost';
