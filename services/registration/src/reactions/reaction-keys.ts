import { type HostKey, hostKeyOfStream, isHostKey, parseStreamId, type RecordedMusterEvent } from '@muster/contracts';
import type { ConcernedParts } from '@muster/domain';
import type { Concern } from '@muster/event-sourcing';
import { isOneOf } from '@muster/schema';
import { Injectable } from '@nestjs/common';
import type { RegistrationView } from '../view/registration-view';
import { isPropagated } from '../view/view-entries';

/**
 * The subject of a reaction. `report`: a host after an inventory. `follow`: the hosts of a cluster that was cancelled,
 * reset or deleted. `shred`: the secrets of a deleted infra-env.
 */
export type ReactionKey =
  | { readonly kind: 'host' | 'report'; readonly id: HostKey }
  | { readonly kind: 'cluster'; readonly id: string }
  | { readonly kind: 'follow' | 'shred'; readonly id: string };
/** Requests wait for these. */
export type TrackedKey = Exclude<ReactionKey, { readonly kind: 'cluster' }>;

/** Events of hosts that affect the state of their cluster. */
const CLUSTER_INPUTS: ReadonlySet<string> = new Set([
  'HostRegistered',
  'HostReregistered',
  'HostEnteredStatus',
  'HostRoleAssigned',
  'HostRoleSuggested',
  'HostBootstrapChosen',
  'HostProgressed',
  'InstallationDiskChosen',
  'HostBound',
  'HostUnbound',
  'HostDeregistered',
]);

/** Returns the keys that depend on an event. The view has already applied the event. */
export function reactionKeysOf(event: RecordedMusterEvent, view: RegistrationView): readonly string[] {
  const { category, id } = parseStreamId(event.streamId);
  switch (category) {
    case 'host':
      return [
        `host:${id}`,
        ...(CLUSTER_INPUTS.has(event.type)
          ? keysOfItsClusters(event, view)
          : keyOfAwaitingCluster(hostKeyOfStream(event.streamId), view)),
        ...(changesQuorum(event) ? keysOfWaitingHosts(event, view) : []),
      ];
    case 'inventory':
      // The installation disk and the roles follow from the hardware. Everything else follows from the evaluation.
      return event.type === 'InventoryReported' ? [`report:${id}`, ...keysOfItsClusters(event, view)] : [];
    case 'cluster':
      return [
        ...(isPropagated(event.type) ? [`follow:${id}`] : []),
        `cluster:${id}`,
        ...(changesHosts(event) ? keysOfHosts(view.cluster(id)?.hostKeys ?? []) : []),
      ];
    case 'validation':
      return isHostKey(id) ? [`host:${id}`, ...keyOfAwaitingCluster(id, view)] : [`cluster:${id}`];
    case 'artifact':
      return [`cluster:${id}`];
    case 'infraEnv':
      return event.type === 'InfraEnvDeregistered' ? [`shred:${id}`, ...keysOfHosts(view.hostsOfInfraEnv(id))] : [];
    default:
      return [];
  }
}

/** The status of a host names the validations that it waits for, without the ignored ones. */
const changesHosts = (event: RecordedMusterEvent): boolean =>
  event.type === 'ClusterEnteredStatus' ||
  (event.type === 'ClusterSettingsRevised' && event.data.changes?.ignoredHostValidations !== undefined);

const keysOfHosts = (keys: Iterable<HostKey>): readonly string[] => [...keys].map((key) => `host:${key}`);

/** A host of a deleted cluster may now have a status in which it can leave the cluster. */
const keysOfItsClusters = (event: RecordedMusterEvent, view: RegistrationView): readonly string[] =>
  view
    .clustersTouchedBy(event)
    .flatMap((id) =>
      view.cluster(id)?.propagated?.kind === 'deregistered' ? [`cluster:${id}`, `follow:${id}`] : [`cluster:${id}`],
    );

/** Whether the installed hosts of the cluster may now be enough without the others. */
const changesQuorum = (event: RecordedMusterEvent): boolean =>
  event.type === 'HostDeregistered' ||
  event.type === 'HostUnbound' ||
  (event.type === 'HostEnteredStatus' && event.data.status === 'installed');

