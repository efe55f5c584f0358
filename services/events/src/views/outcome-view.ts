import type { ClusterDocument, OutcomeMap, OverrideRecord } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import { createJsonReader } from '@muster/schema';
import { type Outcome, sharedOutcome } from '@muster/validation-rules';
import { Type } from '@sinclair/typebox';
import type { Occurrence, Patch } from './view-rows';

/** Events contain only changes. The maps are immutable, and unchanged outcomes are shared. */
export function changedOutcomes(
  before: OutcomeMap,
  { changed, reset = false }: { readonly changed: readonly Outcome[]; readonly reset?: boolean },
): OutcomeMap {
  const after: { [ruleId: string]: Outcome } = reset ? {} : { ...before };
  for (const outcome of changed) after[outcome.id] = sharedOutcome(outcome);
  return after;
}

type Changes = NonNullable<EventData<'ClusterSettingsRevised'>['changes']>;

/** Maximum number of overrides in the document of a cluster. Older ones stay in its stream. */
export const OVERRIDES_KEPT_MAX = 100;

export const changesOverrides = (changes: Changes | undefined): changes is Changes =>
  changes?.ignoredHostValidations !== undefined ||
  changes?.ignoredClusterValidations !== undefined ||
  changes?.ignoredValidationsReason !== undefined;

/**
 * Returns the overrides after a revision: user, validations and reason. A list that the revision does not contain is
 * unchanged.
 */
export function overridePatch(
  cluster: ClusterDocument,
  changes: Changes | undefined,
  { at, actor }: Occurrence,
): Patch<ClusterDocument> {
  if (!changesOverrides(changes)) return {};
  const history = cluster._overrides ?? [];
  const record: OverrideRecord = {
    at,
    actor,
    reason: changes.ignoredValidationsReason ?? history.at(-1)?.reason ?? '',
    host_validation_ids: changes.ignoredHostValidations?.items ?? idsIn(cluster.ignored_host_validations),
    cluster_validation_ids: changes.ignoredClusterValidations?.items ?? idsIn(cluster.ignored_cluster_validations),
  };
  return { _overrides: [...history, record].slice(-OVERRIDES_KEPT_MAX) };
}

/** The document contains each list as the text of a JSON array. */
const idsIn = (list: string | undefined): readonly string[] => readIds(list ?? '[]');
const readIds = createJsonReader(Type.Array(Type.String()), { name: 'the list of ignored validations' });
const readGroups = createJsonReader(Type.Record(Type.String(), Type.Array(Type.String())), {
  name: 'connectivity_majority_groups',
});

/** Returns the JSON of network → ids of the hosts of its majority group. Events contain only changes. */
export function changedGroups(
  before: Pick<ClusterDocument, 'connectivity_majority_groups'>,
  { connectivityGroups }: Pick<EventData<'ClusterOutcomesChanged'>, 'connectivityGroups'>,
): Patch<ClusterDocument> {
  if (!connectivityGroups) return {};
  const known = readGroups(before.connectivity_majority_groups ?? '{}');
  const groups = new Map(Object.entries(known));
  for (const { network, joinedHostIds, leftHostIds } of connectivityGroups.groups) {
    const left = new Set(leftHostIds);
    groups.set(network, [...(groups.get(network) ?? []).filter((id) => !left.has(id)), ...joinedHostIds].sort());
  }
  return { connectivity_majority_groups: JSON.stringify(Object.fromEntries(groups)) };
}
