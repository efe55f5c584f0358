/** `infra-env` of the contract. */
export type V2InfraEnv = {
  readonly kind: 'InfraEnv';
  readonly id: string;
  readonly href: string;
  readonly name: string;
  readonly user_name?: string;
  readonly org_id?: string;
  readonly email_domain?: string;
  readonly cluster_id?: string;
  readonly openshift_version?: string;
  readonly cpu_architecture: string;
  /** full-iso, minimal-iso, disconnected-iso. */
  readonly type: string;
  readonly proxy: { readonly http_proxy?: string; readonly https_proxy?: string; readonly no_proxy?: string };
  readonly ssh_authorized_key?: string;
  readonly additional_ntp_sources?: string;
  readonly ntp_sources?: string;
  readonly pull_secret_set: boolean;
  /** JSON array of `{network_yaml, mac_interface_map}`. */
  readonly static_network_config?: string;
  readonly ignition_config_override?: string;
  readonly additional_trust_bundle?: string;
  /** JSON array of `{operation, value}`. */
  readonly kernel_arguments?: string;
  readonly rendezvous_ip?: string;
  readonly network_discovery_delay_seconds?: number;
  readonly download_url?: string;
  readonly expires_at: string;
  /** Of the program that makes the image anew for every download. */
  readonly generator_version?: string;
  /** Of the image as it was last downloaded; absent before that, and once a setting has changed since. */
  readonly size_bytes?: number;
  readonly created_at: string;
  readonly updated_at: string;
};
