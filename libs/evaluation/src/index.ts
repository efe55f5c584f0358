export { FactsView } from './facts/facts-view';
export {
  clusterSubject,
  hostSubject,
  isRegistered,
  parseSubject,
  type Subject,
  subjectOfStreamId,
  toSubject,
} from './facts/view-entries';
export { evaluateDryRun } from './outcomes/dry-run';
export {
  evaluateClusterOutcomes,
  evaluateHostOutcomes,
  hostsOfPassingGroups,
  type Remember,
} from './outcomes/evaluate';
export {
  NO_OUTCOMES,
  type OutcomeCommand,
  outcomeDecider,
  outcomesIn,
  type RecordedOutcomes,
  type Scope,
} from './outcomes/outcomes.decider';
export { FACTS_SHAPES } from './facts/entry-kinds';
export { compactOutcomes, type IsNamed } from './outcomes/compact-outcomes';
