import { CLUSTER_COMMANDS, type ClusterCommandType } from './cluster-commands';
import type { ClusterRefusal, ClusterVariables } from './cluster-row';
import {
  CLUSTER_LOGS_STATES,
  CLUSTER_STATUSES,
  type ClusterPhase,
  type ClusterStatus,
  FINALIZING_STAGES,
  OPERATOR_STATUSES,
} from './cluster-status';
import type { Guard } from '../decision/decision-table';
import { exceptStatuses, INSTALLING_STATUSES, OPEN_STATUSES, UPDATABLE_STATUSES } from './rows/phases';

const BEFORE_INSTALLATION = [...OPEN_STATUSES, 'preparing-for-installation', 'unmonitored'] as const;
const CANCELLABLE = [
  'installing',
  'installing-pending-user-action',
  'error',
  'finalizing',
  'preparing-for-installation',
] as const;
const WITH_INGRESS = ['finalizing', 'installed'] as const;
const RESETTABLE = [...CANCELLABLE, 'cancelled'] as const;

/** Refused everywhere but in `allowed`; `special` statuses have rows of their own. */
const outside = (
  allowed: readonly ClusterStatus[],
  id: string,
  on: ClusterCommandType,
  reason: string,
  more: { readonly when?: Guard<ClusterVariables>; readonly special?: readonly ClusterStatus[] } = {},
): ClusterRefusal => ({
  id,
  from: exceptStatuses(...allowed, ...(more.special ?? [])),
  on,
  when: more.when,
  to: 'stay',
  code: 'not-allowed-in-state',
  reason,
  subject: 'status',
  allowed,
  why: 'The status has no way to do this.',
});

/** The contract answers these with 400 instead of 409. */
const asInvalid = (refusal: ClusterRefusal): ClusterRefusal => ({ ...refusal, code: 'invalid-input' });

const missing = (phase: ClusterPhase, reason: string): readonly ClusterRefusal[] =>
  CLUSTER_COMMANDS.filter((on) => on !== 'Register').map((on) => ({
    id: `${phase}-has-no-${on}`,
    from: [phase],
    on,
    to: 'stay',
    code: 'not-found',
    reason,
    subject: 'cluster_id',
    allowed: [],
    why: 'There is nothing to act on.',
  }));

