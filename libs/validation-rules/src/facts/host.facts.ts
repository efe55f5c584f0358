import type {
  DiskSpeedMeasured,
  DomainResolution,
  ImageAvailability,
  MtuFailure,
  NtpSource,
  Plain,
} from '@muster/contracts';
import { type ClusterShape, type OperatorSettings, STANDARD_SETTINGS } from '@muster/operators';
import { type Hardware, NO_HARDWARE } from '../hardware/hardware';
import { DEFAULT_REQUIREMENTS, type RequirementsTable } from '../hardware/requirements';
import { type ClusterSettingsFacts, NO_CLUSTER } from './cluster-settings.facts';

export const AUTO_ASSIGN = 'auto-assign';

/** Returns the effective role: the role set by a user, else the suggested one. */
export function effectiveRole(role: string, suggestedRole: string): string {
  return role === AUTO_ASSIGN && suggestedRole !== '' ? suggestedRole : role;
}

/** Stages in which the host runs the installed system without the agent, so it does not poll. */
const AFTER_REBOOT = ['Rebooting', 'Waiting for ignition', 'Configuring', 'Joined', 'Done'];

export const isAfterReboot = (stage: string): boolean => AFTER_REBOOT.includes(stage);

/** Settings of the service that rules read. */
export interface RulesPolicy {
  readonly requirements: RequirementsTable;
  /** Image that agents must run. Empty: any. */
  readonly agentImage: string;
  /** Architectures for which the service has a current executable, as `uname -m` prints them. */
  readonly agentArchitectures: readonly string[];
  /** Products of aarch64 hosts that are edge workers. */
  readonly edgeWorkerProducts: readonly string[];
  /** A single node runs its own DNS for the names of its cluster. */
  readonly singleNodeDnsmasq: boolean;
  readonly disabledHostRules: readonly string[];
  readonly disabledClusterRules: readonly string[];
  /** Settings of single operators. */
  readonly operatorSettings: OperatorSettings;
}

/** The facts that host rules read, as plain values. `undefined` means that no report has arrived. */
export interface HostFacts {
  readonly policy: RulesPolicy;
  /** Undefined for a host without a cluster. */
  readonly cluster: ClusterSettingsFacts | undefined;
  /** The numbers of hosts of the cluster by role, for operators. */
  readonly shape: ClusterShape;
  /** Version of the infra-env. The requirements of unbound hosts depend on it. */
  readonly infraEnvVersion: string;
  readonly infraEnvHasNtpSources: boolean;

  /** Host, or AddToExistingClusterHost (day 2). */
  readonly kind: string;
  /** Installation stage. Empty before the first. */
  readonly stage: string;
  readonly isSilent: boolean;
  readonly isMediaConnected: boolean;
  readonly agentVersion: string;
  /** Host clock minus service clock. */
  readonly clockOffsetSeconds: number | undefined;

  readonly requestedHostname: string;
  /**
   * Another host of the cluster has an inventory and the same name. The number of such hosts is not a fact, because
   * each new one would change the facts of all others.
   */
  readonly hasDuplicateName: boolean;
  readonly role: string;
  readonly suggestedRole: string;
  readonly isBootstrap: boolean;
  readonly installationDiskId: string;
  readonly installationDiskPath: string;
  readonly skipFormattingDisks: readonly string[];
  readonly installerArgs: readonly string[];

