import { Type } from '@sinclair/typebox';
import { type Static } from '@muster/assisted-api';

const CLUSTER_NETWORKS = Type.Array(
  Type.Object({ cidr: Type.String(), host_prefix: Type.Integer() }, { title: 'default_cluster_network' }),
);
const SERVICE_NETWORKS = Type.Array(Type.Object({ cidr: Type.String() }, { title: 'default_service_network' }));

/** `cluster_default_config` of the contract. */
export const V2_DEFAULT_CONFIG = Type.Object(
  {
    cluster_network_cidr: Type.String(),
    cluster_network_host_prefix: Type.Integer(),
    service_network_cidr: Type.String(),
    ntp_source: Type.String(),
    inactive_deletion_hours: Type.Integer(),
    cluster_networks_ipv4: CLUSTER_NETWORKS,
    cluster_networks_dualstack: CLUSTER_NETWORKS,
    service_networks_ipv4: SERVICE_NETWORKS,
    service_networks_dualstack: SERVICE_NETWORKS,
    forbidden_hostnames: Type.Array(Type.String()),
  },
  { title: 'cluster_default_config' },
);
export type V2DefaultConfig = Static<typeof V2_DEFAULT_CONFIG>;

const CLUSTER_NETWORK_IPV4 = { cidr: '10.128.0.0/14', host_prefix: 23 };
const CLUSTER_NETWORK_IPV6 = { cidr: 'fd01::/48', host_prefix: 64 };
const SERVICE_NETWORK_IPV4 = { cidr: '172.30.0.0/16' };
const SERVICE_NETWORK_IPV6 = { cidr: 'fd02::/112' };

/** Names that every machine has for itself, so that they do not identify a host. */
const FORBIDDEN_HOSTNAMES = [
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
];

/** What a console fills its forms with. */
export function toDefaultConfig(settings: {
  readonly ntpDefaultServer: string;
  readonly inactiveDeletionHours: number;
}): V2DefaultConfig {
  return {
    cluster_network_cidr: CLUSTER_NETWORK_IPV4.cidr,
    cluster_network_host_prefix: CLUSTER_NETWORK_IPV4.host_prefix,
    service_network_cidr: SERVICE_NETWORK_IPV4.cidr,
    ntp_source: settings.ntpDefaultServer,
    inactive_deletion_hours: settings.inactiveDeletionHours,
    cluster_networks_ipv4: [CLUSTER_NETWORK_IPV4],
    cluster_networks_dualstack: [CLUSTER_NETWORK_IPV4, CLUSTER_NETWORK_IPV6],
    service_networks_ipv4: [SERVICE_NETWORK_IPV4],
    service_networks_dualstack: [SERVICE_NETWORK_IPV4, SERVICE_NETWORK_IPV6],
    forbidden_hostnames: FORBIDDEN_HOSTNAMES,
  };
}
