import { type HostKey, isHostKey, type MusterEvent } from '@muster/contracts';
import {
  type ClusterState,
  type HostKeys,
  type HostState,
  type InfraEnvState,
  isAbsentHost,
  isDay2,
} from '@muster/domain';
import type { ClusterShape, OperatorHost } from '@muster/operators';
import {
  type ClusterConnectivity,
  type ClusterFacts,
  type ClusterHostFacts,
  type ClusterSettingsFacts,
  effectiveRole,
} from '@muster/validation-rules';
import { canBeChecked, failsToCheck, type HostReports, NO_REPORTS } from './host-reports';

/** The members of a recorded event that the view reads: type, data, id and stream. */
export type ObservedEvent<Event = MusterEvent> = Event & { readonly id: string; readonly streamId: string };

/** A host or a cluster that is evaluated: `host:<infraEnvId>.<hostId>` or `cluster:<id>`. */
export type Subject = `host:${HostKey}` | `cluster:${string}`;

export const hostSubject = (key: HostKey): Subject => `host:${key}`;
export const clusterSubject = (id: string): Subject => `cluster:${id}`;

export function parseSubject(
  subject: string,
): { readonly kind: 'host'; readonly id: HostKey } | { readonly kind: 'cluster'; readonly id: string } {
  const id = subject.slice(subject.indexOf(':') + 1);
  return subject.startsWith('host:') && isHostKey(id) ? { kind: 'host', id } : { kind: 'cluster', id };
}

/** The subject that a key of the reactor names. */
export function toSubject(key: string): Subject {
  const parsed = parseSubject(key);
  return parsed.kind === 'host' ? hostSubject(parsed.id) : clusterSubject(parsed.id);
}

/** Returns the subject of a `validation-` stream: host keys have a dot, cluster ids do not. */
export const subjectOfStreamId = (id: string): Subject => (isHostKey(id) ? hostSubject(id) : clusterSubject(id));

/** The state and reports of a host, as the rules read them. */
export interface HostEntry {
  readonly key: HostKey;
  state: HostState;
  reports: HostReports;
  /** The summary that cluster rules read. Computed on demand and removed when the host changes. */
  summary?: ClusterHostFacts;
  /** The networks whose group contained the host when it was last evaluated. Not saved: all hosts are evaluated after a start. */
  evaluatedGroups?: readonly string[] | undefined;
  /** Id of the last event about the host: the cause of the next evaluation. */
  lastEventId: string;
}

/** The facts of one host that the others of its cluster depend on. The hosts of an installed cluster are not in memory. */
export interface MemberFacts extends Pick<OperatorHost, 'role' | 'effectiveRole'> {
  readonly hostId: string;
  readonly isDay2: boolean;
  readonly isAbsent: boolean;
  readonly failsToCheck: boolean;
  /** The number of hosts that it has reported. Undefined for a host without addresses, which does not check its connectivity. */
  readonly reachedCount: number | undefined;
  /** Ids of the hosts to which it has a slow connection or one that loses packets. */
  readonly weaklyReached: readonly string[];
  readonly hasFencingCredentials: boolean;
}

/** Returns true for a host whose reports are outdated, and that no other host reports on. */
export const isAbsent = ({ state }: Pick<HostEntry, 'state'>): boolean => isAbsentHost(state);

export const memberFactsOf = ({ state, reports }: HostEntry): MemberFacts => ({
  hostId: state.hostId,
  role: state.role,
  effectiveRole: effectiveRole(state.role, state.suggestedRole),
  isDay2: isDay2(state),
  isAbsent: isAbsent({ state }),
  failsToCheck: failsToCheck(reports),
  reachedCount: canBeChecked(reports) ? (reports.reaches?.size ?? 0) : undefined,
  weaklyReached: reports.weakReaches.map(({ hostId }) => hostId),
  hasFencingCredentials: state.settings.fencingCredentialsSet ?? false,
});

