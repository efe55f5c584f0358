import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

export const EVENT_SEVERITIES = ['info', 'warning', 'error', 'critical'] as const;
export type EventSeverity = (typeof EVENT_SEVERITIES)[number];
export const EVENT_CATEGORIES = ['user', 'metrics'] as const;
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** `event` of the v2 API in lists. Category and request id are used for filters and are not returned. */
export const V2_EVENT = Type.Object(
  {
    name: Type.String(),
    cluster_id: Type.Optional(Type.String({ format: 'uuid' })),
    host_id: Type.Optional(Type.String({ format: 'uuid' })),
    infra_env_id: Type.Optional(Type.String({ format: 'uuid' })),
    severity: StringEnum(EVENT_SEVERITIES),
    message: Type.String(),
    event_time: Type.String({ format: 'date-time' }),
    props: Type.String(),
  },
  { title: 'event' },
);
export type V2Event = Static<typeof V2_EVENT>;

/**
 * The source of an event name of the v2 API in the event log: a stored event, a refused command, a report of a program,
 * or none.
 */
export type EventOrigin = 'event' | 'refusal' | 'report' | 'never';

export interface EventNameRow {
  readonly name: string;
  readonly origin: EventOrigin;
  /** When it is sent. For `never`: why it is not sent. */
  readonly when: string;
}

