import type { HostKey } from '@muster/contracts';
import type { ClusterShape } from '@muster/operators';
import type { ClusterState, HostState, InfraEnvState } from '@muster/domain';
import type {
  ClusterConnectivity,
  ClusterFacts,
  ClusterHostFacts,
  ClusterSettingsFacts,
} from '@muster/validation-rules';
import type { HostReports } from './host-reports';

/** A host as the rules see it: its own state and what it reported. */
export interface HostEntry {
  readonly key: HostKey;
  state: HostState;
  reports: HostReports;
  /** What its cluster's rules read of it; made when asked for, dropped when the host changes. */
  summary?: ClusterHostFacts;
  /** Id of the last event about the host: the cause of what is judged next. */
  lastEventId: string;
}

export interface ClusterEntry {
  readonly id: string;
  state: ClusterState;
  facts: ClusterSettingsFacts;
  /** Folder and name of the manifests that people gave it. */
  userManifests: readonly string[];
  /** Kept while operators are chosen; nothing else asks for it. */
  shape: ClusterShape;
  /** In ascending order. */
  readonly hostKeys: Set<HostKey>;
  /** Name → the hosts with an inventory that are called so. */
  readonly names: Map<string, Set<HostKey>>;
  readonly connectivity: ClusterConnectivity;
  /** Network → ids of the hosts of its largest full mesh, as last recorded. */
  readonly groups: Map<string, Set<string>>;
  /** The present groups. Computed on demand, dropped when the connectivity changes. */
  presentGroups?: PresentGroups | undefined;
  /** A connected host has not reported its connectivity to all other hosts yet. */
  awaitsReports: boolean;
  /** Hosts that saw more than one machine answer on an address. */
  readonly collisionReporters: Set<HostKey>;
  /** The addresses they saw that on; made when asked for, dropped when one of them says something else. */
  collidingAddresses?: ReadonlySet<string>;
  /** Whether its VIPs are free, as all hosts together say; made when asked for, dropped when one of them says something else. */
  vipVerifications?: ClusterFacts['vipVerifications'];
  lastEventId: string;
}

export interface PresentGroups {
  /** Undefined before any host has reported its connectivity. */
  readonly groups: ReadonlyMap<string, readonly string[]> | undefined;
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface InfraEnvEntry {
  state: InfraEnvState;
  readonly hostKeys: Set<HostKey>;
}

/** False again once it was deregistered. */
export const isRegistered = ({ state }: HostEntry): boolean => state.hostId !== '';

/** Another role, another cluster, or gone. */
export const hasOtherPlace = ({ state: before }: HostEntry, { state: after }: HostEntry): boolean =>
  before.clusterId !== after.clusterId ||
  before.role !== after.role ||
  before.suggestedRole !== after.suggestedRole ||
  before.hostId !== after.hostId;

/** Other answers, or another right to be heard. */
export const changesVips = (before: HostEntry, after: HostEntry): boolean =>
  before.state.clusterId !== after.state.clusterId ||
  before.state.isSilent !== after.state.isSilent ||
  before.reports.vips !== after.reports.vips ||
  before.reports.freeAddresses !== after.reports.freeAddresses;

/** Another connectivity report, or another need for one. */
export const changesReports = (before: HostEntry, after: HostEntry): boolean =>
  before.state.clusterId !== after.state.clusterId ||
  before.state.isSilent !== after.state.isSilent ||
  before.reports.hardware !== after.reports.hardware ||
  before.reports.reaches !== after.reports.reaches;

/** The name the node will get, or '' while the host has not reported. */
export function nameOf({ state, reports }: HostEntry): string {
  return reports.hardware ? state.requestedHostname || reports.hardware.hostname : '';
}
