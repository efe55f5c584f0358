export * from './main';
export { FactsView } from './facts/facts-view';
export { parseSubject } from './facts/subjects';
export { evaluateClusterOutcomes, evaluateHostOutcomes } from './evaluation/evaluate';
export { type RecordedOutcomes, outcomeDecider } from './evaluation/outcomes.decider';