/** A host whose deadline for a user action has passed waits until its cluster can complete without it. */
const keysOfWaitingHosts = (event: RecordedMusterEvent, view: RegistrationView): readonly string[] =>
  view
    .clustersTouchedBy(event)
    .flatMap((id) => view.openHostsOf(id))
    .filter(({ state }) => state.status === 'installing-pending-user-action')
    .map(({ key }) => `host:${key}`);

function keyOfAwaitingCluster(key: HostKey, view: RegistrationView): readonly string[] {
  const cluster = view.cluster(view.host(key)?.state.clusterId ?? '');
  return cluster?.awaitsHosts ? [`cluster:${cluster.id}`] : [];
}

export function parseReactionKey(key: string): ReactionKey {
  const colon = key.indexOf(':');
  const [kind, id] = [key.slice(0, colon), key.slice(colon + 1)];
  if (isOneOf(['host', 'report'], kind) && isHostKey(id)) return { kind, id };
  if (isOneOf(['cluster', 'follow', 'shred'], kind)) return { kind, id };
  throw new Error(`${key} is not a key of this process.`);
}

/** The reactions of hosts and clusters. */
export const concernOf = ({ hosts, clusters }: ConcernedParts): Concern => ({
  size: 2 * (hosts.size + clusters.size),
  keys: function* () {
    for (const id of clusters) yield* [`cluster:${id}`, `follow:${id}`];
    for (const key of hosts) yield* [`host:${key}`, `report:${key}`];
  },
  has: (key) => {
    const { kind, id } = parseReactionKey(key);
    return kind === 'host' || kind === 'report' ? hosts.has(id) : clusters.has(id);
  },
});

/** The keys of everything to which something may still happen by itself. */
export function* openKeysOf(view: RegistrationView): Iterable<string> {
  for (const { key } of view.openHosts()) yield* [`host:${key}`, `report:${key}`];
  for (const { id, propagated } of view.openClusters())
    yield* propagated ? [`cluster:${id}`, `follow:${id}`] : [`cluster:${id}`];
}

/** Whether the reaction to an event from before the start may be incomplete. */
export function isReactionOpen(key: string, view: RegistrationView): boolean {
  const { kind, id } = parseReactionKey(key);
  switch (kind) {
    case 'host':
    case 'report':
      return (view.host(id)?.state.status ?? 'unregistered') !== 'unregistered';
    case 'cluster':
      return (view.cluster(id)?.state.status ?? 'deregistered') !== 'deregistered';
    case 'follow':
      return view.cluster(id)?.propagated !== undefined;
    case 'shred':
      return true;
  }
}

/** Maximum time in which a reply waits for the reactions to its command, in milliseconds. */
export const FOLLOW_UP_WAIT_MS = 500;

interface Waiter {
  readonly key: string;
  readonly position: number;
  readonly resolve: (storedPosition: number) => void;
}

/** Notifies a request when the reactions to its events are complete, so that its reply can include them. */
@Injectable()
export class ReactionTracker {
  private readonly waiters = new Map<string, Set<Waiter>>();

  /**
   * Records a completed reaction. It included all events up to `observedPosition`. `storedPosition`: of its last event,
   * or 0.
   */
  completed(key: string, observedPosition: number, storedPosition: number): void {
    for (const waiter of this.waiters.get(key) ?? [])
      if (waiter.position <= observedPosition) {
        this.remove(waiter);
        waiter.resolve(storedPosition);
      }
  }

  /**
   * Waits until each key has a reaction that included the event at `position`, at most FOLLOW_UP_WAIT_MS. Returns the
   * position of the last event that the reactions stored, or `position`.
   */
  async after(keys: readonly string[], position: number): Promise<number> {
    const reached = await Promise.all(keys.map((key) => this.one(key, position)));
    return Math.max(position, ...reached);
  }

  private one(key: string, position: number): Promise<number> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.remove(waiter);
        resolve(position);
      }, FOLLOW_UP_WAIT_MS);
      const waiter: Waiter = {
        key,
        position,
        resolve: (storedPosition) => {
          clearTimeout(timer);
          resolve(storedPosition);
        },
      };
      const known = this.waiters.get(key) ?? new Set();
      this.waiters.set(key, known.add(waiter));
    });
  }

  private remove(waiter: Waiter): void {
    const known = this.waiters.get(waiter.key);
    known?.delete(waiter);
    if (known?.size === 0) this.waiters.delete(waiter.key);
  }
}
