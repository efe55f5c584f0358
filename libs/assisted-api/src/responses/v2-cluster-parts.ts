import { OPERATOR_STATUSES } from '@muster/domain';
import {
  CLOUD_CONTROLLER_MANAGERS,
  ENCRYPTION_MODES,
  PLATFORM_TYPES,
  ROLE_SELECTIONS,
  VIP_VERIFICATIONS,
} from '../requests/wire-values';
import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

const OPERATOR_TYPES = ['builtin', 'olm'];

/** `platform` of the contract. */
export const V2_PLATFORM = Type.Object(
  {
    type: StringEnum<string>(PLATFORM_TYPES),
    external: Type.Optional(
      Type.Object(
        {
          platform_name: Type.Optional(Type.String()),
          cloud_controller_manager: Type.Optional(StringEnum<string>(CLOUD_CONTROLLER_MANAGERS)),
        },
        { title: 'platform_external' },
      ),
    ),
  },
  { title: 'platform' },
);

/** `api_vip` and `ingress_vip` of the contract. */
export const V2_VIP = Type.Object(
  {
    cluster_id: Type.String({ format: 'uuid' }),
    ip: Type.String(),
    verification: StringEnum<string>(VIP_VERIFICATIONS),
  },
  { title: 'vip' },
);

/** `service_network` and `machine_network` of the contract. */
export const V2_NETWORK = Type.Object(
  { cluster_id: Type.String({ format: 'uuid' }), cidr: Type.String() },
  { title: 'network' },
);

/** `cluster_network` of the contract. */
export const V2_CLUSTER_NETWORK = Type.Object(
  { ...V2_NETWORK.properties, host_prefix: Type.Integer() },
  { title: 'cluster_network' },
);

/** `host_network` of the contract. */
export const V2_HOST_NETWORK = Type.Object(
  { cidr: Type.String(), host_ids: Type.Array(Type.String({ format: 'uuid' })) },
  { title: 'host_network' },
);
export type V2HostNetwork = Static<typeof V2_HOST_NETWORK>;

/** `disk-encryption` of the contract. */
export const V2_DISK_ENCRYPTION = Type.Object(
  {
    enable_on: Type.Optional(StringEnum<string>(ROLE_SELECTIONS)),
    mode: Type.Optional(StringEnum<string>(ENCRYPTION_MODES)),
    tang_servers: Type.Optional(Type.String()),
  },
  { title: 'disk-encryption' },
);

/** `ignition-endpoint` of the contract. */
export const V2_IGNITION_ENDPOINT = Type.Object(
  { url: Type.Optional(Type.String()), ca_certificate: Type.Optional(Type.String()) },
  { title: 'ignition-endpoint' },
);

/** `bundle-create-params` of the contract. */
export const V2_CHOSEN_BUNDLE = Type.Object(
  { id: Type.String(), optional_operators: Type.Array(Type.String()) },
  { title: 'bundle-choice' },
);
export type V2ChosenBundle = Static<typeof V2_CHOSEN_BUNDLE>;

/** `monitored-operator` of the contract. */
export const V2_MONITORED_OPERATOR = Type.Object(
  {
    cluster_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    operator_type: StringEnum<string>(OPERATOR_TYPES),
    version: Type.Optional(Type.String()),
    namespace: Type.Optional(Type.String()),
    subscription_name: Type.Optional(Type.String()),
    properties: Type.Optional(Type.String()),
    timeout_seconds: Type.Integer(),
    bundles: Type.Optional(Type.Array(Type.String())),
    source_bundles: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(StringEnum<string>(OPERATOR_STATUSES)),
    status_info: Type.Optional(Type.String()),
    status_updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'monitored-operator' },
);
export type V2MonitoredOperator = Static<typeof V2_MONITORED_OPERATOR>;
