import { CPU_ARCHITECTURES, DISCOVERY_IMAGE_TYPES } from '../requests/wire-values';
import { choice, flag, maybe, record, text, time, uuid, whole, word, type Static } from '../schema/answer-schema';

/** `proxy` of the contract. */
export const V2_PROXY = record('proxy', {
  http_proxy: maybe(text()),
  https_proxy: maybe(text()),
  no_proxy: maybe(text()),
});

/** `infra-env` of the contract. */
export const V2_INFRA_ENV = record('infra-env', {
  kind: choice(['InfraEnv']),
  id: uuid(),
  href: text(),
  name: text(),
  user_name: maybe(text()),
  org_id: maybe(text()),
  email_domain: maybe(text()),
  cluster_id: maybe(uuid()),
  openshift_version: maybe(text()),
  cpu_architecture: word(CPU_ARCHITECTURES),
  type: word(DISCOVERY_IMAGE_TYPES),
  proxy: V2_PROXY,
  ssh_authorized_key: maybe(text()),
  additional_ntp_sources: maybe(text()),
  ntp_sources: maybe(text()),
  pull_secret_set: flag(),
  static_network_config: maybe(text()),
  ignition_config_override: maybe(text()),
  additional_trust_bundle: maybe(text()),
  kernel_arguments: maybe(text()),
  rendezvous_ip: maybe(text()),
  network_discovery_delay_seconds: maybe(whole({ minimum: 0 })),
  download_url: maybe(text()),
  expires_at: time(),
  generator_version: maybe(text()),
  size_bytes: maybe(whole({ minimum: 0 })),
  created_at: time(),
  updated_at: time(),
});
export type V2InfraEnv = Static<typeof V2_INFRA_ENV>;

/** `presigned-url` of the contract. */
export const V2_SIGNED_URL = record('presigned-url', { url: text(), expires_at: time() });
export type V2SignedUrl = Static<typeof V2_SIGNED_URL>;
