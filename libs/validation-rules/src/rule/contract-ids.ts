import type { OperatorName } from '@muster/operators';

/** The v2 API has an earlier name of one operator in the id of its validation. */
type NameInRuleId = Exclude<OperatorName, 'numaresources'> | 'numa-resources';

/** One validation per operator, on hosts and on clusters. */
export type OperatorRuleId = `${NameInRuleId}-requirements-satisfied`;

/** `host-validation-id` of the v2 API, without the ids that no rule produces. */
export const HOST_RULE_IDS = [
  'connected',
  'media-connected',
  'has-inventory',
  'inventory-not-partially-truncated',
  'inventory-not-fully-truncated',
  'has-min-cpu-cores',
  'has-min-valid-disks',
  'has-min-memory',
  'machine-cidr-defined',
  'has-cpu-cores-for-role',
  'has-memory-for-role',
  'hostname-unique',
  'hostname-valid',
  'belongs-to-machine-cidr',
  'ignition-downloadable',
  'belongs-to-majority-group',
  'valid-platform-network-settings',
  'ntp-synced',
  'time-synced-between-host-and-service',
  'container-images-available',
  'sufficient-installation-disk-speed',
  'sufficient-network-latency-requirement-for-role',
  'sufficient-packet-loss-requirement-for-role',
  'has-default-route',
  'api-domain-name-resolved-correctly',
  'api-int-domain-name-resolved-correctly',
  'apps-domain-name-resolved-correctly',
  'compatible-with-cluster-platform',
  'dns-wildcard-not-configured',
  'disk-encryption-requirements-satisfied',
  'non-overlapping-subnets',
  'vsphere-disk-uuid-enabled',
  'compatible-agent',
  'no-skip-installation-disk',
  'no-skip-missing-disk',
  'no-ip-collisions-in-network',
  'no-iscsi-nic-belongs-to-machine-cidr',
  'mtu-valid',
] as const;
export type HostRuleId = (typeof HOST_RULE_IDS)[number] | OperatorRuleId;

/** `cluster-validation-id` of the v2 API, without the ids that no rule produces. */
export const CLUSTER_RULE_IDS = [
  'machine-cidr-defined',
  'cluster-cidr-defined',
  'service-cidr-defined',
  'no-cidrs-overlapping',
  'networks-same-address-families',
  'network-prefix-valid',
  'machine-cidr-equals-to-calculated-cidr',
  'api-vips-defined',
  'api-vips-valid',
  'ingress-vips-defined',
  'ingress-vips-valid',
  'all-hosts-are-ready-to-install',
  'sufficient-masters-count',
  'dns-domain-defined',
  'pull-secret-set',
  'ntp-server-configured',
  'network-type-valid',
  'custom-manifests-requirements-satisfied',
  'platform-requirements-satisfied',
  'openshift-ai-gpu-requirements-satisfied',
] as const;
export type ClusterRuleId = (typeof CLUSTER_RULE_IDS)[number] | OperatorRuleId;

/** Ids of the v2 API that are never computed: a legacy operator, and a check that assisted-service v2 has disabled. */
export const RETIRED_RULE_IDS = ['ocs-requirements-satisfied', 'release-domain-name-resolved-correctly'] as const;

export const operatorRuleId = (name: OperatorName): OperatorRuleId =>
  `${name === 'numaresources' ? 'numa-resources' : name}-requirements-satisfied`;
