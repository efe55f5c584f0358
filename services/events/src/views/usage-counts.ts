import {
  AUTO_ASSIGNED_ROLES,
  type ClusterDocument,
  type HostDocument,
  type InfraEnvDocument,
  REQUESTED_HOSTNAMES,
  VIRTUAL_HOSTS,
} from '@muster/assisted-api';

type UsageCounts = NonNullable<ClusterDocument['_usage_counts']>;

/** Change of the number of times that the hosts or infra-envs of a cluster use features. */
export interface UsageChange {
  readonly clusterId: string;
  /** Change by feature name; never 0. */
  readonly by: UsageCounts;
}

interface UsageRow<Document> {
  /** Name as in `feature_usage`. */
  readonly name: string;
  readonly isUsed: (document: Document) => boolean;
}

const HOST_USAGE: readonly UsageRow<HostDocument>[] = [
  { name: REQUESTED_HOSTNAMES, isUsed: (host) => Boolean(host.requested_hostname) },
  { name: 'Disk Selection', isUsed: (host) => host._disk_chosen_by_user === true },
  { name: VIRTUAL_HOSTS, isUsed: (host) => host._is_virtual === true },
  { name: AUTO_ASSIGNED_ROLES, isUsed: (host) => host._role_was_automatic === true },
  { name: 'Ignition Config Override', isUsed: (host) => Boolean(host._ignition_overrides_digest) },
];

const INFRA_ENV_USAGE: readonly UsageRow<InfraEnvDocument>[] = [
  { name: 'Static Network Config', isUsed: (infraEnv) => Boolean(infraEnv._static_networks_digest) },
  { name: 'Ignition Config Override', isUsed: (infraEnv) => Boolean(infraEnv._ignition_override_digest) },
  { name: 'discovery kernel arguments', isUsed: (infraEnv) => hasItems(infraEnv.kernel_arguments) },
];

export const hostUsageChanges = (
  before: HostDocument | undefined,
  after: HostDocument | undefined,
): readonly UsageChange[] => usageChanges(HOST_USAGE, before, after);

export const infraEnvUsageChanges = (
  before: InfraEnvDocument | undefined,
  after: InfraEnvDocument | undefined,
): readonly UsageChange[] => usageChanges(INFRA_ENV_USAGE, before, after);

/** A feature that is not used any more is removed. */
export function addUsage(cluster: ClusterDocument, by: UsageCounts): ClusterDocument {
  const counts = new Map(Object.entries(cluster._usage_counts ?? {}));
  for (const [name, change] of Object.entries(by)) counts.set(name, (counts.get(name) ?? 0) + change);
  return { ...cluster, _usage_counts: Object.fromEntries([...counts].filter(([, count]) => count > 0)) };
}

const NO_CHANGES: readonly UsageChange[] = [];

function usageChanges<Document extends { readonly cluster_id?: string }>(
  rows: readonly UsageRow<Document>[],
  before: Document | undefined,
  after: Document | undefined,
): readonly UsageChange[] {
  const changes = new Map<string, { [name: string]: number }>();
  const count = (document: Document | undefined, name: string, by: number): void => {
    if (!document?.cluster_id) return;
    const names = changes.get(document.cluster_id) ?? {};
    names[name] = (names[name] ?? 0) + by;
    changes.set(document.cluster_id, names);
  };
  const isSameCluster = before?.cluster_id === after?.cluster_id;
  for (const { name, isUsed } of rows) {
    const [wasUsed, isUsedNow] = [before !== undefined && isUsed(before), after !== undefined && isUsed(after)];
    if (isSameCluster && wasUsed === isUsedNow) continue;
    if (wasUsed) count(before, name, -1);
    if (isUsedNow) count(after, name, 1);
  }
  if (changes.size === 0) return NO_CHANGES;
  return [...changes].map(([clusterId, by]) => ({ clusterId, by }));
}

/** Whether the text is a JSON array with at least one entry. */
const hasItems = (list: string | undefined): boolean => Boolean(list && list !== '[]');
