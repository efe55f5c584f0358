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

/** Returns the role that counts: the role set by a user, else the suggested one. */
export function effectiveRole(role: string, suggestedRole: string): string {
  return role === AUTO_ASSIGN && suggestedRole !== '' ? suggestedRole : role;
}

/** In these stages the host runs the installed system without the agent, so it does not poll. */
const AFTER_REBOOT = ['Rebooting', 'Waiting for ignition', 'Configuring', 'Joined', 'Done'];

export const isAfterReboot = (stage: string): boolean => AFTER_REBOOT.includes(stage);

/** What this service was set up with. */
export interface RulesPolicy {
  readonly requirements: RequirementsTable;
  /** Image that agents must run; empty: any. */
  readonly agentImage: string;
  /** Products of aarch64 hosts that are edge workers. */
  readonly edgeWorkerProducts: readonly string[];
  /** A single node answers for the names of its cluster itself. */
  readonly singleNodeDnsmasq: boolean;
  readonly disabledHostRules: readonly string[];
  readonly disabledClusterRules: readonly string[];
  /** What was set for single operators. */
  readonly operatorSettings: OperatorSettings;
}

/** Everything that host rules may look at. Plain values; `undefined` means: not reported yet. */
export interface HostFacts {
  readonly policy: RulesPolicy;
  /** Undefined for a host of the pool. */
  readonly cluster: ClusterSettingsFacts | undefined;
  /** How the hosts of the cluster are made up, as far as operators ask. */
  readonly shape: ClusterShape;
  /** Version of the infra-env. Requirements of hosts that are not bound depend on it. */
  readonly infraEnvVersion: string;
  readonly infraEnvHasNtpSources: boolean;

  /** Host or AddToExistingClusterHost (day-2). */
  readonly kind: string;
  /** Installation stage; empty before the first. */
  readonly stage: string;
  readonly isSilent: boolean;
  readonly isMediaConnected: boolean;
  readonly agentVersion: string;
  /** Host clock minus service clock. */
  readonly clockOffsetSeconds: number | undefined;

  readonly requestedHostname: string;
  /** Another host of the cluster has an inventory and the same name. How many do is left out: each would change all of them. */
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
  /** Undefined until the ignition of the existing cluster was asked for (day-2). */
  readonly isIgnitionDownloaded: boolean | undefined;
  /** Undefined until a connectivity report. */
  readonly mtuFailures: readonly Plain<MtuFailure>[] | undefined;
  /** What names lead to; undefined until the host told. */
  readonly resolutions: readonly Plain<DomainResolution>[] | undefined;
  /** Undefined until the host asked the Tang servers. */
  readonly isTangReached: boolean | undefined;
  /** Disk encryption in the ignition of the installed cluster (day-2): none, tpm2, tang, other. Undefined before there is one. */
  readonly workerEncryption: string | undefined;
  /** Networking in the same ignition: managed, user-managed or empty. */
  readonly workerNetworking: string | undefined;

  /** How many hosts the cluster has. */
  readonly clusterHostCount: number;
  /** The host has tried to reach the others. */
  readonly isReachReported: boolean;
  /** Connectivity groups of the cluster. Undefined before any host has reported. */
  readonly majority: MajorityFacts | undefined;
  /** Hosts of the cluster that are reached late or with losses. */
  readonly weakPeers: readonly WeakPeer[];
  /** Own addresses on which another machine answers as well. */
  readonly collidingAddresses: readonly string[];
}

export interface MajorityFacts {
  /** Networks in whose largest full mesh the host is. */
  readonly groups: readonly string[];
  /** Address families in which all other hosts reach it over routers. */
  readonly reachedFamilies: readonly (4 | 6)[];
  /** With fewer hosts it cannot be decided which of them is cut off. */
  readonly hasEnoughHosts: boolean;
  /** A connected host has not reported its connectivity to all other hosts yet: a missing host may still belong to a group. */
  readonly awaitsReports: boolean;
}

export interface WeakPeer {
  readonly name: string;
  /** What it counts as. */
  readonly role: string;
  readonly latencyMs: number;
  readonly packetLossPercent: number;
}

/** What is faster, and loses nothing, is not worth to be remembered: no role asks for more. */
export const GOOD_LATENCY_MS = 10;

export const hardwareOf = (facts: HostFacts): Hardware => facts.hardware ?? NO_HARDWARE;
export const clusterOf = (facts: HostFacts): ClusterSettingsFacts => facts.cluster ?? NO_CLUSTER;
export const isBound = (facts: HostFacts): boolean => facts.cluster !== undefined;
export const isDay2Host = (facts: HostFacts): boolean => facts.kind === 'AddToExistingClusterHost';

/** Returns the name that the node will get: the requested hostname, else the one in the inventory. */
export const hostnameOf = (facts: HostFacts): string => facts.requestedHostname || hardwareOf(facts).hostname;

/** The version that requirements and disk types are looked up for. */
export const versionOf = (facts: HostFacts): string =>
  facts.cluster && !isDay2Host(facts) ? facts.cluster.openshiftVersion : facts.infraEnvVersion;

/** The policy of a service without any setting. */
export const SERVICE_DEFAULTS: RulesPolicy = {
  requirements: DEFAULT_REQUIREMENTS,
  agentImage: '',
  edgeWorkerProducts: [],
  singleNodeDnsmasq: false,
  disabledHostRules: [],
  disabledClusterRules: [],
  operatorSettings: STANDARD_SETTINGS,
};
