import {
  type ArtifactEvent,
  type ClusterEvent,
  type EventData,
  type HardwareFacts,
  type HostKey,
  type InventoryEvent,
  parseHostKey,
  type Plain,
  type RecordedMusterEvent,
  REPORTED_RESULTS_MAX,
} from '@muster/contracts';
import type { Entries, EntryKind, EntryShape } from '@muster/decision';
import {
  type ClusterState,
  type HostKeys,
  type HostState,
  type InfraEnvState,
  isClosedCluster,
  isHostNeeded,
  isInfraEnvNeeded,
  type Membership,
  type ReleaseDownload,
} from '@muster/domain';
import type { RecordedEvent } from '@muster/ports';
import {
  type ClusterConditions,
  type HostConditions,
  type Outcome,
  type Outcomes,
  sharedOutcome,
  sharedOutcomes,
} from '@muster/validation-rules';

interface Place {
  /** Revision of the last event of its stream. */
  revision: number;
  /** Position of the last event of its stream. */
  position: number;
}

/** A host in the view of the reactions: its state and the reports about it. */
export interface HostEntry extends Place {
  readonly key: HostKey;
  state: HostState;
  hardware?: Plain<HardwareFacts>;
  /** Undefined until the host was evaluated in its present generation. */
  conditions?: HostConditions;
  /** Recorded outcomes by rule id. */
  outcomes: Outcomes;
  measuredDisks: string[];
  checkedImages: string[];
  /** Tang servers in the ignition of the installed cluster (day-2), as JSON array text. */
  tangServers?: string;
  /** Operating system image in the ignition of the installed cluster (day-2). */
  osImageUrl?: string;
  /** Position of the last event about the host, or report of it, that its outcomes depend on. */
  inputsPosition: number;
  /** Position of the event with which the host registered last. */
  registeredPosition: number;
  /** The last event of the host, which is the cause of the next command. */
  cause: Cause;
}

/** The members of a host that decisions about its cluster read. */
export type MemberEntry = Readonly<Pick<HostEntry, 'key' | 'state' | 'hardware' | 'registeredPosition'>>;

export interface ClusterEntry extends Place {
  readonly id: string;
  state: ClusterState;
  /** Undefined: the conditions are derived from the settings. */
  conditions?: ClusterConditions;
  /** Recorded outcomes by rule id. */
  outcomes: Outcomes;
  /** Each event of the cluster sets them, because the membership removes a cluster that is deleted without hosts. A host may join later. */
  readonly hostKeys: HostKeys;
  /** Its hosts. Computed on demand and removed when the state or the hardware of one of them changes, or the cluster. */
  members?: readonly MemberEntry[] | undefined;
  /** Result of the last preparation of artifacts. */
  artifacts?: { readonly attempt: number; readonly openshiftClusterId: string; readonly failure?: string };
  /** Parts of the release, once it was read. */
  releaseImages?: { readonly machineConfigOperator: string; readonly mustGather: string; readonly coreos?: string };
  /** The last progress of a download of the release, in this attempt or an earlier one. */
  download?: ReleaseDownload & { readonly attempt: number; readonly atMs: number };
  /** When a preparation last waited for others, in this attempt or an earlier one. */
  queuedAtMs?: number;
  hasKubeconfig: boolean;
  /** Position of the last event about the cluster, its hosts or its manifests that its outcomes depend on. */
  inputsPosition: number;
  /** Position of the last event that changed what validations read of the cluster itself. */
  settingsPosition: number;
  /** Position of the last event with which one of its hosts became absent or returned. */
  presencePosition?: number;
  /** A change of its status waits for the reactions of its hosts. */
  awaitsHosts: boolean;
  /** The last cancellation, reset or deletion, while it may not have been propagated to all hosts. */
  propagated?: PropagatedCommand;
  cause: Cause;
}

export type InfraEnvEntry = Readonly<Place & { state: InfraEnvState }>;

/** Raised when saved entries or their fold change. */
export const VIEW_VERSION = 10;
export const HOSTS: EntryShape = { name: 'hosts', fields: ['cluster_id', 'infra_env_id'] };
export const CLUSTERS: EntryShape = { name: 'clusters', fields: [] };
export const INFRA_ENVS: EntryShape = { name: 'infra_envs', fields: ['cluster_id'] };

