import type { ConnectivityGroupChange, EventData, Plain } from '@muster/contracts';

/** Network → ids of the hosts that reach each other in it, sorted. */
export type Groups = ReadonlyMap<string, readonly string[]>;

/** Returns the hosts that joined and left in each network. A new network is listed even when its group is empty. */
export function diffGroups(before: Groups, after: Groups): Plain<ConnectivityGroupChange>[] {
  const changes: Plain<ConnectivityGroupChange>[] = [];
  for (const network of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(network) ?? [], after.get(network) ?? []];
    if (before.has(network) && isSame(old, now)) continue;
    const [wasIn, isIn] = [new Set(old), new Set(now)];
    const joinedHostIds = now.filter((id) => !wasIn.has(id));
    const leftHostIds = old.filter((id) => !isIn.has(id));
    if (joinedHostIds.length + leftHostIds.length > 0 || !before.has(network))
      changes.push({ network, joinedHostIds, leftHostIds });
  }
  return changes;
}

/** Both are sorted. */
const isSame = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && before.every((id, at) => id === after[at]);

export function applyGroupChanges(
  before: Groups,
  { connectivityGroups }: Pick<EventData<'ClusterOutcomesChanged'>, 'connectivityGroups'>,
): Groups {
  if (!connectivityGroups) return before;
  const after = new Map(before);
  for (const { network, joinedHostIds, leftHostIds } of connectivityGroups.groups) {
    const left = new Set(leftHostIds);
    after.set(network, [...(before.get(network) ?? []).filter((id) => !left.has(id)), ...joinedHostIds].sort());
  }
  return after;
}
