import type { HostStage } from '@muster/domain';

/** `host-progress-info` of the contract. */
export type V2HostProgress = {
  readonly current_stage?: string;
  readonly progress_info?: string;
  /** 0 to 100. */
  readonly installation_percentage?: number;
  readonly stage_started_at: string;
  readonly stage_updated_at: string;
  readonly stage_timed_out?: boolean;
};

/** `host` of the contract. Members named "JSON" hold a JSON document as text. */
export type V2Host = {
  readonly kind: string;
  readonly id: string;
  readonly href: string;
  readonly infra_env_id: string;
  readonly cluster_id?: string;
  readonly user_name?: string;
  readonly status: string;
  readonly status_info: string;
  readonly status_updated_at: string;
  readonly role: string;
  readonly suggested_role?: string;
  readonly bootstrap: boolean;
  readonly requested_hostname?: string;
  readonly machine_config_pool_name?: string;
  readonly discovery_agent_version?: string;
  readonly media_status: string;
  readonly progress: V2HostProgress;
  readonly progress_stages: readonly HostStage[];
  readonly stage_started_at: string;
  readonly stage_updated_at: string;
  readonly connection_timed_out: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** Absent while it has not been deleted. */
  readonly deleted_at?: string;
  readonly registered_at: string;
  readonly checked_in_at: string;
  /** What the machine's clock said when it asked last, seconds since the epoch; absent when it did not say. */
  readonly timestamp?: number;
  readonly logs_info: string;
  readonly logs_started_at: string;
  readonly logs_collected_at: string;
  readonly installation_disk_id?: string;
  readonly installation_disk_path?: string;
  /** Comma separated disk ids. */
  readonly disks_to_be_formatted?: string;
  readonly skip_formatting_disks?: string;
  /** JSON array of words. */
  readonly installer_args?: string;
  /** JSON object. */
  readonly node_labels?: string;
  readonly ignition_endpoint_token_set?: boolean;
  /** Says that there are credentials, never which: they are sealed. */
  readonly fencing_credentials?: string;
  /** JSON: category to array of `{id, status, message}`. */
  readonly validations_info: string;
  /** JSON, as all that follow. */
  readonly inventory?: string;
  readonly connectivity?: string;
  readonly free_addresses?: string;
  readonly api_vip_connectivity?: string;
  readonly tang_connectivity?: string;
  readonly ignition_config_overrides?: string;
  readonly ntp_sources?: string;
  readonly disks_info?: string;
  readonly images_status?: string;
  readonly domain_name_resolutions?: string;
};