/** Every event name of assisted-service v2, and when Muster sends it. */
export const EVENT_NAMES: readonly EventNameRow[] = [
  { name: 'api_ingress_vip_updated', origin: 'event', when: 'The VIPs of a cluster were allocated by DHCP.' },
  {
    name: 'cluster_degraded_OLM_operators_failed',
    origin: 'event',
    when: 'A cluster is installed without some of its operators.',
  },
  { name: 'cluster_deregistered', origin: 'event', when: 'A cluster is deleted.' },
  { name: 'cluster_finalizing_stage_updated', origin: 'event', when: 'A cluster reaches a finalizing stage.' },
  { name: 'cluster_installation_canceled', origin: 'event', when: 'An installation is cancelled.' },
  { name: 'cluster_installation_completed', origin: 'event', when: 'A cluster is installed.' },
  { name: 'cluster_installation_failed', origin: 'event', when: 'An installation fails.' },
  { name: 'cluster_installation_reset', origin: 'event', when: 'An installation is reset.' },
  { name: 'cluster_logs_uploaded', origin: 'event', when: 'Logs of the controller were uploaded.' },
  { name: 'cluster_operator_status', origin: 'event', when: 'A monitored operator changes its status.' },
  {
    name: 'cluster_prepare_installation_started',
    origin: 'event',
    when: 'The installation artifacts of a cluster are ready.',
  },
  { name: 'cluster_registration_succeeded', origin: 'event', when: 'A cluster is created or imported.' },
  { name: 'cluster_status_updated', origin: 'event', when: 'A cluster enters a status.' },
  { name: 'cluster_validation_failed', origin: 'event', when: 'A validation of a cluster that passed fails.' },
  { name: 'cluster_validation_fixed', origin: 'event', when: 'A validation of a cluster that failed passes.' },
  { name: 'clusters_permanently_deleted', origin: 'event', when: 'The retention period of a deleted cluster ends.' },
  { name: 'disk_speed_slower_than_supported', origin: 'event', when: 'A disk flushes writes too slowly for etcd.' },
  { name: 'finalizing_stage_timed_out', origin: 'event', when: 'A finalizing stage takes longer than expected.' },
  { name: 'host_bind_succeeded', origin: 'event', when: 'A host is bound to a cluster.' },
  { name: 'host_bootstrap_set', origin: 'event', when: 'A host is selected as bootstrap host.' },
  { name: 'host_deregistered', origin: 'event', when: 'A host is removed.' },
  { name: 'host_discovery_ignition_config_applied', origin: 'event', when: 'The ignition override of a host is set.' },
  { name: 'host_install_progress_updated', origin: 'event', when: 'A host reports progress.' },
  { name: 'host_installation_cancelled', origin: 'event', when: 'A host enters the status cancelled.' },
  { name: 'host_installation_reset', origin: 'event', when: 'A host is reset.' },
  {
    name: 'host_installation_started',
    origin: 'event',
    when: 'A host that is added to an installed cluster begins to install.',
  },
  { name: 'host_installer_args_applied', origin: 'event', when: 'Installer arguments of a host are set.' },
  { name: 'host_logs_uploaded', origin: 'event', when: 'Logs of a host were uploaded.' },
  { name: 'host_media_disconnected', origin: 'event', when: 'A host cannot read its discovery image any more.' },
  { name: 'host_registration_succeeded', origin: 'event', when: 'A host registers for the first time.' },
  { name: 'host_role_updated', origin: 'event', when: 'Another role is suggested for a host.' },
  { name: 'host_stage_timed_out', origin: 'event', when: 'A host is in a stage for longer than expected.' },
  { name: 'host_status_updated', origin: 'event', when: 'A host enters a status.' },
  { name: 'host_unbind_succeeded', origin: 'event', when: 'A host is unbound from its cluster.' },
  { name: 'host_validation_failed', origin: 'event', when: 'A validation of a host that passed fails.' },
  { name: 'host_validation_fixed', origin: 'event', when: 'A validation of a host that failed passes.' },
  { name: 'ignition_config_image_generated', origin: 'event', when: 'An image is downloaded for the first time.' },
  {
    name: 'image_info_updated',
    origin: 'event',
    when: 'Settings of an image, or the signing key of its URLs, change.',
  },
  {
    name: 'image_status_updated',
    origin: 'event',
    when: 'A host reports for the first time whether it could pull an image.',
  },
  { name: 'infra_env_deregistered', origin: 'event', when: 'An infra-env is deleted.' },
  { name: 'infra_env_registered', origin: 'event', when: 'An infra-env is created.' },
  { name: 'install_config_applied', origin: 'event', when: 'Install-config overrides are set.' },
  { name: 'installation_preparing_timed_out', origin: 'event', when: 'The preparation exceeds its time limit.' },
  {
    name: 'prepare_installation_failed',
    origin: 'event',
    when: 'The installation artifacts of a cluster could not be created.',
  },
  { name: 'proxy_settings_changed', origin: 'event', when: 'The proxy of a cluster changes.' },
  { name: 'quick_disk_format_performed', origin: 'event', when: 'A disk with another boot record is cleaned.' },
  { name: 'quick_disk_format_skipped', origin: 'event', when: 'A disk with another boot record is skipped.' },
  {
    name: 'user_required_complete_installation_reset',
    origin: 'event',
    when: 'A host that was reset must be booted manually.',
  },
  { name: 'validations_ignored', origin: 'event', when: 'A cluster is installed although validations are ignored.' },
  { name: 'cancel_installation_failed', origin: 'refusal', when: 'Cancelling an installation is refused.' },
  { name: 'cluster_deregister_failed', origin: 'refusal', when: 'Deleting a cluster is refused.' },
  { name: 'host_bind_failed', origin: 'refusal', when: 'Binding a host is refused.' },
  { name: 'host_installation_reset_failed', origin: 'refusal', when: 'Resetting a host is refused.' },
  { name: 'host_registration_failed', origin: 'refusal', when: 'A registration is refused.' },
  { name: 'host_unbind_failed', origin: 'refusal', when: 'Unbinding a host is refused.' },
  { name: 'infra_env_deregister_failed', origin: 'refusal', when: 'Deleting an infra-env is refused.' },
  { name: 'reset_installation_failed', origin: 'refusal', when: 'Resetting an installation is refused.' },
  {
    name: 'cluster_operator_report',
    origin: 'report',
    when: 'The controller reports at the end of an installation which operators failed.',
  },
  {
    name: 'reboots_for_node',
    origin: 'report',
    when: 'The controller posts it as a separate event, which is stored unchanged.',
  },
  {
    name: 'upgrade_agent_failed',
    origin: 'report',
    when: 'An agent reports a failed upgrade; at most once an hour.',
  },
  { name: 'upgrade_agent_finished', origin: 'report', when: 'An agent reports its upgrade; at most once an hour.' },
  {
    name: 'upgrade_agent_started',
    origin: 'report',
    when: 'An agent of another version receives the upgrade step; at most once an hour.',
  },
  {
    name: 'after_inactivity_cluster_deregistered',
    origin: 'never',
    when: 'Clusters stay until a user deletes them.',
  },
  {
    name: 'api_ingress_vip_timed_out',
    origin: 'never',
    when: 'No deadline waits for leased addresses; the validations of the VIPs report missing addresses.',
  },
  {
    name: 'cancel_install_commit_failed',
    origin: 'never',
    when: 'Cancelling is one event, not a transaction with a commit.',
  },
  {
    name: 'cancel_install_start_failed',
    origin: 'never',
    when: 'Cancelling is one event, not a transaction with a begin.',
  },
  {
    name: 'existing_image_reused',
    origin: 'never',
    when: 'Images are created during the download from the current settings.',
  },
  {
    name: 'expired_image_deleted',
    origin: 'never',
    when: 'Images are created during the download. No image is kept that could expire.',
  },
  {
    name: 'generate_image_fetch_failed',
    origin: 'never',
    when: 'A download of a missing base image is answered with 503 and the reason.',
  },
  {
    name: 'generate_image_format_failed',
    origin: 'never',
    when: 'Settings that do not fit into an image are refused immediately.',
  },
  {
    name: 'generate_minimal_iso_failed',
    origin: 'never',
    when: 'Images are created during the download. A failure ends the download with the reason.',
  },
  {
    name: 'host_approved_updated',
    origin: 'never',
    when: 'Approval belongs to the Kubernetes API, which is not implemented.',
  },
  {
    name: 'host_boot_logs_uploaded',
    origin: 'never',
    when: "The v2 API has no logs of a host's boot: `logs_type` is host or controller.",
  },
  {
    name: 'host_cancel_installation_failed',
    origin: 'never',
    when: 'Hosts are cancelled with their cluster. No host can refuse it.',
  },
  {
    name: 'host_registration_setting_properties_failed',
    origin: 'never',
    when: 'A registration is one event. Nothing is set after it.',
  },
  { name: 'host_reset_fetch_failed', origin: 'never', when: 'Hosts are not read one by one for a reset.' },
  {
    name: 'host_set_status_failed',
    origin: 'never',
    when: 'A status follows from stored events, so it cannot fail separately.',
  },
  { name: 'inactive_clusters_deregistered', origin: 'never', when: 'Clusters stay until a user deletes them.' },
  {
    name: 'infra_env_registration_failed',
    origin: 'never',
    when: 'A refused registration has no id. The response states the reason.',
  },
  { name: 'upload_image_failed', origin: 'never', when: 'Images are not uploaded.' },
];