/** `clusterOf`: returns a cluster that is in memory. */
export const hostKind = (
  membership: Membership,
  clusterOf: (id: string) => ClusterState | undefined,
): EntryKind<HostKey, HostEntry, Omit<HostEntry, 'key'>> => ({
  shape: HOSTS,
  fieldsOf: ({ key, state }) => [state.clusterId, state.hostId === '' ? '' : parseHostKey(key).infraEnvId],
  toSaved: ({ key: _key, ...saved }) => saved,
  fromSaved: (saved, key) => ({ key, ...saved, outcomes: sharedOutcomes(saved.outcomes) }),
  isOpen: ({ state }) => isHostNeeded(state, clusterOf),
  forgotten: (key) => membership.forgetHost(key),
});

export const clusterKind = (
  membership: Membership,
): EntryKind<string, ClusterEntry, Omit<ClusterEntry, 'id' | 'hostKeys' | 'members' | 'presencePosition'>> => ({
  shape: CLUSTERS,
  fieldsOf: () => [],
  toSaved: ({ id: _id, hostKeys: _hostKeys, members: _members, presencePosition: _presencePosition, ...saved }) =>
    saved,
  fromSaved: (saved, id) => ({ id, hostKeys: membership.hostsOf(id), ...saved }),
  isOpen: ({ state }) => !isClosedCluster(state),
  forgotten: (id) => membership.forgetCluster(id),
});

/** `hostOf` and `clusterOf`: return entries that are in memory. */
export const infraEnvKind = (
  membership: Membership,
  hostOf: (key: HostKey) => HostState | undefined,
  clusterOf: (id: string) => ClusterState | undefined,
): EntryKind<string, InfraEnvEntry, InfraEnvEntry> => ({
  shape: INFRA_ENVS,
  fieldsOf: ({ state }) => [state.settings.clusterId ?? ''],
  toSaved: (infraEnv) => infraEnv,
  fromSaved: (saved) => saved,
  isOpen: (_infraEnv, id) => isInfraEnvNeeded(membership.hostsOfInfraEnv(id), hostOf, clusterOf),
  forgotten: (id) => membership.forgetInfraEnv(id),
});

/** A command on a cluster that is propagated to its hosts. */
export interface PropagatedCommand {
  readonly kind: 'cancelled' | 'reset' | 'deregistered';
  /** Id of the command on the cluster. The ids of the commands on hosts are derived from it, so that a repetition changes nothing. */
  readonly commandId: string;
  /** Position of the event. No command on a host has a derived id before. */
  readonly position: number;
  readonly correlationId: string;
  readonly at: string;
}

export interface Cause {
  readonly causationId: string;
  readonly correlationId: string;
}

export const isPropagated = (eventType: string): boolean => PROPAGATED[eventType] !== undefined;

const PROPAGATED: { readonly [type: string]: PropagatedCommand['kind'] | undefined } = {
  InstallationCancelled: 'cancelled',
  ClusterReset: 'reset',
  ClusterDeregistered: 'deregistered',
};

export const placeOf = ({ revision, position }: RecordedMusterEvent): Place => ({ revision, position });

/** Returns the position of an event with which a host registers. */
export const registrationOf = ({ type, position }: RecordedMusterEvent): Partial<HostEntry> =>
  type === 'HostRegistered' || type === 'HostReregistered' ? { registeredPosition: position } : {};

export const causeOf = ({ id, metadata }: RecordedMusterEvent): Cause => ({
  causationId: id,
  correlationId: metadata.correlationId,
});

const NO_OUTCOMES: Outcomes = new Map();

/** Returns the outcomes with the changed ones. */
export const withChanges = (before: Outcomes, changed: readonly Outcome[]): Outcomes =>
  new Map([...before, ...changed.map((outcome) => [outcome.id, sharedOutcome(outcome)] as const)]);

/** The results of an installation, as a reset removes them. */
const NOTHING_PREPARED = { artifacts: undefined, releaseImages: undefined, download: undefined, hasKubeconfig: false };

/** Reports and outcomes of an earlier generation of a host are void. */
export const NOTHING_REPORTED = {
  hardware: undefined,
  conditions: undefined,
  outcomes: NO_OUTCOMES,
  measuredDisks: [],
  checkedImages: [],
  tangServers: undefined,
  osImageUrl: undefined,
};

