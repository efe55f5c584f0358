import type { HardwareFacts, Plain } from '@muster/contracts';

/** Everything a step's arguments are made of. Facts only; the clock and the ids are the caller's. */
export interface StepContext {
  readonly host: StepHost;
  /** Absent until the first inventory. */
  readonly hardware?: Plain<HardwareFacts>;
  /** Absent for a host of the pool. */
  readonly cluster?: StepCluster;
  /** NTP sources of the host's infra-env, comma separated; may be empty. */
  readonly infraEnvNtpSources: string;
  /** The other hosts of the cluster. */
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
  readonly usesDhcpVips: boolean;
  readonly userManagedNetworking: boolean;
  readonly ntpSources: string;
  readonly proxy?: { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };
  readonly apiVipDnsName: string;
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
  readonly checkClusterVersion: boolean;
  readonly skipMcoReboot: boolean;
  /** Step types never sent. */
  readonly disabledSteps: readonly string[];
  readonly upgradesAgents: boolean;
}

/** Arguments of one step, or undefined when the step does not apply now. */
export type StepArguments = (context: StepContext) => readonly string[] | undefined;
