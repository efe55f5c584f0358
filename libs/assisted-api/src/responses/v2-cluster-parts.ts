import { OPERATOR_STATUSES } from '@muster/domain';
import {
  CLOUD_CONTROLLER_MANAGERS,
  ENCRYPTION_MODES,
  PLATFORM_TYPES,
  ROLE_SELECTIONS,
  VIP_VERIFICATIONS,
} from '../requests/wire-values';
import { list, maybe, record, text, time, uuid, whole, word, type Static } from '../schema/answer-schema';

const OPERATOR_TYPES = ['builtin', 'olm'];

/** `platform` of the contract. */
export const V2_PLATFORM = record('platform', {
  type: word(PLATFORM_TYPES),
  external: maybe(
    record('platform_external', {
      platform_name: maybe(text()),
      cloud_controller_manager: maybe(word(CLOUD_CONTROLLER_MANAGERS)),
    }),
  ),
});

/** `api_vip` and `ingress_vip` of the contract. */
export const V2_VIP = record('vip', {
  cluster_id: uuid(),
  ip: text(),
  verification: word(VIP_VERIFICATIONS),
});

/** `service_network` and `machine_network` of the contract. */
export const V2_NETWORK = record('network', { cluster_id: uuid(), cidr: text() });

/** `cluster_network` of the contract. */
export const V2_CLUSTER_NETWORK = record('cluster_network', { ...V2_NETWORK.members, host_prefix: whole() });

/** `host_network` of the contract. */
export const V2_HOST_NETWORK = record('host_network', { cidr: text(), host_ids: list(uuid()) });
export type V2HostNetwork = Static<typeof V2_HOST_NETWORK>;

/** `disk-encryption` of the contract. */
export const V2_DISK_ENCRYPTION = record('disk-encryption', {
  enable_on: maybe(word(ROLE_SELECTIONS)),
  mode: maybe(word(ENCRYPTION_MODES)),
  tang_servers: maybe(text()),
});

/** `ignition-endpoint` of the contract. */
export const V2_IGNITION_ENDPOINT = record('ignition-endpoint', { url: maybe(text()), ca_certificate: maybe(text()) });

/** `bundle-create-params` of the contract. */
export const V2_CHOSEN_BUNDLE = record('bundle-choice', { id: text(), optional_operators: list(text()) });
export type V2ChosenBundle = Static<typeof V2_CHOSEN_BUNDLE>;

/** `monitored-operator` of the contract. */
export const V2_MONITORED_OPERATOR = record('monitored-operator', {
  cluster_id: uuid(),
  name: text(),
  operator_type: word(OPERATOR_TYPES),
  version: maybe(text()),
  namespace: maybe(text()),
  subscription_name: maybe(text()),
  properties: maybe(text()),
  timeout_seconds: whole(),
  bundles: maybe(list(text())),
  source_bundles: maybe(list(text())),
  status: maybe(word(OPERATOR_STATUSES)),
  status_info: maybe(text()),
  status_updated_at: time(),
});
export type V2MonitoredOperator = Static<typeof V2_MONITORED_OPERATOR>;
