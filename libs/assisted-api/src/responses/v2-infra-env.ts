import { HOST_KINDS, HOST_ROLES, HOST_STAGES, HOST_STATUSES } from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import { isObject, parseJson, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { CPU_ARCHITECTURES, DISCOVERY_IMAGE_TYPES, LOGS_STATES } from '../requests/wire-values';
import { type Static, StringEnum } from '../schema/answer-schema';

/** `proxy` of the v2 API. */
export const V2_PROXY = Type.Object(
  {
    http_proxy: Type.Optional(Type.String()),
    https_proxy: Type.Optional(Type.String()),
    no_proxy: Type.Optional(Type.String()),
  },
  { title: 'proxy' },
);

/** `infra-env` of the v2 API. */
export const V2_INFRA_ENV = Type.Object(
  {
    kind: StringEnum(['InfraEnv']),
    id: Type.String({ format: 'uuid' }),
    href: Type.String(),
    name: Type.String(),
    user_name: Type.Optional(Type.String()),
    org_id: Type.Optional(Type.String()),
    email_domain: Type.Optional(Type.String()),
    cluster_id: Type.Optional(Type.String({ format: 'uuid' })),
    openshift_version: Type.Optional(Type.String()),
    cpu_architecture: StringEnum<string>(CPU_ARCHITECTURES),
    type: StringEnum<string>(DISCOVERY_IMAGE_TYPES),
    proxy: V2_PROXY,
    ssh_authorized_key: Type.Optional(Type.String()),
    additional_ntp_sources: Type.Optional(Type.String()),
    ntp_sources: Type.Optional(Type.String()),
    pull_secret_set: Type.Boolean(),
    static_network_config: Type.Optional(Type.String()),
    ignition_config_override: Type.Optional(Type.String()),
    additional_trust_bundle: Type.Optional(Type.String()),
    kernel_arguments: Type.Optional(Type.String()),
    rendezvous_ip: Type.Optional(Type.String()),
    network_discovery_delay_seconds: Type.Optional(Type.Integer({ minimum: 0 })),
    download_url: Type.Optional(Type.String()),
    expires_at: Type.String({ format: 'date-time' }),
    generator_version: Type.Optional(Type.String()),
    size_bytes: Type.Optional(Type.Integer({ minimum: 0 })),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'infra-env' },
);
export type V2InfraEnv = Static<typeof V2_INFRA_ENV>;

/** `presigned-url` of the v2 API. */
export const V2_SIGNED_URL = Type.Object(
  { url: Type.String(), expires_at: Type.String({ format: 'date-time' }) },
  { title: 'presigned-url' },
);
export type V2SignedUrl = Static<typeof V2_SIGNED_URL>;

/** Whether a disk is eligible for the installation, stored in the host's document. */
export interface DiskEligibility {
  /** The name in the inventory: `sda`. */
  readonly name: string;
  /** The id of the disk in every API. Agents may omit it. */
  readonly id: string;
  /** Why it cannot be the installation disk. Empty when it can. */
  readonly reasons: readonly string[];
  /** The reasons that do not depend on the role of the host. */
  readonly lastingReasons: readonly string[];
  readonly sizeBytes: number;
}

/** Maximum total length of kept inventories, as reported and with the eligibility of their disks: at 15 KB each, those of 2,000 hosts. */
const CACHE_MAX_CHARACTERS = 64 * 1024 * 1024;
/** By list of disks: a list is never changed in place and belongs to one inventory. */
const shown = new BoundedMap<readonly DiskEligibility[], { readonly given: string; readonly text: string }>(
  CACHE_MAX_CHARACTERS,
);

/**
 * The inventory of a host with `id` and `installation_eligibility` of each disk that is known. JSON text in and out; every
 * other member, and a disk without an evaluation, stays as the agent sent it. Undefined disks change nothing.
 */
export function withDiskEligibility(inventoryText: string, disks: readonly DiskEligibility[] | undefined): string {
  if (!disks || disks.length === 0) return inventoryText;
  const known = shown.get(disks);
  if (known?.given === inventoryText) return known.text;
  const text = merged(inventoryText, disks);
  shown.set(disks, { given: inventoryText, text }, inventoryText.length + text.length);
  return text;
}

function merged(inventoryText: string, disks: readonly DiskEligibility[]): string {
  const inventory = parseJson(inventoryText);
  if (!isObject(inventory) || !Array.isArray(inventory['disks'])) return inventoryText;
  const byName = new Map(disks.map((disk) => [disk.name, disk]));
  return JSON.stringify({
    ...inventory,
    disks: inventory['disks'].map((disk: unknown) => {
      const found = byName.get(textAt(disk, 'name') ?? '');
      if (!isObject(disk) || !found) return disk;
      const { id, reasons } = found;
      const eligibility = { eligible: reasons.length === 0, not_eligible_reasons: reasons };
      return { ...disk, id, installation_eligibility: eligibility };
    }),
  });
}

const MEDIA_STATUSES = ['connected', 'disconnected'];

/** `host-progress-info` of the v2 API. */
export const V2_HOST_PROGRESS = Type.Object(
  {
    current_stage: Type.Optional(StringEnum<string>(HOST_STAGES)),
    progress_info: Type.Optional(Type.String()),
    installation_percentage: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    stage_started_at: Type.String({ format: 'date-time' }),
    stage_updated_at: Type.String({ format: 'date-time' }),
    stage_timed_out: Type.Optional(Type.Boolean()),
  },
  { title: 'host-progress-info' },
);
export type V2HostProgress = Static<typeof V2_HOST_PROGRESS>;

/** `host` of the v2 API. */
export const V2_HOST = Type.Object(
  {
    kind: StringEnum<string>(HOST_KINDS),
    id: Type.String({ format: 'uuid' }),
    href: Type.String(),
    infra_env_id: Type.String({ format: 'uuid' }),
    cluster_id: Type.Optional(Type.String({ format: 'uuid' })),
    user_name: Type.Optional(Type.String()),
    status: StringEnum<string>(HOST_STATUSES),
    status_info: Type.String(),
    status_updated_at: Type.String({ format: 'date-time' }),
    role: StringEnum<string>(HOST_ROLES),
    suggested_role: Type.Optional(StringEnum<string>(HOST_ROLES)),
    bootstrap: Type.Boolean(),
    requested_hostname: Type.Optional(Type.String()),
    machine_config_pool_name: Type.Optional(Type.String()),
    discovery_agent_version: Type.Optional(Type.String()),
    installer_version: Type.Optional(Type.String()),
    media_status: StringEnum<string>(MEDIA_STATUSES),
    progress: V2_HOST_PROGRESS,
    progress_stages: Type.Array(StringEnum(HOST_STAGES)),
    stage_started_at: Type.String({ format: 'date-time' }),
    stage_updated_at: Type.String({ format: 'date-time' }),
    connection_timed_out: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    deleted_at: Type.Optional(Type.String({ format: 'date-time' })),
    registered_at: Type.String({ format: 'date-time' }),
    checked_in_at: Type.String({ format: 'date-time' }),
    timestamp: Type.Optional(Type.Integer()),
    logs_info: StringEnum<string>(LOGS_STATES),
    logs_started_at: Type.String({ format: 'date-time' }),
    logs_collected_at: Type.String({ format: 'date-time' }),
    installation_disk_id: Type.Optional(Type.String()),
    installation_disk_path: Type.Optional(Type.String()),
    disks_to_be_formatted: Type.Optional(Type.String()),
    skip_formatting_disks: Type.Optional(Type.String()),
    installer_args: Type.Optional(Type.String()),
    node_labels: Type.Optional(Type.String()),
    ignition_endpoint_token_set: Type.Optional(Type.Boolean()),
    fencing_credentials: Type.Optional(Type.String()),
    validations_info: Type.String(),
    inventory: Type.Optional(Type.String()),
    connectivity: Type.Optional(Type.String()),
    free_addresses: Type.Optional(Type.String()),
    api_vip_connectivity: Type.Optional(Type.String()),
    tang_connectivity: Type.Optional(Type.String()),
    ignition_config_overrides: Type.Optional(Type.String()),
    ntp_sources: Type.Optional(Type.String()),
    disks_info: Type.Optional(Type.String()),
    images_status: Type.Optional(Type.String()),
    domain_name_resolutions: Type.Optional(Type.String()),
  },
  { title: 'host' },
);
export type V2Host = Static<typeof V2_HOST>;
