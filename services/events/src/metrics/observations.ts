import type { ClusterDocument, HostDocument, MetricName, OutcomeMap } from '@muster/assisted-api';
import type { EventData, MusterEvent } from '@muster/contracts';
import { INITIAL_CLUSTER_OUTCOMES, initialHostOutcomes, type Outcome, type Outcomes } from '@muster/validation-rules';
import type { DataByType, EventRows } from '../event-rows';
import { membersIn } from '../views/report-view';

/** One observation: a counter counts it, a histogram records its value. */
export interface Observation {
  readonly metric: MetricName;
  /** Values in the order of the labels of the metric. */
  readonly labels: readonly string[];
  /** @default 1 */
  readonly value?: number;
}

export const seen = (metric: MetricName, labels: readonly string[] = [], value = 1): Observation => ({
  metric,
  labels,
  value,
});

const MS_PER_SECOND = 1_000;
const ENDS: ReadonlySet<string> = new Set(['installed', 'error', 'cancelled']);
const CLUSTER_STATUSES_BEFORE_INSTALLATION: ReadonlySet<string> = new Set([
  'pending-for-input',
  'insufficient',
  'ready',
]);

type Rows<Subject> = EventRows<DataByType<MusterEvent>, Subject, readonly Observation[]>;

/** Observations by type of cluster event. `before`: the cluster before the event. */
export const CLUSTER_OBSERVATIONS: Rows<ClusterDocument | undefined> = {
  ClusterRegistered: () => [seen('cluster_creations')],
  ClusterEnteredStatus: ({ status, at }, before) => {
    // A cluster whose user action is done enters `installing` again, in the same installation.
    if (status === 'installing')
      return before?.status === 'preparing-for-installation' ? [seen('cluster_installation_started')] : [];
    const seconds = installationSeconds(status, at, before);
    return seconds === undefined ? [] : [seen('cluster_installation_seconds', [status], seconds)];
  },
  ClusterOutcomesChanged: ({ changed }, before) =>
    before && CLUSTER_STATUSES_BEFORE_INSTALLATION.has(before.status)
      ? turnedToFailure(before._outcomes, changed, INITIAL_CLUSTER_OUTCOMES).map((id) =>
          seen('cluster_validation_failed_after_success_before_installation', [id]),
        )
      : [],
  ClusterDeregistered: (_data, before) =>
    failedIn(before?._outcomes ?? {}, INITIAL_CLUSTER_OUTCOMES).map((id) =>
      seen('cluster_validation_is_in_failed_status_on_cluster_deletion', [id]),
    ),
};

/**
 * Returns the duration of the installation that the new status ends; undefined when it ends none. A cluster that
 * completes after its deadline ends its installation twice: as an error, and as installed.
 */
export function installationSeconds(
  status: string,
  at: string,
  before: ClusterDocument | undefined,
): number | undefined {
  const isEnd = status === 'installed' || (ENDS.has(status) && !ENDS.has(before?.status ?? ''));
  return before && isEnd && before._attempt > 0 ? secondsSince(before.install_started_at, at) : undefined;
}

/** Undefined without a start, and when the clock of the service was set back. */
function secondsSince(startedAt: string | undefined, at: string): number | undefined {
  const seconds = (Date.parse(at) - Date.parse(startedAt ?? '')) / MS_PER_SECOND;
  return seconds >= 0 ? seconds : undefined;
}

/**
 * Returns the ids of validations that passed before and fail now: none for the first evaluation, because nothing passed
 * before it. `initial` has the outcomes that are never recorded.
 */
export const turnedToFailure = (
  before: OutcomeMap,
  changed: readonly Outcome[],
  initial: Outcomes,
): readonly string[] =>
  Object.keys(before).length === 0
    ? []
    : changed
        .filter(({ id, status }) => status === 'failure' && (before[id] ?? initial.get(id))?.status === 'success')
        .map(({ id }) => id);

/** Returns the ids of validations that fail. */
export const failedIn = (outcomes: OutcomeMap, initial: Outcomes): readonly string[] =>
  [...initial].flatMap(([id, outcome]) => ((outcomes[id] ?? outcome).status === 'failure' ? [id] : []));

export const BYTES_PER_GIB = 2 ** 30;
export const DONE = 'Done';
export const FAILED = 'Failed';
/** Other values that machines report are not used as labels. */
const DISK_TYPES: ReadonlySet<string> = new Set([
  'HDD',
  'SSD',
  'ODD',
  'FDD',
  'Multipath',
  'iSCSI',
  'FC',
  'LVM',
  'RAID',
  'ECKD',
  'virtual',
]);
const HOST_STATUSES_BEFORE_INSTALLATION: ReadonlySet<string> = new Set([
  'discovering',
  'known',
  'insufficient',
  'pending-for-input',
  'disconnected',
  'discovering-unbound',
  'known-unbound',
  'insufficient-unbound',
  'disconnected-unbound',
]);

