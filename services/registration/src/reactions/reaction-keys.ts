import { type HostKey, parseStreamId, type RecordedMusterEvent } from '@muster/contracts';
import type { RegistrationView } from '../view/registration-view';
import { isPropagated } from '../view/view-entries';

/**
 * What is re-evaluated. `report`: a host after a report. `follow`: the hosts of a cluster that was cancelled, reset or
 * deleted. `shred`: the secrets of a deleted infra-env.
 */
export type ReactionKey =
  | { readonly kind: 'host' | 'report'; readonly id: HostKey }
  | { readonly kind: 'cluster' | 'follow' | 'shred'; readonly id: string };

/** Events of hosts that the state of their cluster depends on. */
const CLUSTER_INPUTS: ReadonlySet<string> = new Set([
  'HostRegistered',
  'HostReregistered',
  'HostEnteredStatus',
  'HostRoleAssigned',
  'HostRoleSuggested',
  'HostBootstrapChosen',
  'HostProgressed',
  'HostBound',
  'HostUnbound',
  'HostDeregistered',
  'InventoryReported',
]);

/** The keys that depend on an event, which the view has applied already. */
export function reactionKeysOf(event: RecordedMusterEvent, view: RegistrationView): readonly string[] {
  const { category, id } = parseStreamId(event.streamId);
  switch (category) {
    case 'host':
      return [`host:${id}`, ...(CLUSTER_INPUTS.has(event.type) ? keysOfItsClusters(event, view) : [])];
    case 'inventory':
      return [`report:${id}`, ...(CLUSTER_INPUTS.has(event.type) ? keysOfItsClusters(event, view) : [])];
    case 'cluster':
      return [
        ...(isPropagated(event.type) ? [`follow:${id}`] : []),
        `cluster:${id}`,
        ...(event.type === 'ClusterEnteredStatus' ? view.hostsOf(id).map(({ key }) => `host:${key}`) : []),
      ];
    case 'validation':
      return [id.includes('.') ? `host:${id}` : `cluster:${id}`];
    case 'artifact':
      return [`cluster:${id}`];
    case 'infraEnv':
      return event.type === 'InfraEnvDeregistered' ? [`shred:${id}`] : [];
    default:
      return [];
  }
}

/** A host of a deleted cluster may now be in a status in which it can leave it. */
const keysOfItsClusters = (event: RecordedMusterEvent, view: RegistrationView): readonly string[] =>
  view
    .clustersTouchedBy(event)
    .flatMap((id) =>
      view.cluster(id)?.propagated?.kind === 'deregistered' ? [`cluster:${id}`, `follow:${id}`] : [`cluster:${id}`],
    );

export function parseReactionKey(key: string): ReactionKey {
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon), id: key.slice(colon + 1) } as ReactionKey;
}

/** Whether a key from before the start has to be re-evaluated after the start. */
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
