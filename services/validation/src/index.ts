export * from './main';
export { FactsView } from './facts/facts-view';
export { parseSubject } from './facts/subjects';
export { judgeCluster, judgeHost } from './judging/judge';
export { type Verdict, verdictDecider } from './judging/verdicts.decider';
