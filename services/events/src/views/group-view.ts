import type { ClusterDocument } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { Patch } from './view-rows';

/** JSON of network → ids of the hosts that reach each other in it. Events store only the changes of this list. */
export function changedGroups(
  before: Pick<ClusterDocument, 'connectivity_majority_groups'>,
  { connectivityGroups }: Pick<EventData<'ClusterOutcomesChanged'>, 'connectivityGroups'>,
): Patch<ClusterDocument> {
  if (!connectivityGroups) return {};
  const known = JSON.parse(before.connectivity_majority_groups ?? '{}') as { readonly [network: string]: string[] };
  const groups = new Map(Object.entries(known));
  for (const { network, joinedHostIds, leftHostIds } of connectivityGroups.groups) {
    const left = new Set(leftHostIds);
    groups.set(network, [...(groups.get(network) ?? []).filter((id) => !left.has(id)), ...joinedHostIds].sort());
  }
  return { connectivity_majority_groups: JSON.stringify(Object.fromEntries(groups)) };
}
