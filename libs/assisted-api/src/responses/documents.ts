import type { EventData } from '@muster/contracts';
import type { ConflictingMachines, StatusReason } from '@muster/domain';
import { collectionOf } from '@muster/ports';
import type { Outcome } from '@muster/validation-rules';
import type { MetricDocument } from '../service-metrics.table';
import type { V2Cluster } from './v2-cluster';
import type { EventCategory, V2Event } from './v2-event';
import type { DiskEligibility, V2Host, V2InfraEnv } from './v2-infra-env';

/** Recorded outcomes by rule id. A rule without an entry has its initial outcome. */
export type OutcomeMap = { readonly [ruleId: string]: Outcome };

/** Address → MAC addresses of the machines that use it. */
export type IpCollisions = { readonly [address: string]: readonly string[] };

/** The validations that are ignored from this time on. */
export interface OverrideRecord {
  /** RFC 3339. */
  readonly at: string;
  /** The user, as in the metadata of events. */
  readonly actor: string;
  readonly reason: string;
  /** Ids, or `all`. Both lists empty: nothing is ignored any more. */
  readonly host_validation_ids: readonly string[];
  readonly cluster_validation_ids: readonly string[];
}

/**
 * Members of every document that are not in responses: the position of the last event that changed it, and its owner.
 */
type Kept = {
  readonly _position: number;
  readonly user_name: string;
  readonly org_id: string;
  readonly email_domain: string;
};

/** Key: cluster id. `cluster` of the v2 API without the members that are computed for a response. */
export type ClusterDocument = Kept &
  Omit<
    V2Cluster,
    | 'hosts'
    | 'status_info'
    | 'host_networks'
    | 'validations_info'
    | 'schedulable_masters_forced_true'
    | 'feature_usage'
    | 'ip_collisions'
    | 'org_soft_timeouts_enabled'
    | 'install_config_overrides'
    | 'user_name'
    | 'org_id'
    | 'email_domain'
  > & {
    /** `status_info` is rendered from it for a response. */
    readonly _status_reason: StatusReason;
    readonly _outcomes: OutcomeMap;
    /** Hosts whose effective role is worker. */
    readonly _worker_count: number;
    readonly _bootstrap_host_id: string;
    /** 0 before the first installation. */
    readonly _attempt: number;
    /** The last details of a platform. `platform` has none while its type is another one. */
    readonly _platform_details?: { readonly [name: string]: unknown };
    /** The last results of a VIP check. A host does not report the same ones again when removed VIPs are set again. */
    readonly _verified_vips?: EventData<'VipsVerified'>['vips'];
    /** Not interpreted by the service. Returned by the ui-settings operation. */
    readonly _ui_settings_digest?: string;
    /** A sealed document in the scope of the cluster. */
    readonly _install_config_overrides?: { readonly digest: string; readonly bytes: number; readonly is_fips?: true };
    /** Digests of collected log bodies in the object store by source: `controller`, or the id of a host. */
    readonly _log_digests: { readonly [source: string]: string };
    /** True after the kubeconfig with the ingress CA was stored. */
    readonly _has_kubeconfig: boolean;
    /** Number of hosts and infra-envs of the cluster that use a feature, by its name in `feature_usage`. */
    readonly _usage_counts?: { readonly [name: string]: number };
    /** `<folder>/<file name>` of the manifests of users. */
    readonly _user_manifests?: readonly string[];
    /** Oldest first. The last one applies. */
    readonly _overrides?: readonly OverrideRecord[];
    /** Addresses that more than one machine uses, with the MAC addresses of these, and the number of hosts that report each. */
    readonly _colliding_machines?: { readonly [address: string]: { readonly [macAddress: string]: number } };
    /** The part of the release that is being downloaded; absent before and after. */
    readonly _release_download?: { readonly image: string; readonly bytes: number; readonly total_bytes: number };
  };

export interface MachineSizes {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly disks: readonly { readonly id: string; readonly type: string; readonly bytes: number }[];
  readonly nicsMbps: readonly number[];
  readonly physicalNicCount: number;
  /** Undefined when the inventory has no vendor. */
  readonly vendor?: string;
  readonly product?: string;
}

/**
 * Key: host key `<infraEnvId>.<hostId>`. Large bodies are digests of objects in the object store. Absent: not reported.
 */
