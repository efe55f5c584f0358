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

/** A host as the rules read it: its state and its reports. */
export interface HostEntry {
  readonly key: HostKey;
  state: HostState;
  reports: HostReports;
  /** The summary that cluster rules read. Computed on demand, dropped when the host changes. */
  summary?: ClusterHostFacts;
  /** Id of the last event about the host: the cause of the next evaluation. */
  lastEventId: string;
}

export interface ClusterEntry {
  readonly id: string;
  state: ClusterState;
  facts: ClusterSettingsFacts;
  /** Folder and name of the manifests of the user. */
  userManifests: readonly string[];
  /** Computed only while operators are selected. */
  shape: ClusterShape;
  /** In ascending order. */
  readonly hostKeys: Set<HostKey>;
  /** Name → the hosts with an inventory and this name. */
  readonly names: Map<string, Set<HostKey>>;
  readonly connectivity: ClusterConnectivity;
  /** Network → ids of the hosts of its largest full mesh, as last recorded. */
  readonly groups: Map<string, Set<string>>;
  /** The present groups. Computed on demand, dropped when the connectivity changes. */
  presentGroups?: PresentGroups | undefined;
  /** A connected host has not reported its connectivity to all other hosts yet. */
  awaitsReports: boolean;
  /** Hosts that have reported more than one machine on an address. */
  readonly collisionReporters: Set<HostKey>;
  /** The addresses they have reported. Computed on demand, dropped when one of them reports another list. */
  collidingAddresses?: ReadonlySet<string>;
  /** Verification of the VIPs by all hosts together. Computed on demand, dropped when a host reports another result. */
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

/** Returns false for a deregistered host. */
export const isRegistered = ({ state }: HostEntry): boolean => state.hostId !== '';

/** Returns true when the role, the cluster or the registration of the host has changed. */
export const hasOtherPlace = ({ state: before }: HostEntry, { state: after }: HostEntry): boolean =>
  before.clusterId !== after.clusterId ||
  before.role !== after.role ||
  before.suggestedRole !== after.suggestedRole ||
  before.hostId !== after.hostId;

/** Returns true when the verification of VIPs may have changed: by a report, or because the host fell silent or returned. */
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

/** Returns the name that the node will get, or '' while the host has no inventory. */
export function nameOf({ state, reports }: HostEntry): string {
  return reports.hardware ? state.requestedHostname || reports.hardware.hostname : '';
}