/** Every combination that is no transition, by name: what a person is told, and what would have been accepted. */
export const CLUSTER_REFUSALS: readonly ClusterRefusal[] = [
  ...missing('unregistered', 'There is no cluster with this id.'),
  ...missing('deregistered', 'The cluster was deleted.'),
  {
    id: 'registered-already',
    from: [...CLUSTER_STATUSES, 'deregistered'],
    on: 'Register',
    to: 'stay',
    code: 'already-exists',
    reason: 'A cluster with this id exists or existed; take a new id.',
    subject: 'cluster_id',
    allowed: [],
    why: 'Ids are never used twice: what refers to the old cluster would speak of the new one.',
  },
  outside(
    UPDATABLE_STATUSES,
    'revise-not-open',
    'Revise',
    'The cluster is {status}: its settings cannot be changed now.',
    { when: { changes: ['settings'] } },
  ),
  asInvalid(
    outside(
      UPDATABLE_STATUSES,
      'ignored-validations-not-open',
      'Revise',
      'The cluster is {status}: which validations are ignored cannot be changed now.',
      { when: { changes: ['ignored-validations'] } },
    ),
  ),
  outside(
    OPEN_STATUSES,
    'machine-networks-not-open',
    'DeriveMachineNetworks',
    'The cluster is {status}: its machine networks are settled.',
  ),
  outside(['ready'], 'install-not-ready', 'Install', 'The cluster is {status} instead of ready. {info}'),
  {
    id: 'install-host-not-known',
    from: ['ready'],
    on: 'Install',
    when: { hostsKnown: [false] },
    to: 'stay',
    code: 'not-ready',
    reason: 'Not all hosts are ready to be installed: {hostStatuses}. Wait until every host is known.',
    subject: 'hosts',
    allowed: ['known'],
    why: 'A host may have stopped being ready since the cluster was last looked at.',
  },
  {
    id: 'install-without-bootstrap',
    from: ['ready'],
    on: 'Install',
    when: { hostsKnown: [true], bootstrap: ['none'] },
    to: 'stay',
    code: 'not-ready',
    reason: 'No host can bootstrap the cluster: at least one ready host has to be a control plane host.',
    subject: 'hosts',
    allowed: ['master'],
    why: 'The first control plane node starts from the bootstrap host.',
  },
  outside(
    CANCELLABLE,
    'cancel-not-installing',
    'CancelInstallation',
    'The cluster is {status}: there is no installation to cancel.',
  ),
  hostsRefuse('cancel-refused-by-host', 'CancelInstallation', CANCELLABLE, 'cancelled'),
  outside(RESETTABLE, 'reset-not-started', 'Reset', 'The cluster is {status}: there is no installation to reset.'),
  hostsRefuse('reset-refused-by-host', 'Reset', RESETTABLE, 'reset'),
  asInvalid(
    outside(
      ['installed'],
      'add-hosts-not-installed',
      'AllowAddHosts',
      'The cluster is {status}: only an installed cluster can be opened for more hosts.',
    ),
  ),
  {
    id: 'add-hosts-other-kind',
    from: ['installed'],
    on: 'AllowAddHosts',
    when: { kind: ['AddHostsCluster', 'DisconnectedCluster'] },
    to: 'stay',
    code: 'invalid-input',
    reason: 'A cluster of kind {kind} cannot be opened for more hosts.',
    subject: 'kind',
    allowed: ['Cluster'],
    why: 'It is open already, or it was never installed from here.',
  },
  asInvalid(
    outside(
      INSTALLING_STATUSES,
      'stage-not-installing',
      'ReachFinalizingStage',
      'The cluster is {status}: it has no finalizing stage.',
      { special: ['error'] },
    ),
  ),
  afterFailure('stage-after-failure', 'ReachFinalizingStage', INSTALLING_STATUSES),
  ...[
    { id: 'stage-unknown', from: INSTALLING_STATUSES, when: { stage: ['unknown'] } as const },
    {
      id: 'stage-unknown-late',
      from: ['error'] as const,
      when: { lateness: ['may-finalize', 'may-complete'], stage: ['unknown'] } as const,
    },
  ].map(({ id, from, when }): ClusterRefusal => ({
    id,
    from,
    on: 'ReachFinalizingStage',
    when,
    to: 'stay',
    code: 'invalid-input',
    reason: '"{requested}" is not a finalizing stage.',
    subject: 'finalizing_stage',
    allowed: FINALIZING_STAGES,
    why: 'A stage without a name has no time limit and no place in the order.',
  })),
  outside(
    exceptStatuses(...BEFORE_INSTALLATION),
    'operator-report-before-installation',
    'ReportOperatorStatus',
    'The cluster is {status}: it runs no operators yet.',
  ),
  {
    id: 'operator-unknown',
    from: exceptStatuses(...BEFORE_INSTALLATION),
    on: 'ReportOperatorStatus',
    when: { operator: ['unknown-operator'] },
    to: 'stay',
    code: 'not-found',
    reason: 'The cluster does not monitor an operator "{requested}".',
    subject: 'name',
    allowed: [],
    why: 'Only what was chosen is waited for.',
  },
  {
    id: 'operator-status-unknown',
    from: exceptStatuses(...BEFORE_INSTALLATION),
    on: 'ReportOperatorStatus',
    when: { operator: ['unknown-status'] },
    to: 'stay',
    code: 'invalid-input',
    reason: 'The reported status of operator "{requested}" is not one that operators have.',
    subject: 'status',
    allowed: OPERATOR_STATUSES,
    why: 'Completion counts statuses by name.',
  },
  asInvalid(
    outside(
      WITH_INGRESS,
      'kubeconfig-not-finalizing',
      'CompleteKubeconfig',
      'The cluster is {status}: its ingress certificate is not expected now.',
      { special: ['error'] },
    ),
  ),
  afterFailure('kubeconfig-after-failure', 'CompleteKubeconfig', WITH_INGRESS),
  {
    id: 'logs-state-unknown',
    from: CLUSTER_STATUSES,
    on: 'RecordLogs',
    when: { logs: ['unknown'] },
    to: 'stay',
    code: 'invalid-input',
    reason: '"{requested}" is neither a state of log collection nor a kind of logs.',
    subject: 'logs_state',
    allowed: [...CLUSTER_LOGS_STATES, 'controller', 'host'],
    why: 'The deadlines of log collection hang on the state.',
  },
  {
    ...outside(
      exceptStatuses('installing'),
      'deregister-installing',
      'Deregister',
      'Hosts of the cluster are being installed: cancel the installation first.',
    ),
    why: 'Hosts that write their disks would be left without anybody to report to.',
  },
];

/** In `error` because of hosts nothing more is expected from the new cluster; after a deadline it is. */
function afterFailure(id: string, on: ClusterCommandType, allowed: readonly ClusterStatus[]): ClusterRefusal {
  return {
    id,
    from: ['error'],
    on,
    when: { lateness: ['none'] },
    to: 'stay',
    code: 'invalid-input',
    reason: 'The installation failed because of its hosts: reset the cluster and install it again.',
    subject: 'status',
    allowed,
    why: 'Only a reset leads on.',
  };
}

function hostsRefuse(
  id: string,
  on: ClusterCommandType,
  from: readonly ClusterStatus[],
  participle: string,
): ClusterRefusal {
  return {
    id,
    from,
    on,
    when: { hostsRefuse: [true] },
    to: 'stay',
    code: 'host-refuses',
    reason: `The installation was not ${participle}, because these hosts do not allow it now: {refusingHosts}.`,
    subject: 'hosts',
    allowed: [],
    why: 'Cluster and hosts move together or not at all.',
  };
}