export type HostDocument = Kept &
  Omit<
    V2Host,
    | 'progress_stages'
    | 'status_info'
    | 'validations_info'
    | 'user_name'
    | 'timestamp'
    | 'inventory'
    | 'connectivity'
    | 'free_addresses'
    | 'api_vip_connectivity'
    | 'tang_connectivity'
    | 'ignition_config_overrides'
  > & {
    readonly _host_key: string;
    /** Reports of an earlier generation are ignored (see inventory.proto). */
    readonly _generation: number;
    /** `status_info` is rendered from it for a response. */
    readonly _status_reason: StatusReason;
    readonly _outcomes: OutcomeMap;
    /** The hostname that the machine reports. */
    readonly _reported_hostname?: string;
    /** The service chose the role of the host for its installation. */
    readonly _role_was_automatic?: boolean;
    /** The host is a virtual machine. */
    readonly _is_virtual?: boolean;
    /** Networks of the machine's addresses, as canonical CIDRs. */
    readonly _networks: readonly string[];
    readonly _inventory_digest?: string;
    /** Eligibility of the disks in the inventory with the digest. */
    readonly _disks?: readonly DiskEligibility[];
    /** Hardware in the inventory with the digest. */
    readonly _sizes?: MachineSizes;
    /** Minimum size of an installation disk of this machine by role, decimal GB. */
    readonly _disk_gb_min?: { readonly [role: string]: number };
    readonly _connectivity_digest?: string;
    readonly _free_addresses_digest?: string;
    readonly _api_vip_connectivity_digest?: string;
    readonly _tang_connectivity_digest?: string;
    readonly _ignition_overrides_digest?: string;
    readonly _logs_digest?: string;
    /** Position of the last event with installation progress. */
    readonly _progress_position?: number;
    /** A user chose the installation disk. */
    readonly _disk_chosen_by_user?: boolean;
    readonly _ip_collisions?: IpCollisions;
    /** Two live machines that claim the id of the host. */
    readonly _identity_conflict?: ConflictingMachines;
  };

/** Key: infra-env id. */
export type InfraEnvDocument = Kept &
  Omit<
    V2InfraEnv,
    'user_name' | 'org_id' | 'email_domain' | 'generator_version' | 'ignition_config_override' | 'static_network_config'
  > & {
    /** Digests of sealed documents in the scope of the infra-env. */
    readonly _ignition_override_digest?: string;
    readonly _static_networks_digest?: string;
    readonly _trust_bundle_digest?: string;
  };

/** Key: 16-digit position, a dot, an ordinal, so that the order of keys is the order of time. */
export type EventDocument = Kept &
  Omit<V2Event, 'props'> & {
    readonly category: EventCategory;
    readonly request_id?: string;
    /** JSON text of the v2 API, with the ids of the subject. */
    readonly _props: { readonly [name: string]: unknown };
    /** Actor of the command, as in the metadata of events. */
    readonly _actor?: string;
    /** Address from which the command was sent. */
    readonly _source_address?: string;
    /** The same for all events that follow from one request. */
    readonly _correlation_id?: string;
  };

/** Number of digits of the largest safe integer. */
const POSITION_DIGITS = 16;

/** Key of an event document. Without an ordinal: a text after the keys of the position and before those of the next one. */
export const eventKeyOf = (position: string, ordinal?: string): string =>
  `${position.padStart(POSITION_DIGITS, '0')}${ordinal === undefined ? '/' : `.${ordinal}`}`;

/** Number of documents in `COLLECTIONS.events` by category and severity. */
export interface EventCountsDocument {
  readonly _position: number;
  readonly counts: { readonly [category: string]: { readonly [severity: string]: number } };
}

/** Maximum number of clusters in `DroppedLogsDocument`. */
export const DROPPED_LOGS_MAX = 2_000;

/**
 * The clusters of which a log lost its reference last: a host or the cluster was removed or reset, a host registered again, or an upload
 * replaced the log.
 */
export interface DroppedLogsDocument {
  /** Clusters up to this position may be missing. */
  readonly complete_after: number;
  /** By the position of the last such event, ascending. Each cluster once. */
  readonly clusters: readonly { readonly cluster_id: string; readonly position: number }[];
}

/** The projection that writes the collections below. Only the events service writes them. The gateway reads them. */
export const VIEWS_PROJECTION = 'views';

export const COLLECTIONS = {
  /** Key: cluster id. The v2 `cluster` without its hosts. */
  clusters: collectionOf<ClusterDocument>('clusters'),
  /** Key: cluster id. The cluster at its deletion, until its retention period ends. */
  deletedClusters: collectionOf<ClusterDocument>('deleted_clusters'),
  /** Key: host key `<infraEnvId>.<hostId>`. The v2 `host`. Large reported bodies are stored as digests, which the reader resolves. */
  hosts: collectionOf<HostDocument>('hosts'),
  /** Key: host key. Like `deletedClusters`. A host that registers again is removed. */
  deletedHosts: collectionOf<HostDocument>('deleted_hosts'),
  /** Key: infra-env id. The v2 `infra-env`. */
  infraEnvs: collectionOf<InfraEnvDocument>('infra_envs'),
  /** Key: name of a metric. Sums over events. */
  metrics: collectionOf<MetricDocument>('metrics'),
  /** Key: 16-digit position of the stored event, a dot, an ordinal. The v2 `event` and the members for filters. */
  events: collectionOf<EventDocument>('events'),
  /** One document with the key `EVENT_COUNTS`. To count all events would take as long as they are many. */
  eventCounts: collectionOf<EventCountsDocument>('event_counts'),
  /** One document with the key `DROPPED_LOGS`. The gateway removes bodies of logs that nothing refers to. */
  droppedLogs: collectionOf<DroppedLogsDocument>('dropped_logs'),
};

export const EVENT_COUNTS = 'all';
export const DROPPED_LOGS = 'last';
