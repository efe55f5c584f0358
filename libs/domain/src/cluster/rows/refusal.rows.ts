import type { Guard } from '@muster/decision';
import { NO_VALIDATION_MESSAGES } from '../../status-reason';
import { CLUSTER_COMMANDS, type ClusterCommandType } from '../commands';
import { type AnyClusterRow, type ClusterContext, type ClusterRow, type ClusterVariables, refuse } from '../guards';
import { explainClusterStatus } from '../messages';
import {
  CLUSTER_LOGS_STATES,
  CLUSTER_STATUSES,
  type ClusterPhase,
  type ClusterStatus,
  exceptStatuses,
  FINALIZING_STAGES,
  INSTALLING_STATUSES,
  OPEN_STATUSES,
  OPERATOR_STATUSES,
  STAGE_REPORT_STATUSES,
  UPDATABLE_STATUSES,
} from '../state';

const CANCELLABLE = [
  'installing',
  'installing-pending-user-action',
  'error',
  'finalizing',
  'preparing-for-installation',
] as const;
const WITH_INGRESS = ['finalizing', 'installed'] as const;
const RESETTABLE = [...CANCELLABLE, 'cancelled'] as const;

/** A row for every refused combination of status and command, with its reason and the accepted values. */
export const REFUSAL_ROWS: readonly AnyClusterRow[] = [
  ...missing('unregistered', 'The cluster does not exist.'),
  ...missing('deregistered', 'The cluster was deleted.', ['PassDeadline']),
  refuse({
    id: 'registered-already',
    from: [...CLUSTER_STATUSES, 'deregistered'],
    on: 'Register',
    code: 'already-exists',
    reason: 'A cluster with this id exists or existed. Use a new id.',
    subject: 'cluster_id',
    allowed: [],
    why: 'An id is never reused, so that references to a deleted cluster do not point to another one.',
  }),
  outside('revise-not-open', 'Revise', UPDATABLE_STATUSES, 'its settings cannot be changed', {
    when: { changes: ['settings'] },
  }),
  outside('ignored-validations-not-open', 'Revise', UPDATABLE_STATUSES, 'its ignored validations cannot be changed', {
    when: { changes: ['ignored-validations'] },
    code: 'invalid-input',
  }),
  outside(
    'machine-networks-not-open',
    'DeriveMachineNetworks',
    OPEN_STATUSES,
    'its machine networks cannot be changed',
  ),
  refuse({
    id: 'install-not-ready',
    from: exceptStatuses('ready'),
    on: 'Install',
    code: 'not-allowed-in-state',
    reason: ({ state: { status, statusReason } }) =>
      `The cluster is ${status} instead of ready. ${explainClusterStatus(statusReason, NO_VALIDATION_MESSAGES)}`,
    allowed: ['ready'],
    why: 'The status of the cluster does not allow the operation.',
  }),
  refuse({
    id: 'install-host-not-known',
    from: ['ready'],
    on: 'Install',
    when: { hostsKnown: [false] },
    code: 'not-ready',
    reason: hostsNotKnown,
    subject: 'hosts',
    allowed: ['known'],
    why: 'A host may have become unready after the last evaluation of the cluster.',
  }),
  refuse({
    id: 'install-without-bootstrap',
    from: ['ready'],
    on: 'Install',
    when: { hostsKnown: [true], bootstrap: ['none'] },
    code: 'not-ready',
    reason: 'No host can bootstrap the cluster. At least one known host must be a control plane host.',
    subject: 'hosts',
    allowed: ['master'],
    why: 'The first control plane node starts from the bootstrap host.',
  }),
  outside('cancel-not-installing', 'CancelInstallation', CANCELLABLE, 'there is no installation to cancel'),
  hostsRefuse('cancel-refused-by-host', 'CancelInstallation', CANCELLABLE, 'cancelled'),
  outside('reset-not-started', 'Reset', RESETTABLE, 'there is no installation to reset'),
  hostsRefuse('reset-refused-by-host', 'Reset', RESETTABLE, 'reset'),
  outside(
    'add-hosts-not-installed',
    'AllowAddHosts',
    ['installed'],
    'hosts can be added only to an installed cluster',
    {
      code: 'invalid-input',
    },
  ),
  refuse({
    id: 'add-hosts-other-kind',
    from: ['installed'],
    on: 'AllowAddHosts',
    when: { kind: ['AddHostsCluster', 'DisconnectedCluster'] },
    code: 'invalid-input',
    reason: ({ state: { kind } }) => `Hosts cannot be added to a cluster of kind ${kind} in this way.`,
    subject: 'kind',
    allowed: ['Cluster'],
    why: 'The cluster already accepts hosts, or it was not installed by this service.',
  }),
  outside('stage-not-installing', 'ReachFinalizingStage', STAGE_REPORT_STATUSES, 'it is not being finalized', {
    special: ['error'],
    code: 'invalid-input',
  }),
  afterFailure('stage-after-failure', 'ReachFinalizingStage', INSTALLING_STATUSES),
  unknownStage('stage-unknown', STAGE_REPORT_STATUSES, { stage: ['unknown'] }),
  unknownStage('stage-unknown-late', ['error'], { lateness: ['may-finalize', 'may-complete'], stage: ['unknown'] }),
  operatorRefusal('operator-unknown', {
    when: { operator: ['unknown-operator'] },
    code: 'not-found',
    reason: (name) => `The cluster does not monitor an operator "${name}".`,
    subject: 'name',
    allowed: [],
    why: 'Only selected operators are monitored.',
  }),
  operatorRefusal('operator-status-unknown', {
    when: { operator: ['unknown-status'] },
    code: 'invalid-input',
    reason: (name, status) => `Status "${status}" of operator "${name}" is not known.`,
    subject: 'status',
    allowed: OPERATOR_STATUSES,
    why: 'The service must know the status to decide whether the installation is complete.',
  }),
  outside(
    'kubeconfig-not-finalizing',
    'CompleteKubeconfig',
    WITH_INGRESS,
    'its ingress certificate is not expected now',
    { special: ['error'], code: 'invalid-input' },
  ),
  afterFailure('kubeconfig-after-failure', 'CompleteKubeconfig', WITH_INGRESS),
  refuse({
    id: 'logs-state-unknown',
    from: CLUSTER_STATUSES,
    on: 'RecordLogs',
    when: { logs: ['unknown'] },
    code: 'invalid-input',
    reason: ({ command: { report } }: ClusterContext<'RecordLogs'>) =>
      `"${report.kind === 'state' ? report.logsState : report.logsType}" is neither a state of log collection nor a type of logs.`,
    subject: 'logs_state',
    allowed: [...CLUSTER_LOGS_STATES, 'controller', 'host'],
    why: 'The deadlines of the log collection follow from its state.',
  }),
  refuse({
    id: 'deregister-installing',
    from: ['installing'],
    on: 'Deregister',
    code: 'not-allowed-in-state',
    reason: 'Hosts of the cluster are being installed. Cancel the installation first.',
    allowed: exceptStatuses('installing'),
    why: 'Hosts that are writing their disks need the cluster for their reports.',
  }),
];

