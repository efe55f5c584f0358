export {
  clusterBlockingIds,
  type ClusterBlockingIds,
  clusterConditions,
  type ClusterConditions,
  conditionsWithoutHosts,
  outcomesWithoutHosts,
} from './cluster/cluster-conditions';
export {
  CLUSTER_RULES,
  completeClusterOutcomes,
  evaluateCluster,
  EVALUATED_CLUSTER_STATUSES,
  INITIAL_CLUSTER_OUTCOMES,
  renderClusterOutcome,
} from './cluster/cluster-rules.table';
export { ClusterConnectivity, type Reach, type Reaches } from './connectivity/cluster-connectivity';
export {
  type ClusterSettingsFacts,
  controlPlaneCountOf,
  DEFAULT_CONTROL_PLANE_COUNT,
  externalPlatformNameOf,
  isRouted,
  isSingleNode,
  supportsArbiters,
  toClusterSettingsFacts,
} from './facts/cluster-settings.facts';
export type { ClusterFacts, ClusterHostFacts } from './facts/cluster.facts';
export {
  decisiveVersion,
  effectiveRole,
  GOOD_LATENCY_MS,
  type HostFacts,
  isAfterReboot,
  type RulesPolicy,
  SERVICE_DEFAULTS,
  type WeakPeer,
} from './facts/host.facts';
export { areNetworksAbandoned, defaultRoutes, deriveMachineNetworks, networkOfAddress } from './facts/machine-networks';
export { addressesOf, cidrsOf, type Disk, type Hardware, type Nic, NO_HARDWARE } from './hardware/hardware';
export { hasCores, hasMemory, requirementsForRole, requirementsRole } from './hardware/host-requirements';
export {
  assessDisks,
  chooseInstallationDisk,
  diskIdOf,
  disksToFormat,
  eligibleDisks,
  isDisk,
  sizeReasons,
} from './hardware/installation-disk';
export {
  DEFAULT_REQUIREMENTS,
  type HostRequirements,
  parseRequirements,
  requirementsOf,
  type RequirementsTable,
} from './hardware/requirements';
export {
  DAMPED_CLUSTER_RULES,
  DAMPED_HOST_RULES,
  DEFAULT_FLAP_POLICY,
  type FlapPolicy,
  type Histories,
  nextHistory,
  NO_HISTORY,
  type OutcomeHistory,
} from './history/outcome-history';
export { type FlapWatch, type Remembered, rememberOutcomes } from './history/remember-outcomes';
export { isReplaceableAgent } from './host/agent.rules';
export { isCompatibleManufacturer } from './host/hardware.rules';
export {
  hostBlockingIds,
  type HostBlockingIds,
  hostConditions,
  type HostConditions,
  initialHostConditions,
  recordedBlockingIds,
} from './host/host-conditions';
export {
  completeHostOutcomes,
  evaluateHost,
  HOST_RULES,
  initialHostOutcomes,
  renderHostOutcome,
} from './host/host-rules.table';
export { isHostname, NAME_RESOLUTION_RULES } from './host/name.rules';
export { operatorCluster, operatorHost } from './operators/operator-subjects';
export { CLUSTER_EFFECTS } from './cluster/cluster-rule';
export { HOST_EFFECTS } from './host/host-rule';
export { type BlockingStatus, clusterBlockingStatus, hostBlockingStatus } from './rule/blocking-status';
export { isSameOutcome, type Outcomes, sharedOutcome, sharedOutcomes } from './rule/evaluate-rules';
export {
  ALL_RULES,
  checkOverrides,
  ignorableRules,
  type IgnoredRules,
  NEVER_IGNORABLE_CLUSTER_RULES,
  NEVER_IGNORABLE_HOST_RULES,
  type OverrideSubject,
} from './rule/overrides';
export { durationText, type RenderedOutcome } from './rule/render-outcome';
export { type Outcome, SUPPRESSED } from './rule/rule';
export { compareNumbers, isAtLeast, parseVersion } from '@muster/feature-support';
