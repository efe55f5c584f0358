export * from './permissions';
export * from './text-forms';
export * from './feature-refusals';
export * from './manifest-decider';
export * from './membership';
export * from './artifact-decider';
export { MAX_STATUS_INFO_BYTES, NO_REASON, type StatusReason, type ValidationMessages } from './status-reason';
export * from './cluster/commands';
export * from './cluster/deadlines';
export * from './cluster/decider';
export * from './cluster/evolve';
export * from './cluster/follow-ups';
export { controlPlaneCounts } from './cluster/input/choice.rules';
export * from './cluster/messages';
export * from './cluster/operators';
export * from './cluster/settings';
export * from './cluster/state';
export * from './host/commands';
export * from './host/deadlines';
export * from './host/decider';
export * from './host/evolve';
export * from './host/input';
export * from './host/messages';
export * from './host/stages';
export * from './host/state';
export * from './infra-env/commands';
export * from './infra-env/decider';
export { IGNITION_ARCHIVE_BYTES_MAX } from './infra-env/ignition-override';
export { INFRA_ENV_VARIABLES } from './infra-env/rows';
export * from './infra-env/state';
export {
  networkFormOf,
  planRamdiskNetworks,
  planStaticNetworks,
  staticNetworkProblem,
} from './infra-env/static-network';
export * from './roles/host-summary';
export * from './roles/suggest-roles';
export { imagesOf } from './steps/installation-steps';
export { ignitionBase } from './steps/network-steps';
export * from './steps/pacing';
export * from './steps/step-context';
export * from './steps/step-replies';
export * from './steps/step-table';
