import type { V2Host } from './v2-host';

/** `platform` of the contract; `external` and the like as a person gave them. */
export type V2Platform = { readonly type: string; readonly [detail: string]: unknown };
export type V2Vip = { readonly cluster_id: string; readonly ip: string; readonly verification: string };
export type V2Network = { readonly cluster_id: string; readonly cidr: string };
export type V2ClusterNetwork = V2Network & { readonly host_prefix: number };
/** A network that hosts have an address in, with those hosts' ids. */
export type V2HostNetwork = { readonly cidr: string; readonly host_ids: readonly string[] };

/** `bundle-create-params` of the contract. */
export type V2ChosenBundle = { readonly id: string; readonly optional_operators: readonly string[] };

/** `monitored-operator` of the contract. */
export type V2MonitoredOperator = {
  readonly cluster_id: string;
  readonly name: string;
  readonly operator_type: string;
  readonly version?: string;
  readonly namespace?: string;
  readonly subscription_name?: string;
  readonly properties?: string;
  readonly timeout_seconds: number;
  /** Ids of the bundles it belongs to. */
  readonly bundles?: readonly string[];
  /** Ids of the bundles it was chosen through. */
  readonly source_bundles?: readonly string[];
  /** Absent before the first report. */
  readonly status?: string;
  readonly status_info?: string;
  readonly status_updated_at: string;
};

/** `cluster-progress-info` of the contract: whole percent. */
export type V2ClusterProgress = {
  readonly total_percentage: number;
  readonly preparing_for_installation_stage_percentage: number;
  readonly installing_stage_percentage: number;
  readonly finalizing_stage_percentage: number;
  readonly finalizing_stage?: string;
  readonly finalizing_stage_started_at: string;
  readonly finalizing_stage_timed_out: boolean;
};

/** `cluster` of the contract. Members named "JSON" hold a JSON document as text. */
export type V2Cluster = {
  readonly kind: string;
  readonly id: string;
  readonly href: string;
  readonly name: string;
  readonly user_name?: string;
  readonly org_id?: string;
  readonly email_domain?: string;
  readonly status: string;
  readonly status_info: string;
  readonly status_updated_at: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Absent while it has not been deleted. */
  readonly deleted_at?: string;
  readonly install_started_at: string;
  readonly install_completed_at: string;
  readonly openshift_version: string;
  readonly ocp_release_image?: string;
  readonly openshift_cluster_id?: string;
  readonly cpu_architecture: string;
  readonly control_plane_count: number;
  readonly high_availability_mode: string;
  readonly base_dns_domain?: string;
  readonly platform: V2Platform;
  readonly image_info: Readonly<Record<string, never>>;
  readonly user_managed_networking: boolean;
  readonly vip_dhcp_allocation: boolean;
  readonly network_type?: string;
  /** JSON of network → ids of the hosts that all reach each other in it. */
  readonly connectivity_majority_groups?: string;
  readonly load_balancer: { readonly type: string };
  readonly api_vips: readonly V2Vip[];
  readonly ingress_vips: readonly V2Vip[];
  readonly api_vip_dns_name?: string;
  readonly cluster_networks: readonly V2ClusterNetwork[];
  readonly service_networks: readonly V2Network[];
  readonly machine_networks: readonly V2Network[];
  /** The first of `cluster_networks`, for older clients; the next three likewise. */
  readonly cluster_network_cidr?: string;
  readonly cluster_network_host_prefix?: number;
  readonly service_network_cidr?: string;
  readonly machine_network_cidr?: string;
  readonly host_networks: readonly V2HostNetwork[];
  readonly ssh_public_key?: string;
  readonly pull_secret_set: boolean;
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
  readonly additional_ntp_source?: string;
  readonly ntp_sources?: string;
  readonly hyperthreading: string;
  readonly schedulable_masters: boolean;
  readonly schedulable_masters_forced_true: boolean;
  readonly disk_encryption: { readonly [member: string]: unknown };
  readonly ignition_endpoint?: { readonly [member: string]: unknown };
  /** JSON object. */
  readonly install_config_overrides?: string;
  readonly tags?: string;
  readonly imported: boolean;
  readonly progress: V2ClusterProgress;
  readonly 'last-installation-preparation': { readonly status: string; readonly reason?: string };
  readonly monitored_operators: readonly V2MonitoredOperator[];
  /** Absent when operators were chosen one by one. */
  readonly operator_bundles?: readonly V2ChosenBundle[];
  /** JSON: category to array of `{id, status, message}`. */
  readonly validations_info: string;
  /** JSON arrays of rule ids. */
  readonly ignored_host_validations?: string;
  readonly ignored_cluster_validations?: string;
  /** JSON object: address → MAC addresses of the machines that answer on it. Absent while there is no such address. */
  readonly ip_collisions?: string;
  /** Absent for a cluster that was made elsewhere. */
  readonly org_soft_timeouts_enabled?: boolean;
  /** JSON object. */
  readonly feature_usage: string;
  readonly logs_info: string;
  readonly controller_logs_started_at: string;
  readonly controller_logs_collected_at: string;
  readonly total_host_count: number;
  readonly enabled_host_count: number;
  readonly ready_host_count: number;
  readonly hosts: readonly V2Host[];
};