export const newHost = (key: HostKey, state: HostState, event: RecordedMusterEvent): HostEntry => ({
  key,
  state,
  ...placeOf(event),
  measuredDisks: [],
  checkedImages: [],
  outcomes: NO_OUTCOMES,
  inputsPosition: event.position,
  registeredPosition: event.position,
  cause: causeOf(event),
});

export const newCluster = (
  id: string,
  hostKeys: HostKeys,
  state: ClusterState,
  event: RecordedMusterEvent,
): ClusterEntry => ({
  id,
  state,
  ...placeOf(event),
  hostKeys,
  hasKubeconfig: false,
  outcomes: NO_OUTCOMES,
  inputsPosition: event.position,
  settingsPosition: event.position,
  awaitsHosts: false,
  cause: causeOf(event),
});

/** Changes the entry of a cluster, except its state, by an event of the cluster. */
export function applyClusterEvent(cluster: ClusterEntry, event: RecordedEvent<ClusterEvent>): void {
  if (event.type === 'ClusterReset') Object.assign(cluster, NOTHING_PREPARED);
  if (event.type === 'InstallationPreparationStarted') cluster.propagated = undefined;
  const { commandId, correlationId, occurredAt: at } = event.metadata;
  const kind = PROPAGATED[event.type];
  if (kind) cluster.propagated = { kind, commandId, position: event.position, correlationId, at };
}

/** Changes the entry of a cluster by an event about its release or its artifacts. */
export function applyArtifactEvent(cluster: ClusterEntry, event: RecordedEvent<ArtifactEvent>): void {
  if (event.type === 'ReleaseRead')
    cluster.releaseImages = {
      machineConfigOperator: event.data.machineConfigOperatorImage,
      mustGather: event.data.mustGatherImage,
      coreos: event.data.coreosImage,
    };
  else if (event.type === 'ReleaseDownloadProgressed')
    cluster.download = { ...event.data, atMs: Date.parse(event.metadata.occurredAt) };
  else if (event.type === 'PreparationQueued') cluster.queuedAtMs = Date.parse(event.metadata.occurredAt);
  else if (event.type === 'ArtifactsPrepared') {
    const { attempt, openshiftClusterId } = event.data;
    Object.assign(cluster, { artifacts: { attempt, openshiftClusterId }, hasKubeconfig: false });
  } else if (event.type === 'ArtifactsFailed')
    cluster.artifacts = { attempt: event.data.attempt, openshiftClusterId: '', failure: event.data.reason };
  else if (event.type === 'IngressCaAccepted') cluster.hasKubeconfig = true;
}

/** A loop takes a fraction of the time of `flatMap`, and every change of a host leads here. */
export function membersOf(
  keys: Iterable<HostKey>,
  hosts: Pick<Entries<HostKey, HostEntry>, 'get'>,
): readonly MemberEntry[] {
  const members: MemberEntry[] = [];
  for (const key of keys) {
    const host = hosts.get(key);
    if (host) members.push(host);
  }
  return members;
}

/** Changes the entry of a host by outcomes of its present generation. */
export function applyHostOutcomes(
  host: HostEntry,
  { changed, reset, conditions }: EventData<'HostOutcomesChanged'>,
): void {
  host.outcomes = withChanges(reset ? NO_OUTCOMES : host.outcomes, changed);
  host.conditions = conditions ?? (reset ? undefined : host.conditions);
}

/** Returns the last names, each once. */
const latest = (names: readonly string[]): string[] =>
  [...new Set([...names].reverse())].slice(0, REPORTED_RESULTS_MAX).reverse();

/** Changes the entry of a host by a report about it. */
export function applyReport(host: HostEntry, event: RecordedEvent<InventoryEvent>): void {
  if (event.type === 'ApiVipConnectivityReported' && event.data.isSuccess) {
    host.tangServers = event.data.tangServers;
    host.osImageUrl = event.data.osImageUrl;
  } else if (event.type === 'InventoryReported') host.hardware = event.data.hardware;
  else if (event.type === 'DiskSpeedMeasured') host.measuredDisks = latest([...host.measuredDisks, event.data.path]);
  else if (event.type === 'ImageAvailabilityReported')
    host.checkedImages = latest([...host.checkedImages, ...event.data.images.map(({ name }) => name)]);
  else if (event.type === 'ReportCleared') {
    if (event.data.stepType === 'installation-disk-speed-check') host.measuredDisks = [];
    if (event.data.stepType === 'container-image-availability') host.checkedImages = [];
  }
}
