export * from './dry-run/dry-run';
export { FactsView } from './facts/facts-view';
export * from './facts/subjects';
export { isRegistered } from './facts/view-entries';
export { evaluateClusterOutcomes, evaluateHostOutcomes, type Remember } from './outcomes/evaluate';
export * from './outcomes/outcomes.decider';
