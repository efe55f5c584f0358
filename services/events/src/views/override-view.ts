import type { ClusterDocument, OverrideRecord } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { Occurrence, Patch } from './view-rows';

type Changes = NonNullable<EventData<'ClusterSettingsRevised'>['changes']>;

/** Of one cluster; older ones remain in its stream. */
export const OVERRIDES_KEPT_MAX = 100;

export const changesOverrides = (changes: Changes | undefined): changes is Changes =>
  changes?.ignoredHostValidations !== undefined ||
  changes?.ignoredClusterValidations !== undefined ||
  changes?.ignoredValidationsReason !== undefined;

/** The overrides after a revision: user, validations and reason. A list that the revision does not contain is unchanged. */
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

/** The document holds each list as the text of a JSON array. */
const idsIn = (list: string | undefined): readonly string[] => JSON.parse(list ?? '[]') as readonly string[];
