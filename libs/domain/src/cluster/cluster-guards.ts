import type { ClusterCommand, RecordLogs, RefreshCluster, ReportOperatorStatus } from './cluster-commands';
import { completionOf } from './cluster-completion';
import type { DueClusterDeadline } from './cluster-deadlines';
import { warnsOnly } from './cluster-deadlines';
import { revisionOf } from './cluster-revision';
import type { ClusterVariables } from './cluster-row';
import type { ClusterState } from './cluster-state';
import { CLUSTER_LOGS_STATES, FINALIZING_STAGES, OPERATOR_STATUSES } from './cluster-status';
import { isSameValue } from '../input/same-value';
import type { GuardValues } from '@muster/decision';
import { installationBlockingStatus } from '../roles/enough-hosts';
import type { HostSummary } from '../roles/host-summary';

type Values = GuardValues<ClusterVariables>;
type PreparingHosts = Values['preparingHosts'];

/** Variables that the command does not speak of; no row of that command asks for them. */
const GUARD_DEFAULTS: Values = {
  kind: 'Cluster',
  conditions: 'unknown',
  dhcpVips: false,
  inputs: false,
  vips: false,
  required: false,
  hostsKnown: false,
  bootstrap: 'none',
  preparation: 'none',
  preparingHosts: 'under-way',
  nodeAddress: 'not-needed',
  attempt: 'other',
  outcome: 'failure',
  hosts: 'too-few',
  userAction: false,
  completion: 'incomplete',
  lateness: 'none',
  hostsRefuse: false,
  stage: 'unknown',
  operator: 'unknown-operator',
  kubeconfig: 'missing',
  networks: 'same',
  changes: 'none',
  logs: 'unknown',
  deadline: 'not-due',
  stageTimeout: 'fails',
};

export interface GuardContext {
  readonly monitorsClusterVersion: boolean;
  /** The command's deadline, if the state still has it and its time has come. */
  readonly due: DueClusterDeadline | undefined;
}

/** What is the case: one value per variable, from the state and the command alone. */
export function evaluateGuards(state: ClusterState, command: ClusterCommand, context: GuardContext): Values {
  const common: Values = {
    ...GUARD_DEFAULTS,
    kind: command.type === 'Register' ? command.kind : state.kind,
    preparation: state.preparation,
    lateness: latenessOf(state),
    kubeconfig: state.hasKubeconfig ? 'present' : 'missing',
  };
  switch (command.type) {
    case 'Revise':
      return { ...common, changes: revisionOf(state, command, context.monitorsClusterVersion).kind };
    case 'DeriveMachineNetworks': {
      const isSame = isSameValue(state.settings.machineNetworks?.items ?? [], command.cidrs);
      return { ...common, networks: isSame ? 'same' : 'different' };
    }
    case 'Refresh':
      return { ...common, ...refreshValues(state, command) };
    case 'Install':
      return {
        ...common,
        hostsKnown: command.hosts.total > 0 && command.hosts.statuses['known'] === command.hosts.total,
        bootstrap: command.bootstrapHostId === '' ? 'none' : 'chosen',
      };
    case 'FinishPreparation':
      return {
        ...common,
        attempt: command.attempt === state.attempt ? 'current' : 'other',
        outcome: command.outcome.kind,
      };
    case 'CancelInstallation':
    case 'Reset':
      return { ...common, hostsRefuse: command.refusingHosts.length > 0 };
    case 'ReachFinalizingStage':
      return { ...common, stage: stageOf(state, command.stage) };
    case 'ReportOperatorStatus':
      return { ...common, operator: operatorOf(state, command) };
    case 'PassDeadline':
      return {
        ...common,
        deadline: context.due?.name ?? 'not-due',
        stageTimeout: warnsOnly(state.finalizingStage, command.softTimeouts) ? 'warns' : 'fails',
      };
    case 'RecordLogs':
      return { ...common, logs: logsOf(state, command) };
    case 'Register':
    case 'UndoPreparation':
    case 'AllowAddHosts':
    case 'CompleteKubeconfig':
    case 'RecordProgress':
    case 'Deregister':
      return common;
  }
}

function refreshValues(state: ClusterState, command: RefreshCluster): Partial<Values> {
  const { conditions, hosts } = command;
  const controlPlaneCount = state.settings.controlPlaneCount ?? 0;
  return {
    conditions: conditions ? 'known' : 'unknown',
    dhcpVips: state.settings.vipDhcpAllocation ?? false,
    inputs: conditions?.pendingInputsGiven ?? false,
    vips: conditions?.vipsDefined ?? false,
    required: conditions?.requiredPassed ?? false,
    preparingHosts: preparingHostsOf(hosts),
    nodeAddress: nodeAddressOf(state, command),
    hosts: installationBlockingStatus(hosts, controlPlaneCount),
    userAction: (hosts.statuses['installing-pending-user-action'] ?? 0) > 0,
    completion: completionOf(state, hosts),
  };
}

/** A host that stopped outweighs one that failed: it says that the cluster is not even ready. */
function preparingHostsOf({ total, statuses }: HostSummary): PreparingHosts {
  const count = (status: string): number => statuses[status] ?? 0;
  const prepared = count('preparing-successful');
  const failed = count('preparing-failed');
  const under = count('preparing-for-installation') + count('known');
  if (total === 0 || prepared + failed + under < total) return 'some-stopped';
  if (failed > 0) return 'some-failed';
  return prepared === total ? 'all-prepared' : 'under-way';
}

function nodeAddressOf(state: ClusterState, command: RefreshCluster): Values['nodeAddress'] {
  if (state.settings.controlPlaneCount !== 1) return 'not-needed';
  const hasVips = (state.settings.apiVips?.items.length ?? 0) > 0;
  return hasVips || command.singleNodeAddress !== '' ? 'known' : 'missing';
}

/** A deadline that passed while hosts were installing leaves more open than one that passed afterwards. */
function latenessOf(state: ClusterState): Values['lateness'] {
  if (state.failedDeadline === '') return 'none';
  return state.hasFinalized ? 'may-complete' : 'may-finalize';
}

function stageOf(state: ClusterState, stage: string): Values['stage'] {
  if (!(FINALIZING_STAGES as readonly string[]).includes(stage)) return 'unknown';
  return stage === state.finalizingStage ? 'same' : 'new';
}

function operatorOf(state: ClusterState, command: ReportOperatorStatus): Values['operator'] {
  const known = state.operators.find(({ name }) => name === command.name);
  if (!known) return 'unknown-operator';
  if (!(OPERATOR_STATUSES as readonly string[]).includes(command.status)) return 'unknown-status';
  const isSame =
    known.status === command.status && known.statusInfo === command.statusInfo && known.version === command.version;
  return isSame ? 'same' : 'new';
}

function logsOf(state: ClusterState, { report }: RecordLogs): Values['logs'] {
  if (report.kind === 'collected') return ['controller', 'host'].includes(report.logsType) ? 'new' : 'unknown';
  if (!(CLUSTER_LOGS_STATES as readonly string[]).includes(report.logsState)) return 'unknown';
  return report.logsState === state.logsState ? 'same' : 'new';
}