/** Follows from all hosts of a cluster together, and is updated host by host. */
export interface CombinedHosts {
  readonly members: Map<HostKey, MemberFacts>;
  /** Name → the hosts with an inventory and this name. */
  readonly names: Map<string, Set<HostKey>>;
  readonly connectivity: ClusterConnectivity;
  /**
   * Hosts that cannot run the check of their connectivity, and have not reported on each connected host that can. They are not compared:
   * no other host has to report on them or to be reached by them.
   */
  readonly leftOut: Set<HostKey>;
  /** Hosts that have reported slow connections or lost packets. */
  readonly weakReporters: Set<HostKey>;
  /** Address with more than one machine → the number of connected hosts that have reported it. */
  readonly collisions: Map<string, number>;
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
  readonly hostKeys: HostKeys;
  /** Undefined in a loaded entry until it is needed (`KnownEntries.combinedOf`): an installed cluster is loaded for events that do not read it. */
  combined: CombinedHosts | undefined;
  /** Present while it is computed in steps. Each change of the cluster and its hosts removes it. */
  combining?: object | undefined;
  /** Network → ids of the hosts of its largest full mesh, as last recorded. */
  readonly groups: Map<string, Set<string>>;
  /** The current groups. Computed on demand and removed when the connectivity changes. */
  presentGroups?: PresentGroups | undefined;
  /** A connected host has not reported its connectivity to all other hosts yet. */
  awaitsReports: boolean;
  /** Verification of the VIPs by all hosts. Computed on demand and removed when a host reports another result. */
  vipVerifications?: ClusterFacts['vipVerifications'];
  lastEventId: string;
}

export interface PresentGroups {
  /** Undefined before any host has reported its connectivity. */
  readonly groups: ReadonlyMap<string, readonly string[]> | undefined;
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  /** Number of connected hosts with addresses. Only these can be compared. */
  readonly checkedHosts: number;
}

export interface InfraEnvEntry {
  state: InfraEnvState;
}

/** Returns false for a deregistered host. */
export const isRegistered = ({ state }: HostEntry): boolean => state.hostId !== '';

/** Returns the addresses with more than one machine that the host has reported. */
export const currentCollisions = (host: HostEntry): HostReports['collisions'] =>
  isAbsent(host) ? NO_REPORTS.collisions : host.reports.collisions;

/** Returns true when the role, the cluster or the registration of the host has changed. */
export const hasOtherPlace = ({ state: before }: HostEntry, { state: after }: HostEntry): boolean =>
  before.clusterId !== after.clusterId ||
  before.role !== after.role ||
  before.suggestedRole !== after.suggestedRole ||
  before.hostId !== after.hostId;

/** Returns true when a rule reads the installation disk of the host. */
export const isDiskRead = ({ state, reports }: HostEntry): boolean =>
  reports.hardware !== undefined || Boolean(state.settings.skipFormattingDisks);

/**
 * Returns true when the verification of VIPs may have changed: through a report, or because the host became absent or
 * returned.
 */
export const changesVips = (before: HostEntry, after: HostEntry): boolean =>
  before.state.clusterId !== after.state.clusterId ||
  isAbsent(before) !== isAbsent(after) ||
  before.reports.vips !== after.reports.vips ||
  before.reports.freeAddresses !== after.reports.freeAddresses;

/** Returns true for a connected host with addresses whose report of its connectivity counts. Only these hosts check each other. */
export const isCompared = (host: HostEntry, leftOut: CombinedHosts['leftOut']): boolean =>
  canBeChecked(host.reports) && !isAbsent(host) && !leftOut.has(host.key);

/** Returns true when the host reported another connectivity, or when another report is required. */
export function changesReports(before: HostEntry, after: HostEntry): boolean {
  const [couldBeChecked, isChecked] = [canBeChecked(before.reports), canBeChecked(after.reports)];
  if (couldBeChecked !== isChecked || failsToCheck(before.reports) !== failsToCheck(after.reports)) return true;
  return (
    isChecked &&
    (before.state.clusterId !== after.state.clusterId ||
      isAbsent(before) !== isAbsent(after) ||
      before.reports.reaches !== after.reports.reaches)
  );
}

/** Returns the name of the node, or '' while the host has no inventory. */
export function nameOf({ state, reports }: HostEntry): string {
  return reports.hardware ? state.requestedHostname || reports.hardware.hostname : '';
}
