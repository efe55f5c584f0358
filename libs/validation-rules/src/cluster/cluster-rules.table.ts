import type { ClusterRule } from './cluster-rule';
import { CONFIGURATION_RULES } from './configuration.rules';
import { HOSTS_RULES } from './hosts.rules';
import { NETWORK_RULES } from './network.rules';
import { CLUSTER_OPERATOR_RULES } from './operator.rules';
import { SETTINGS_RULES } from './settings.rules';
import { VIP_RULES } from './vip.rules';

/** Every rule about a cluster. Gates, the reference page and the tests are derived from these rows. */
export const CLUSTER_RULES: readonly ClusterRule[] = [
  ...SETTINGS_RULES,
  ...VIP_RULES,
  ...NETWORK_RULES,
  ...HOSTS_RULES,
  ...CONFIGURATION_RULES,
  ...CLUSTER_OPERATOR_RULES,
];
