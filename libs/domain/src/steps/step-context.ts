import type { HardwareFacts, Plain } from '@muster/contracts';

/** Everything a step's arguments are made of. Facts only; the clock and the ids are the caller's. */
export interface StepContext {
  readonly host: StepHost;
  /** Absent until the first inventory. */
  readonly hardware?: Plain<HardwareFacts>;
  /** Absent for a host of the pool. */
  readonly cluster?: StepCluster;
  /** What a user gave the infra-env whose image the host booted. */
  readonly infraEnv: StepInfraEnv;
  /** The other hosts of the cluster. A function, because most steps never ask. */
  readonly others: () => readonly StepOtherHost[];
  readonly images: StepImages;
  readonly settings: StepSettings;
}

export interface StepHost {
  readonly hostId: string;
  readonly infraEnvId: string;
  readonly status: string;
  readonly kind: string;
  /** The suggestion where the role is auto-assign and there is one. */
  readonly effectiveRole: string;
  readonly isBootstrap: boolean;
  readonly installationDiskId: string;
  readonly installationDiskPath: string;
  /** JSON array string of extra coreos-installer arguments; empty for none. */
  readonly installerArgs: string;
  readonly skipFormattingDisks: readonly string[];
  readonly hasLogs: boolean;
  readonly machineConfigPoolName: string;
  /** Paths whose disk speed is known. */
  readonly measuredDisks: readonly string[];
  /** Images whose availability is known. */
  readonly checkedImages: readonly string[];
  /** Tang servers of the installed cluster that a day-2 host joins, as its ignition names them: JSON array text. */
  readonly tangServers?: string;
  /** What the ignition endpoint asks of this host; secrets. */
  readonly ignitionAccess?: { readonly token: string; readonly headers: { readonly [name: string]: string } };
}

export interface StepCluster {
  readonly id: string;
  readonly name: string;
  readonly baseDnsDomain: string;
  readonly controlPlaneCount: number;
  readonly openshiftVersion: string;
  readonly releaseImage: string;
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly userManagedNetworking: boolean;
  /** oci, …; of platform external only. */
  readonly externalPlatformName: string;
  /** The NTP sources that its hosts ask, comma separated: the cluster's own, else those of its infra-envs. May be empty. */
  readonly ntpSources: string;
  readonly proxy?: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };
  readonly apiVipDnsName: string;
  /** Where day-2 hosts find their ignition when it is not the API itself. The certificate is base64 of PEM. */
  readonly ignitionEndpoint?: { readonly url?: string; readonly caCertificate?: string };
  readonly diskEncryption?: {
    /** none, all, or some of masters, arbiters, workers, comma separated. */
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
}

export interface StepOtherHost {
  readonly hostId: string;
  readonly status: string;
  readonly role: string;
  readonly isBootstrap: boolean;
  readonly hardware?: Plain<HardwareFacts>;
}

/** Container image references of the programs that hosts run. */
export interface StepImages {
  readonly agent: string;
  readonly installer: string;
  readonly controller: string;
  readonly machineConfigOperator: string;
  readonly mustGather: string;
}

export interface StepSettings {
  readonly diskCheckTimeoutSeconds: number;
  readonly imageAvailabilityTimeoutSeconds: number;
  /** Largest inventory an agent may send, bytes; 0: no limit. */
  readonly inventoryBytesMax: number;
  /** Disks below this size are left out of inventories, bytes; 0: none is. */
  readonly inventoryDiskBytesMin: number;
  readonly checkClusterVersion: boolean;
  readonly skipMcoReboot: boolean;
  /** Step types never sent. */
  readonly disabledSteps: readonly string[];
  readonly upgradesAgents: boolean;
}

/** Arguments of one step, or undefined when the step does not apply now. */
export type StepArguments = (context: StepContext) => readonly string[] | undefined;

export const isDay2Host = ({ kind }: Pick<StepHost, 'kind'>): boolean => kind === 'AddToExistingClusterHost';
