import { type HostKey, parseStreamId } from '@muster/contracts';
import type { RecordedEvent } from '@muster/ports';
import { isOrder, type RegistrationView } from '../view/registration-view';

/**
 * What is looked at again. `follow`: the hosts of a cluster that was cancelled, reset or deleted. `shred`: the secrets of an
 * infra-env that is gone.
 */
export type ReactionKey =
  | { readonly kind: 'host'; readonly id: HostKey }
  | { readonly kind: 'cluster' | 'follow' | 'shred'; readonly id: string };

/** Host facts that a cluster's own state depends on. */
const FACTS_FOR_THE_CLUSTER: ReadonlySet<string> = new Set([
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

/** What depends on a fact that the view has just taken in. */
export function reactionKeysOf(event: RecordedEvent, view: RegistrationView): readonly string[] {
  const { category, id } = parseStreamId(event.streamId);
  switch (category) {
    case 'host':
    case 'inventory':
      return [`host:${id}`, ...(FACTS_FOR_THE_CLUSTER.has(event.type) ? keysOfItsClusters(event, view) : [])];
    case 'cluster':
      return [
        ...(isOrder(event.type) ? [`follow:${id}`] : []),
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

/** A host that moves in a cluster that is gone may be able to leave it now. */
const keysOfItsClusters = (event: RecordedEvent, view: RegistrationView): readonly string[] =>
  view
    .clustersTouchedBy(event)
    .flatMap((id) =>
      view.cluster(id)?.order?.kind === 'deregistered' ? [`cluster:${id}`, `follow:${id}`] : [`cluster:${id}`],
    );

export function parseReactionKey(key: string): ReactionKey {
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon), id: key.slice(colon + 1) } as ReactionKey;
}

/** Whether a key that the past marked is still worth a look after a start. */
export function isReactionOpen(key: string, view: RegistrationView): boolean {
  const { kind, id } = parseReactionKey(key);
  switch (kind) {
    case 'host':
      return (view.host(id)?.state.status ?? 'unregistered') !== 'unregistered';
    case 'cluster':
      return (view.cluster(id)?.state.status ?? 'deregistered') !== 'deregistered';
    case 'follow':
      return view.cluster(id)?.order !== undefined;
    case 'shred':
      return true;
  }
}
