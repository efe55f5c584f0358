export {
  architectureRefusal,
  CLUSTER_PERMISSIONS,
  type ClusterAction,
  clusterActionRefusal,
  clusterAdmissionRefusal,
  clusterPermits,
  type HostAction,
  hostBootsFromDisk,
  hostPermits,
  placementIn,
} from './permissions';
export {
  isMaskedProxyUrl,
  MASK,
  maskedProxyUrl,
  proxyCredentialsRefusal,
  withoutCredentials,
  wrongHostIn,
} from './text-forms';
export { controlPlaneHostsOf, hostFeatureRefusal, infraEnvFeatureRefusal } from './feature-refusals';
export {
  type Manifest,
  type ManifestCommand,
  manifestDecider,
  manifestKey,
  manifestNotFound,
  manifestsSizeFault,
  manifestTextMissing,
  type ManifestSource,
  type ManifestsState,
  userManifestsAfter,
} from './manifest-decider';
export {
  clusterFinishedAt,
  FINISHED_HOSTS,
  isClosedCluster,
  isClosedHost,
  isHostNeeded,
  isInfraEnvNeeded,
} from './closed';
export {
  clusterOfHostAfter,
  clusterOfInfraEnvAfter,
  type ConcernedParts,
  concernedParts,
  type HostKeys,
  Membership,
  type MembershipChange,
} from './membership';
export { type ArtifactCommand, artifactDecider, type ArtifactsState } from './artifact-decider';
export { NOT_EVALUATED } from './evaluated-inputs';
export {
  MAX_STATUS_INFO_BYTES,
  NO_REASON,
  type StatusReason,
  truncateUtf8,
  type ValidationMessages,
} from './status-reason';
export type { ClusterCommand, ClusterCommandType, ReleaseDownload } from './cluster/commands';
export { CLUSTER_TIMEOUT_TABLE, clusterDeadlines, clusterTimeouts, type ClusterTimeouts } from './cluster/deadlines';
export { CLUSTER_TABLE, clusterDecider, createClusterDecider } from './cluster/decider';
export { evolveCluster } from './cluster/evolve';
export {
  clusterFollowUps,
  type ClusterSurroundings,
  isInstallationComplete,
  summarizeMembers,
} from './cluster/follow-ups';
export { controlPlaneCounts } from './cluster/input/choice.rules';
export { clusterReason, explainClusterStatus, renderClusterStatus } from './cluster/messages';
export {
  decideOperators,
  isSingleNodeRequested,
  readInstallConfigOverrides,
  waitsForClusterVersion,
} from './cluster/operators';
export { DEFAULT_CLUSTER_NETWORKS, mergeClusterSettings } from './cluster/settings';
export {
  CLUSTER_DEADLINES,
  CLUSTER_KINDS,
  CLUSTER_STATUSES,
  type ClusterKind,
  type ClusterState,
  FINALIZING_STAGES,
  initialClusterState,
  OPEN_STATUSES,
  OPERATOR_STATUSES,
} from './cluster/state';
export type { HostCommand, HostCommandType, HostSurroundings } from './host/commands';
export { HOST_TIMEOUT_TABLE, hostDeadlines, hostTimeouts, type HostTimeouts } from './host/deadlines';
export { createHostDecider, HOST_TABLE, hostDecider } from './host/decider';
export { evolveHost, hostGenerationAfter } from './host/evolve';
export {
  hostnameRefusal,
  hostNotFound,
  installationDiskLabel,
  isAnotherMachine,
  isOtherMachine,
  keptDisksRefusal,
  machineOf,
  measurementOfValidation,
  installerArgsRefusal,
  nodeLabelsRefusal,
  poolNameRefusal,
} from './host/input';
export { type ConflictingMachines, hostReason, renderHostStatus } from './host/messages';
export { HOST_STAGES, type HostStage, hostStages, STAGE_LISTS } from './host/stages';
export {
  effectiveRole,
  HOST_KINDS,
  HOST_ROLES,
  HOST_STATUSES,
  type HostState,
  initialHost,
  isAbsentHost,
  isDay2,
  isRoleConfirmed,
  mayBeBootstrap,
} from './host/state';
export type { InfraEnvCommand } from './infra-env/commands';
export { INFRA_ENV_TABLE, infraEnvDecider } from './infra-env/decider';
export { readKernelArguments, trustBundleProblem } from './infra-env/input';
export { INFRA_ENV_VARIABLES } from './infra-env/rows';
export { defaultImageType, type InfraEnvState } from './infra-env/state';
export {
  chooseBootstrap,
  diskRefusal,
  installableDisks,
  type SuggestedRole,
  suggestRoles,
  toRoleCandidates,
} from './roles/suggest-roles';
export { imagesOf } from './steps/installation-steps';
export { lacksCoreosImage } from './steps/installation-steps';
export { ignitionBase } from './steps/network-steps';
export { PollScheduler } from './steps/pacing';
export { CHECKED_HOSTS_CHARACTERS_MAX, RemoteHosts, type StepOtherHost } from './steps/remote-hosts';
export type { StepCluster, StepContext, StepHost, StepImages, StepSettings } from './steps/step-context';
export { commandsOfReply, inventoryRefusal, isReport, isSecondStart, shownError } from './steps/step-replies';
export { hasTooManyPeers, planSteps, STEP_ROWS } from './steps/step-table';
export { parseVipLeases, vipMacAddress } from './steps/vip-leases';