export interface ObservedHost {
  /** The host before the event. */
  readonly before: HostDocument | undefined;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** Whether the cluster of the host was deleted. */
  readonly isOrphan: boolean;
}

/** Observations by type of host event. */
export const HOST_OBSERVATIONS: Rows<ObservedHost> = {
  HostProgressed: progressed,
  HostInstallationFailed: failed,
  HostOutcomesChanged: turned,
  HostUnbound: leftBehind,
  HostDeregistered: leftBehind,
  DiskSpeedMeasured: ({ exitCode, ioSyncDurationMs }) =>
    exitCode === 0 ? [seen('cluster_host_disk_sync_duration_ms', [], ioSyncDurationMs)] : [],
  ImageAvailabilityReported: pulled,
};

/** A stage ended. At the last stage the hardware of the host is observed as well. */
function progressed(
  { stage, stageChanged }: EventData<'HostProgressed'>,
  { before, occurredAt }: ObservedHost,
): readonly Observation[] {
  if (!before || !stageChanged) return [];
  const ended = phaseOf(before, occurredAt, DONE);
  return stage === DONE ? [...ended, ...sizesOf(before, DONE)] : ended;
}

/** An installation may fail before its first stage. */
function failed(_data: object, { before, occurredAt }: ObservedHost): readonly Observation[] {
  return before ? [...phaseOf(before, occurredAt, FAILED), ...sizesOf(before, FAILED)] : [];
}

function phaseOf(host: HostDocument, endedAt: string, result: string): readonly Observation[] {
  const ended = endedStage(host, endedAt);
  return ended ? [seen('host_installation_phase_seconds', [ended.stage, result], ended.seconds)] : [];
}

/** Returns the stage of the host, which ends now, and its duration; undefined before the first stage. */
export function endedStage(
  { progress }: HostDocument,
  endedAt: string,
): { readonly stage: string; readonly seconds: number } | undefined {
  const stage = progress?.current_stage;
  const seconds = secondsSince(progress?.stage_started_at, endedAt);
  return stage && seconds !== undefined ? { stage, seconds } : undefined;
}

/** The role in metrics. */
export const measuredRole = ({ bootstrap, role }: HostDocument): string => (bootstrap ? 'bootstrap' : (role ?? ''));

function sizesOf(host: HostDocument, result: string): readonly Observation[] {
  const { _sizes: sizes } = host;
  const labels = [measuredRole(host), result];
  const hosts = seen('cluster_hosts', labels);
  if (!sizes) return [hosts];
  const typeOf = (type: string): string => (DISK_TYPES.has(type) ? type : 'other');
  return [
    hosts,
    seen('cluster_host_cores', labels, sizes.cores),
    seen('cluster_host_ram_gb', labels, sizes.memoryBytes / BYTES_PER_GIB),
    ...sizes.disks.map(({ type, bytes }) =>
      seen('cluster_host_disk_gb', [typeOf(type), ...labels], bytes / BYTES_PER_GIB),
    ),
    ...sizes.nicsMbps.map((mbps) => seen('cluster_host_nic_gb', labels, mbps)),
  ];
}

/** Outcomes from before a reset belong to another boot or another cluster of the host. */
function turned(
  { changed, reset }: EventData<'HostOutcomesChanged'>,
  { before }: ObservedHost,
): readonly Observation[] {
  if (reset || !before || !HOST_STATUSES_BEFORE_INSTALLATION.has(before.status)) return [];
  return turnedToFailure(before._outcomes, changed, initialHostOutcomes(Boolean(before.cluster_id))).map((id) =>
    seen('host_validation_failed_after_success_before_installation', [id]),
  );
}

/** The hosts of a deleted cluster leave it one after the other. */
function leftBehind(_data: object, { before, isOrphan }: ObservedHost): readonly Observation[] {
  return before && isOrphan
    ? failedIn(before._outcomes, initialHostOutcomes(Boolean(before.cluster_id))).map((id) =>
        seen('host_validation_is_in_failed_status_on_cluster_deletion', [id]),
      )
    : [];
}

/** Each image is observed once per host. */
function pulled({ images }: EventData<'ImageAvailabilityReported'>, { before }: ObservedHost): readonly Observation[] {
  if (!before) return [];
  const known = new Set(Object.keys(membersIn(before.images_status)));
  return images
    .filter(({ name }) => !known.has(name))
    .map(({ name, result, downloadRateMbps }) =>
      seen(
        'cluster_image_pull_status',
        [repositoryOf(name), result === 'success' ? result : 'failure'],
        downloadRateMbps,
      ),
    );
}

/** Returns the image without tag and digest, which change with every release. */
const repositoryOf = (image: string): string => image.replace(/@.*/s, '').replace(/:[^/:]*$/, '');
