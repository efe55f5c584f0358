import { CPU_ARCHITECTURES, DISCOVERY_IMAGE_TYPES } from '../requests/wire-values';
import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

/** `proxy` of the contract. */
export const V2_PROXY = Type.Object(
  {
    http_proxy: Type.Optional(Type.String()),
    https_proxy: Type.Optional(Type.String()),
    no_proxy: Type.Optional(Type.String()),
  },
  { title: 'proxy' },
);

/** `infra-env` of the contract. */
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

/** `presigned-url` of the contract. */
export const V2_SIGNED_URL = Type.Object(
  { url: Type.String(), expires_at: Type.String({ format: 'date-time' }) },
  { title: 'presigned-url' },
);
export type V2SignedUrl = Static<typeof V2_SIGNED_URL>;