  readonly hardware: Hardware | undefined;
  readonly diskSpeeds: readonly Plain<DiskSpeedMeasured>[];
  readonly images: readonly Plain<ImageAvailability>[];
  /** Undefined before the first report. */
  readonly ntpSources: readonly Plain<NtpSource>[] | undefined;
  /** Undefined until the Ignition config of the existing cluster was requested (day 2). */
  readonly isIgnitionDownloaded: boolean | undefined;
  /** Undefined before the first connectivity report. */
  readonly mtuFailures: readonly Plain<MtuFailure>[] | undefined;
  /** The addresses of resolved names. Undefined before the first report. */
  readonly resolutions: readonly Plain<DomainResolution>[] | undefined;
  /** Steps that the host could not run → the reason, such as a missing program. */
  readonly failedSteps: ReadonlyMap<string, string>;
  /** Undefined before the first report about the Tang servers. */
  readonly isTangReached: boolean | undefined;
  /**
   * Disk encryption in the Ignition config of the installed cluster (day 2): none, tpm2, tang, other. Undefined before
   * it was downloaded.
   */
  readonly workerEncryption: string | undefined;
  /** Networking in the same Ignition config: managed, user-managed or empty. */
  readonly workerNetworking: string | undefined;

  /** Number of hosts of the cluster. */
  readonly clusterHostCount: number;
  /** The host has reported its connectivity, and its report is compared with those of the other hosts. */
  readonly isReachReported: boolean;
  /** Connectivity groups of the cluster. Undefined before any host has reported. */
  readonly majority: MajorityFacts | undefined;
  /** Hosts of the cluster whose latency or packet loss exceeds the limits for the role of this host. */
  readonly weakPeers: readonly WeakPeer[];
  /** Addresses of the host that another machine also uses. */
  readonly collidingAddresses: readonly string[];
}

export interface MajorityFacts {
  /** Networks whose largest full mesh contains the host. */
  readonly groups: readonly string[];
  /** Address families in which all other hosts reach it on layer 3. */
  readonly reachedFamilies: readonly (4 | 6)[];
  /** Address families in which a connected host has not reached it. The other hosts may have to report yet. */
  readonly unreachedFamilies: readonly (4 | 6)[];
  /** With fewer hosts, a disconnected host cannot be determined. */
  readonly hasEnoughHosts: boolean;
  /** A connected host has not reported its connectivity to all other hosts yet, so a host may still join a group. */
  readonly awaitsReports: boolean;
}

export interface WeakPeer {
  readonly name: string;
  /** The effective role. */
  readonly role: string;
  readonly latencyMs: number;
  readonly packetLossPercent: number;
}

/** Better connections are not stored, because no role has stricter limits. */
export const GOOD_LATENCY_MS = 10;

export const hardwareOf = (facts: HostFacts): Hardware => facts.hardware ?? NO_HARDWARE;
export const clusterOf = (facts: HostFacts): ClusterSettingsFacts => facts.cluster ?? NO_CLUSTER;
export const isBound = (facts: HostFacts): boolean => facts.cluster !== undefined;
export const isDay2Host = ({ kind }: Pick<HostFacts, 'kind'>): boolean => kind === 'AddToExistingClusterHost';

/** Returns the name of the node: the requested hostname, else the one in the inventory. */
export const hostnameOf = (facts: HostFacts): string => facts.requestedHostname || hardwareOf(facts).hostname;

/** Returns the version that determines requirements and disk types. */
export const versionOf = ({ kind, cluster, infraEnvVersion }: HostFacts): string =>
  decisiveVersion(kind, cluster?.openshiftVersion, infraEnvVersion);

/** Returns the version of the cluster; for unbound and day-2 hosts the version of the infra-env. Empty when neither is known. */
export function decisiveVersion(hostKind: string, clusterVersion = '', infraEnvVersion = ''): string {
  return isDay2Host({ kind: hostKind }) ? infraEnvVersion || clusterVersion : clusterVersion || infraEnvVersion;
}

/** The policy of a service with default settings. */
export const SERVICE_DEFAULTS: RulesPolicy = {
  requirements: DEFAULT_REQUIREMENTS,
  agentImage: '',
  agentArchitectures: [],
  edgeWorkerProducts: [],
  singleNodeDnsmasq: false,
  disabledHostRules: [],
  disabledClusterRules: [],
  operatorSettings: STANDARD_SETTINGS,
};
