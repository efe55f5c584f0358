import { completed, finalizingStageReached, kubeconfigCompleted, operatorReported } from '../effects';
import type { ClusterContext, ClusterRow } from '../guards';
import { clusterReason } from '../messages';
import { failedOperators } from '../progress';
import { exceptStatuses, OPEN_STATUSES, STAGE_TAKING_STATUSES } from '../status';

/** The ways in which an installation completes. */
const COMPLETIONS = [
  { completion: 'complete', suffix: '', status: () => clusterReason('installed') },
  {
    completion: 'operators-failed',
    suffix: '-degraded',
    status: ({ state }: ClusterContext) =>
      clusterReason('installed-degraded', { parameters: { operators: failedOperators(state).join(', ') } }),
  },
  {
    completion: 'workers-missing',
    suffix: '-with-fewer-workers',
    status: () => clusterReason('installed-with-fewer-workers'),
  },
] as const;

const NOT_BEFORE_INSTALLATION = exceptStatuses(...OPEN_STATUSES, 'preparing-for-installation', 'unmonitored');

/** While the new cluster settles, and what still counts when that took longer than allowed. */
export const COMPLETION_ROWS: readonly ClusterRow[] = [
  ...COMPLETIONS.map(({ completion, suffix, status }): ClusterRow => ({
    id: `complete${suffix}`,
    from: ['finalizing'],
    on: 'Refresh',
    when: { userAction: [false], completion: [completion] },
    to: 'installed',
    status,
    emit: completed,
    why: 'The kubeconfig is complete, built-in operators are available, optional ones have an end, every host has one too.',
  })),
  {
    id: 'await-completion',
    from: ['finalizing'],
    on: 'Refresh',
    when: { userAction: [false], completion: ['incomplete'] },
    to: 'stay',
    why: 'An operator, the kubeconfig or a host is still missing.',
  },
  {
    id: 'await-person-with-too-few-hosts',
    from: ['finalizing'],
    on: 'Refresh',
    when: { userAction: [true], hosts: ['too-few'] },
    to: 'stay',
    why: 'The control plane runs; the operators tell whether that suffices, and the deadline ends the wait.',
  },
  ...COMPLETIONS.map(({ completion, suffix, status }): ClusterRow => ({
    id: `complete-late${suffix}`,
    from: ['error'],
    on: 'Refresh',
    when: { lateness: ['may-finalize', 'may-complete'], completion: [completion] },
    to: 'installed',
    status,
    emit: completed,
    why: 'A deadline is a guess of ours: a cluster that works afterwards is a success, and nobody should reinstall it.',
  })),
  {
    id: 'finalize-late',
    from: ['error'],
    on: 'Refresh',
    when: {
      lateness: ['may-finalize'],
      completion: ['incomplete'],
      hosts: ['enough-installed'],
      userAction: [false],
    },
    to: 'finalizing',
    status: () => clusterReason('finalizing'),
    why: 'Time ran out while hosts were installing, and now enough of them are installed: there is no reason to give up.',
  },
  {
    id: 'await-late-hosts',
    from: ['error'],
    on: 'Refresh',
    when: { lateness: ['may-finalize'], completion: ['incomplete'], hosts: ['enough-on-the-way', 'too-few'] },
    to: 'stay',
    why: 'Too few hosts are installed, even late.',
  },
  {
    id: 'await-late-person',
    from: ['error'],
    on: 'Refresh',
    when: {
      lateness: ['may-finalize'],
      completion: ['incomplete'],
      hosts: ['enough-installed'],
      userAction: [true],
    },
    to: 'stay',
    why: 'The host that the deadline passed for still waits for a person.',
  },
  {
    id: 'await-late-completion',
    from: ['error'],
    on: 'Refresh',
    when: { lateness: ['may-complete'], completion: ['incomplete'] },
    to: 'stay',
    why: 'Hosts were never the problem: only operators and kubeconfig can still turn it.',
  },
  {
    id: 'failed-for-good',
    from: ['error'],
    on: 'Refresh',
    when: { lateness: ['none'] },
    to: 'stay',
    why: 'Hosts failed: only a reset leads on.',
  },
  {
    id: 'stage-reached',
    from: STAGE_TAKING_STATUSES,
    on: 'ReachFinalizingStage',
    when: { stage: ['new'] },
    to: 'stay',
    emit: finalizingStageReached,
    why: 'The controller says what it does; its clock starts. It may say so after the cluster completed, and would repeat a refused report for ever.',
  },
  {
    id: 'stage-repeated',
    from: STAGE_TAKING_STATUSES,
    on: 'ReachFinalizingStage',
    when: { stage: ['same'] },
    to: 'stay',
    why: 'Saying it again must not start the clock over.',
  },
  {
    id: 'stage-reached-late',
    from: ['error'],
    on: 'ReachFinalizingStage',
    when: { lateness: ['may-finalize', 'may-complete'], stage: ['new'] },
    to: 'stay',
    emit: finalizingStageReached,
    why: 'A controller that goes on after a deadline should hear that it may.',
  },
  {
    id: 'stage-repeated-late',
    from: ['error'],
    on: 'ReachFinalizingStage',
    when: { lateness: ['may-finalize', 'may-complete'], stage: ['same'] },
    to: 'stay',
    why: 'Saying it again changes nothing.',
  },
  {
    id: 'operator-reported',
    from: NOT_BEFORE_INSTALLATION,
    on: 'ReportOperatorStatus',
    when: { operator: ['new'] },
    to: 'stay',
    emit: operatorReported,
    why: 'Operators are watched from the installation on, and what they say after it stays visible.',
  },
  {
    id: 'operator-report-repeated',
    from: NOT_BEFORE_INSTALLATION,
    on: 'ReportOperatorStatus',
    when: { operator: ['same'] },
    to: 'stay',
    why: 'The controller repeats itself every few seconds; only news are facts.',
  },
  {
    id: 'kubeconfig-completed',
    from: ['finalizing', 'installed'],
    on: 'CompleteKubeconfig',
    when: { kubeconfig: ['missing'] },
    to: 'stay',
    emit: kubeconfigCompleted,
    why: 'With the ingress CA in it the kubeconfig works from outside; the next refresh sees whether that was the last thing missing.',
  },
  {
    id: 'kubeconfig-completed-again',
    from: ['finalizing', 'installed'],
    on: 'CompleteKubeconfig',
    when: { kubeconfig: ['present'] },
    to: 'stay',
    why: 'It is complete.',
  },
  {
    id: 'kubeconfig-completed-late',
    from: ['error'],
    on: 'CompleteKubeconfig',
    when: { lateness: ['may-finalize', 'may-complete'], kubeconfig: ['missing'] },
    to: 'stay',
    emit: kubeconfigCompleted,
    why: 'Without it a success after the deadline could not be accepted.',
  },
  {
    id: 'kubeconfig-completed-late-again',
    from: ['error'],
    on: 'CompleteKubeconfig',
    when: { lateness: ['may-finalize', 'may-complete'], kubeconfig: ['present'] },
    to: 'stay',
    why: 'It is complete.',
  },
];
