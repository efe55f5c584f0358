export interface MetricRow {
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending. `+Inf` is implied. */
  readonly buckets?: readonly number[];
}

const INSTALLATION_SECONDS = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1_200, 1_800];
const powersOfTwo = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.log2(to / from) + 1 }, (_, index) => from * 2 ** index);

/**
 * Metrics of installations, derived from events, with the names that dashboards for assisted-service use (after
 * `METRIC_PREFIX`). Label values come from closed lists, except for the repositories of images.
 */
export const SERVICE_METRICS = {
  cluster_creations: { type: 'counter', help: 'Number of registered clusters.', labels: [] },
  cluster_installation_started: { type: 'counter', help: 'Number of started cluster installations.', labels: [] },
  cluster_installation_seconds: {
    type: 'histogram',
    help: 'Duration of cluster installations in seconds, by final status.',
    labels: ['result'],
    buckets: INSTALLATION_SECONDS,
  },
  host_installation_phase_seconds: {
    type: 'histogram',
    help: 'Duration of the installation stages of hosts in seconds. result is Failed for the stage in which a host failed, else Done.',
    labels: ['phase', 'result'],
    buckets: INSTALLATION_SECONDS,
  },
  cluster_hosts: {
    type: 'counter',
    help: 'Number of hosts whose installation ended. result is Done or Failed.',
    labels: ['role', 'result'],
  },
  cluster_host_cores: {
    type: 'histogram',
    help: 'CPU cores of hosts whose installation ended.',
    labels: ['role', 'result'],
    buckets: powersOfTwo(1, 512),
  },
  cluster_host_ram_gb: {
    type: 'histogram',
    help: 'Memory of hosts whose installation ended, in GiB.',
    labels: ['role', 'result'],
    buckets: powersOfTwo(8, 2_048),
  },
  cluster_host_disk_gb: {
    type: 'histogram',
    help: 'Size of each disk of hosts whose installation ended, in GiB.',
    labels: ['diskType', 'role', 'result'],
    buckets: [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000],
  },
  cluster_host_nic_gb: {
    type: 'histogram',
    help: 'Speed of each network interface of hosts whose installation ended, in Mbit/s (the name of the metric is that of assisted-service v2).',
    labels: ['role', 'result'],
    buckets: [1, 10, 20, 40, 100],
  },
  cluster_host_disk_sync_duration_ms: {
    type: 'histogram',
    help: 'Time in which disks flush a write, in milliseconds.',
    labels: [],
    buckets: [1, 5, 10, 15, 20],
  },
  cluster_image_pull_status: {
    type: 'histogram',
    help: 'Speed of image pulls in MB/s, by repository.',
    labels: ['imageName', 'result'],
    buckets: [0.1, 0.5, 1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50],
  },
  host_validation_is_in_failed_status_on_cluster_deletion: {
    type: 'counter',
    help: 'Number of hosts whose validation failed when their cluster was deleted.',
    labels: ['hostValidationType'],
  },
  host_validation_failed_after_success_before_installation: {
    type: 'counter',
    help: 'Number of host validations that changed from passing to failing before an installation started.',
    labels: ['hostValidationType'],
  },
  cluster_validation_is_in_failed_status_on_cluster_deletion: {
    type: 'counter',
    help: 'Number of clusters whose validation failed when they were deleted.',
    labels: ['clusterValidationType'],
  },
  cluster_validation_failed_after_success_before_installation: {
    type: 'counter',
    help: 'Number of cluster validations that changed from passing to failing before an installation started.',
    labels: ['clusterValidationType'],
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof SERVICE_METRICS;
export const METRIC_PREFIX = 'service_assisted_installer_';

export interface HistogramFigures {
  /** Number of observations up to each bound (cumulative). */
  readonly buckets: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** Key: the metric's name. */
export interface MetricDocument {
  /** Position of the last event that was observed. */
  readonly _position: number;
  /** By labels in the Prometheus text format (`role="master",result="Done"`). Empty text without labels. */
  readonly series: { readonly [labels: string]: number | HistogramFigures };
}

/** An event of the category `metrics` of the v2 API. It has no name: its message identifies it. Its severity is info. */
export interface MetricEventRow {
  /** Names of its properties. */
  readonly props: readonly string[];
  /** Type of the stored event that it is derived from. Undefined: it is never recorded. */
  readonly source?: string;
  /** When it is recorded; without a source: why it is not recorded. */
  readonly when: string;
}

const HOST_ENDED_SOURCE = 'HostProgressed, HostInstallationFailed';
const HOST_ENDED_WHEN = 'reaches the stage Done or Failed';
const NO_PASSES = 'Muster has no monitor passes. A change evaluates only the hosts and clusters that depend on it.';

/** The events of the category `metrics` of assisted-service v2, by their message. */
export const METRIC_EVENTS = {
  'cluster.installation.results': {
    props: ['duration', 'result', 'lastState'],
    source: 'ClusterEnteredStatus',
    when: 'An installation ends in status installed, error or cancelled. duration: seconds since its start. lastState: the status before.',
  },
  'host.stage.duration': {
    props: ['result', 'duration', 'host_stage', 'vendor', 'product', 'disk_type', 'host_role'],
    source: HOST_ENDED_SOURCE,
    when: 'An installation stage of a host ends. duration: seconds. result: Failed when the host fails in the stage, else Done. disk_type: type of the installation disk.',
  },
  'host.mem.cpu': {
    props: ['host_result', 'host_role', 'mem_bytes', 'core_count'],
    source: HOST_ENDED_SOURCE,
    when: `A host ${HOST_ENDED_WHEN}. mem_bytes: GiB, rounded down.`,
  },
  'disk.size.type': {
    props: ['host_result', 'host_role', 'disk_type', 'disk_size'],
    source: HOST_ENDED_SOURCE,
    when: `A host ${HOST_ENDED_WHEN}; one event per disk. disk_size: GiB, rounded down.`,
  },
  'nic.speed': {
    props: ['host_result', 'host_role', 'nic_speed'],
    source: HOST_ENDED_SOURCE,
    when: `A host ${HOST_ENDED_WHEN}; one event per network interface. nic_speed: Mbit/s.`,
  },
  'nic.virtual_interfaces': {
    props: ['count', 'types'],
    source: 'InventoryReported',
    when: 'The first inventory of a host in a cluster, and an inventory with another number of physical interfaces. types: one entry per interface.',
  },
  'nic.physical_interfaces': {
    props: ['count'],
    source: 'InventoryReported',
    when: 'The same inventories as for nic.virtual_interfaces. VLANs and bonds are counted.',
  },
  'installercache.release.metrics': {
    props: ['release_id', 'start_time', 'end_time', 'cached', 'extract_duration'],
    source: 'ReleaseRead',
    when: 'The installer of a release was read for a cluster. extract_duration: seconds; 0 when the installer was in the cache. Not recorded for simulated installations, because they read no release.',
  },
  'host_monitor.slow_host': { props: ['duration'], when: NO_PASSES },
  'cluster_monitor.slow_cluster': { props: ['duration'], when: NO_PASSES },
} as const satisfies Record<string, MetricEventRow>;

export type MetricEventName = keyof typeof METRIC_EVENTS;
