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
export * from './outcomes/dry-run';
export { evaluateClusterOutcomes, evaluateHostOutcomes, type Remember } from './outcomes/evaluate';
export * from './outcomes/outcomes.decider';
export { FACTS_SHAPES } from './facts/entry-kinds';
export * from './outcomes/compact-outcomes';