interface Outside {
  readonly when?: Guard<ClusterVariables>;
  /** Statuses that have rows of their own. */
  readonly special?: readonly ClusterStatus[];
  /** @default 'not-allowed-in-state' (409). assisted-service v2 answers some of them with 400 */
  readonly code?: 'invalid-input';
}

/** Returns a row that refuses the command in every status that does not permit the action. */
function outside(
  id: string,
  on: ClusterCommandType,
  allowed: readonly ClusterStatus[],
  because: string,
  { when, special = [], code }: Outside = {},
): AnyClusterRow {
  return refuse({
    id,
    from: exceptStatuses(...allowed, ...special),
    on,
    when,
    code: code ?? 'not-allowed-in-state',
    reason: ({ state: { status } }) => `The cluster is ${status}: ${because}.`,
    allowed,
    why: 'The status of the cluster does not allow the operation.',
  });
}

/** Returns rows that refuse all commands that need an existing cluster. Commands in `special` have separate rows. */
function missing(
  phase: ClusterPhase,
  reason: string,
  special: readonly ClusterCommandType[] = [],
): readonly AnyClusterRow[] {
  return CLUSTER_COMMANDS.filter((on) => on !== 'Register' && !special.includes(on)).map((on) =>
    refuse({
      id: `${phase}-has-no-${on}`,
      from: [phase],
      on,
      code: 'not-found',
      reason,
      subject: 'cluster_id',
      allowed: [],
    }),
  );
}

/**
 * Returns rows that refuse commands in `error` after failed hosts, where no further report is expected. After a passed
 * deadline, reports are accepted.
 */
function afterFailure(id: string, on: ClusterCommandType, allowed: readonly ClusterStatus[]): AnyClusterRow {
  return refuse({
    id,
    from: ['error'],
    on,
    when: { lateness: ['none'] },
    code: 'invalid-input',
    reason: 'The installation failed because of its hosts. Reset the cluster and install it again.',
    allowed,
  });
}

function hostsRefuse(
  id: string,
  on: 'CancelInstallation' | 'Reset',
  from: readonly ClusterStatus[],
  participle: string,
): AnyClusterRow {
  return refuse({
    id,
    from,
    on,
    when: { hostsRefuse: [true] },
    code: 'host-refuses',
    reason: ({ command }: ClusterContext<'CancelInstallation' | 'Reset'>) =>
      `The installation was not ${participle}, because these hosts do not allow it: ${command.refusingHosts.join(', ')}. Try again when they have another status, or delete them first.`,
    subject: 'hosts',
    allowed: [],
    why: 'The operation applies to the cluster and all its hosts, or to none of them.',
  });
}

function unknownStage(id: string, from: readonly ClusterStatus[], when: Guard<ClusterVariables>): ClusterRow {
  return refuse({
    id,
    from,
    on: 'ReachFinalizingStage',
    when,
    code: 'invalid-input',
    reason: ({ command: { stage } }: ClusterContext<'ReachFinalizingStage'>) => `"${stage}" is not a finalizing stage.`,
    subject: 'finalizing_stage',
    allowed: FINALIZING_STAGES,
    why: 'An unknown stage has no time limit and no position in the sequence of stages.',
  });
}

interface OperatorRefusal {
  readonly when: Guard<ClusterVariables>;
  readonly code: 'not-found' | 'invalid-input';
  readonly reason: (name: string, status: string) => string;
  readonly subject: string;
  readonly allowed: readonly string[];
  readonly why: string;
}

function operatorRefusal(id: string, { reason, ...more }: OperatorRefusal): ClusterRow {
  return refuse({
    id,
    from: CLUSTER_STATUSES,
    on: 'ReportOperatorStatus',
    reason: ({ command: { name, status } }: ClusterContext<'ReportOperatorStatus'>) => reason(name, status),
    ...more,
  });
}

function hostsNotKnown({ command: { hosts } }: ClusterContext<'Install'>): string {
  const counts = Object.entries(hosts.statuses).map(([status, count]) => `${count} ${status}`);
  const found = counts.length === 0 ? 'the cluster has no hosts' : counts.sort().join(', ');
  return `Not all hosts are ready to be installed: ${found}. Wait until every host is known.`;
}
