import type { ConflictingMachines, StatusReason } from '@muster/domain';
import { collectionOf } from '@muster/ports';
import type { Outcome } from '@muster/validation-rules';
import type { MetricDocument } from '../service-metrics.table';
import type { V2Cluster } from './v2-cluster';
import type { EventCategory, V2Event } from './v2-event';
import type { DiskEligibility, V2Host, V2InfraEnv } from './v2-infra-env';

/** Recorded outcomes by rule id. A rule without an entry has its initial outcome. */
export type OutcomeMap = { readonly [ruleId: string]: Outcome };

/** Address → MAC addresses of the machines that answer on it. */
export type IpCollisions = { readonly [address: string]: readonly string[] };

/** The validations that were ignored from then on. */
export interface OverrideRecord {
  /** RFC 3339. */
  readonly at: string;
  /** The user, as in the metadata of events. */
  readonly actor: string;
  readonly reason: string;
  /** Ids, or `all`; both empty: nothing is ignored any more. */
  readonly host_validation_ids: readonly string[];
  readonly cluster_validation_ids: readonly string[];
}

/** Members of every document that no client sees: the position of the last event that changed it, and its owner. */
type Kept = {
  readonly _position: number;
  readonly user_name: string;
  readonly org_id: string;
  readonly email_domain: string;
};

/** Key: cluster id. The contract's `cluster` but for what is worked out when it is shown. */
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
    /** `status_info` is rendered from it when the document is presented. */
    readonly _status_reason: StatusReason;
    readonly _outcomes: OutcomeMap;
    /** Hosts whose effective role is worker. */
    readonly _worker_count: number;
    readonly _bootstrap_host_id: string;
    /** 0 before the first installation. */
    readonly _attempt: number;
    /** Opaque to the service; answered by the ui-settings operation. */
    readonly _ui_settings_digest?: string;
    /** A sealed document in the scope of the cluster. */
    readonly _install_config_overrides?: { readonly digest: string; readonly bytes: number; readonly is_fips?: true };
    /** Digests of collected log bodies in the object store: `controller`, or a host's id. */
    readonly _log_digests: { readonly [source: string]: string };
    /** True once the kubeconfig with the ingress CA exists. */
    readonly _has_kubeconfig: boolean;
    /** How many hosts and infra-envs of the cluster make use of something, by its name in `feature_usage`. */
    readonly _usage_counts?: { readonly [name: string]: number };
    /** `<folder>/<file name>` of the manifests of users. */
    readonly _user_manifests?: readonly string[];
    /** Oldest first; the last one is in force. */
    readonly _overrides?: readonly OverrideRecord[];
    /** Addresses on which a host saw more than one machine, by host key. */
    readonly _ip_collisions?: { readonly [hostKey: string]: IpCollisions };
    /** The part of the release that is being downloaded; absent before and after. */
    readonly _release_download?: { readonly image: string; readonly bytes: number; readonly total_bytes: number };
  };

export interface MachineSizes {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly disks: readonly { readonly type: string; readonly bytes: number }[];
  readonly nicsMbps: readonly number[];
}

/** Key: host key `<infraEnvId>.<hostId>`. Big bodies are digests of objects in the object store; absent: not reported. */
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
    /** Reports of an earlier generation are void (see inventory.proto). */
    readonly _generation: number;
    /** `status_info` is rendered from it when the document is presented. */
    readonly _status_reason: StatusReason;
    readonly _outcomes: OutcomeMap;
    /** As the machine names itself. */
    readonly _reported_hostname?: string;
    /** Networks the machine has an address in, canonical CIDRs. */
    readonly _networks: readonly string[];
    readonly _inventory_digest?: string;
    /** What may be installed on; of the inventory that the digest names. */
    readonly _disks?: readonly DiskEligibility[];
    /** Hardware of the inventory that the digest names, for metrics. */
    readonly _sizes?: MachineSizes;
    /** What each role asks of an installation disk of this machine, decimal GB. */
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
    readonly _disk_chosen_by_person?: boolean;
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
  };

/** Key: 16-digit position, a dot, an ordinal: sorting by key is sorting by time. */
export type EventDocument = Kept &
  Omit<V2Event, 'props'> & {
    readonly category: EventCategory;
    readonly request_id?: string;
    /** What the contract shows as JSON text, with the ids of the subject. */
    readonly _props: { readonly [name: string]: unknown };
  };

/** The projection that writes the collections below. Only the events service runs it; the gateway reads them. */
export const VIEWS_PROJECTION = 'views';

export const COLLECTIONS = {
  /** Key: cluster id. The v2 `cluster` without its hosts. */
  clusters: collectionOf<ClusterDocument>('clusters'),
  /** Key: cluster id. The cluster at its deletion, until its retention period ends. */
  deletedClusters: collectionOf<ClusterDocument>('deleted_clusters'),
  /** Key: host key `<infraEnvId>.<hostId>`. The v2 `host`. Large reported bodies are stored as digests, which the reader resolves. */
  hosts: collectionOf<HostDocument>('hosts'),
  /** Key: host key. As `deletedClusters`. A host that registers again is removed. */
  deletedHosts: collectionOf<HostDocument>('deleted_hosts'),
  /** Key: infra-env id. The v2 `infra-env`. */
  infraEnvs: collectionOf<InfraEnvDocument>('infra_envs'),
  /** Key: name of a metric. Sums over events. */
  metrics: collectionOf<MetricDocument>('metrics'),
  /** Key: 16-digit position of the stored event, a dot, an ordinal. The v2 `event` and what it is filtered by. */
  events: collectionOf<EventDocument>('events'),
};