/** Event names that assisted-service v2 does not have. */
export const OWN_EVENT_NAMES: readonly EventNameRow[] = [
  { name: 'release_read', origin: 'event', when: 'The release image of a cluster was read for its installation.' },
  {
    name: 'cluster_validation_flapping_ended',
    origin: 'event',
    when: 'A flapping validation of a cluster is stable again.',
  },
  { name: 'cluster_validation_flapping_started', origin: 'event', when: 'A validation of a cluster is flapping.' },
  { name: 'host_identity_conflict_detected', origin: 'event', when: 'Two running machines use the id of one host.' },
  { name: 'host_identity_conflict_resolved', origin: 'event', when: 'Only one machine still uses the id of the host.' },
  {
    name: 'host_step_failed',
    origin: 'report',
    when: 'A step of an agent fails, for example because the machine lacks a program; at most once an hour per reason until the step succeeds.',
  },
  {
    name: 'host_validation_flapping_ended',
    origin: 'event',
    when: 'A flapping validation of a host is stable again.',
  },
  { name: 'host_validation_flapping_started', origin: 'event', when: 'A validation of a host is flapping.' },
  { name: 'validation_overrides_removed', origin: 'event', when: 'All validations of a cluster count again.' },
  { name: 'validation_overrides_set', origin: 'event', when: 'Validations of a cluster are ignored by an override.' },
];
