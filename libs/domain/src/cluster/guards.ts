import { containsIp, parseCidr, parseIp } from '@muster/addresses';
import type { ClusterEvent } from '@muster/contracts';
import {
  type GuardInputs,
  type GuardValues,
  refusalsOf,
  type Row,
  type RowContext,
  type RowOf,
} from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { isOneOf } from '@muster/schema';
import { type HostSummary, installationBlockingStatus } from '../roles/host-summary';
import type { StatusReason } from '../status-reason';
import { isSameValue } from '../text-forms';
import type {
  AcceptVipLeases,
  ClusterCommand,
  ClusterCommandType,
  RecordLogs,
  RefreshCluster,
  ReportOperatorStatus,
} from './commands';
import { type ClusterTimeouts, dueClusterDeadline, warnsOnly } from './deadlines';
import { revisionOf } from './settings';
import {
  CLUSTER_DEADLINES,
  CLUSTER_KINDS,
  CLUSTER_LOGS_STATES,
  type ClusterPhase,
  type ClusterState,
  completionOf,
  FINALIZING_STAGES,
  OPERATOR_STATUSES,
} from './state';

/** The settings of a deployment that decisions about clusters depend on. */
export interface ClusterDeciderSettings {
  readonly timeouts: ClusterTimeouts;
  /** CHECK_CLUSTER_VERSION: the installation also waits for the cluster version operator. */
  readonly monitorsClusterVersion: boolean;
}

/** The guard variables of the cluster's rows. Each has few values, so that a test can evaluate all combinations. */
export const CLUSTER_VARIABLES = {
  kind: CLUSTER_KINDS,
  /** Whether the cluster was evaluated at least once. */
  conditions: ['known', 'unknown'],
  /** Whether VIPs are allocated by DHCP instead of set by a user. */
  dhcpVips: [true, false],
  /** Whether networks, DNS domain and pull secret are set. */
  inputs: [true, false],
  vips: [true, false],
  /** Whether all rules that an installation requires pass. */
  required: [true, false],
  hostsKnown: [true, false],
  bootstrap: ['chosen', 'none'],
  preparation: ['none', 'pending', 'success', 'failed', 'undone'],
  preparingHosts: ['all-prepared', 'under-way', 'some-failed', 'some-stopped'],
  /** Whether the address of the single node is known; `not-needed` with more than one node. */
  nodeAddress: ['known', 'missing', 'not-needed'],
  attempt: ['current', 'other'],
  outcome: ['success', 'failure'],
  /** Whether enough hosts of every role are installed or still installing. */
  hosts: ['enough-installed', 'enough-on-the-way', 'too-few'],
  /** Whether a host waits for a user to correct its boot order. */
  userAction: [true, false],
  completion: ['complete', 'operators-failed', 'workers-missing', 'incomplete'],
  /** In status `error`: the status that a success after the deadline may lead to. */
  lateness: ['none', 'may-finalize', 'may-complete'],
  hostsRefuse: [true, false],
  stage: ['new', 'same', 'unknown'],
  operator: ['new', 'same', 'unknown-operator', 'unknown-status'],
  kubeconfig: ['missing', 'present'],
  /** `off`: DHCP does not allocate the VIPs. `outside`: an address is not in the primary machine network. */
  leases: ['new', 'same', 'off', 'outside'],
  networks: ['same', 'different'],
  changes: ['none', 'any-time', 'ignored-validations', 'settings'],
  logs: ['new', 'same', 'unknown'],
  /** The deadline that is due; `not-due`: the timer was set for an earlier state. */
  deadline: ['not-due', ...CLUSTER_DEADLINES],
  /** Whether a timeout of the stage fails the cluster or only warns. */
  stageTimeout: ['fails', 'warns'],
} as const;
export type ClusterVariables = typeof CLUSTER_VARIABLES;

/** The types of the cluster's decision table. */
export interface ClusterTable {
  readonly Status: ClusterPhase;
  readonly State: ClusterState;
  readonly Command: ClusterCommand;
  readonly Event: ClusterEvent;
  readonly Variables: ClusterVariables;
  readonly Settings: ClusterDeciderSettings;
  readonly Reason: StatusReason;
  readonly Code: ProblemCode;
}

export type ClusterRow = RowOf<ClusterTable>;
/** A row whose command type is not narrowed. */
export type AnyClusterRow = Row<ClusterTable>;
export type ClusterContext<Type extends ClusterCommandType = ClusterCommandType> = RowContext<
  ClusterTable,
  Extract<ClusterCommand, { readonly type: Type }>
>;
export const refuse = refusalsOf<ClusterTable>();

type Values = GuardValues<ClusterVariables>;
type PreparingHosts = Values['preparingHosts'];

const hostsRefuse = ({ command }: ClusterContext<'CancelInstallation' | 'Reset'>): Partial<Values> => ({
  hostsRefuse: command.refusingHosts.length > 0,
});

export const CLUSTER_INPUTS: GuardInputs<ClusterTable> = {
  Register: ({ command: { kind } }) => ({ kind }),
  Revise: ({ command, state, settings }) => ({
    changes: revisionOf(state, command, settings.monitorsClusterVersion).kind,
  }),
  DeriveMachineNetworks: ({ command, state }) => ({
    networks: isSameValue(state.settings.machineNetworks?.items ?? [], command.cidrs) ? 'same' : 'different',
  }),
  Refresh: ({ command, state }) => refreshValues(state, command),
  Install: ({ command: { hosts, bootstrapHostId } }) => ({
    hostsKnown: hosts.total > 0 && hosts.statuses['known'] === hosts.total,
    bootstrap: bootstrapHostId === '' ? 'none' : 'chosen',
  }),
  FinishPreparation: ({ command, state }) => ({
    preparation: state.preparation,
    attempt: command.attempt === state.attempt ? 'current' : 'other',
    outcome: command.outcome.kind,
  }),
  UndoPreparation: ({ state }) => ({ preparation: state.preparation }),
  CancelInstallation: hostsRefuse,
  Reset: hostsRefuse,
  AllowAddHosts: ({ state: { kind } }) => ({ kind }),
  ReachFinalizingStage: ({ command, state }) => ({
    lateness: latenessOf(state),
    stage: stageOf(state, command.stage),
  }),
  ReportOperatorStatus: ({ command, state }) => ({ operator: operatorOf(state, command) }),
  AcceptVipLeases: ({ command, state }) => ({ leases: leasesOf(state, command) }),
  CompleteKubeconfig: ({ state }) => ({
    lateness: latenessOf(state),
    kubeconfig: state.hasKubeconfig ? 'present' : 'missing',
  }),
  PassDeadline: ({ command, state, settings }) => ({
    deadline: dueClusterDeadline(state, command, settings.timeouts)?.name ?? 'not-due',
    stageTimeout: warnsOnly(state.finalizingStage, command.softTimeouts) ? 'warns' : 'fails',
  }),
  RecordLogs: ({ command, state }) => ({ logs: logsOf(state, command) }),
};

function refreshValues(state: ClusterState, command: RefreshCluster): Partial<Values> {
  const { conditions, hosts } = command;
  const controlPlaneCount = state.settings.controlPlaneCount ?? 0;
  return {
    conditions: conditions ? 'known' : 'unknown',
    dhcpVips: state.settings.vipDhcpAllocation ?? false,
    inputs: conditions?.pendingInputsGiven ?? false,
    vips: conditions?.vipsDefined ?? false,
    required: conditions?.requiredPassed ?? false,
    preparingHosts: preparingHostsOf(hosts, controlPlaneCount),
    nodeAddress: nodeAddressOf(state, command),
    hosts: installationBlockingStatus(hosts, controlPlaneCount),
    userAction: (hosts.statuses['installing-pending-user-action'] ?? 0) > 0,
    completion: completionOf(state, hosts),
    lateness: latenessOf(state),
    preparation: state.preparation,
  };
}

/**
 * A host that stopped preparing takes precedence over a host that failed, because the cluster is then not even ready. Hosts that were
 * removed since the start may have left too few, or have been the bootstrap host.
 */
function preparingHostsOf(hosts: HostSummary, controlPlaneCount: number): PreparingHosts {
  const { total, statuses, hasBootstrap } = hosts;
  const count = (status: string): number => statuses[status] ?? 0;
  const prepared = count('preparing-successful');
  const failed = count('preparing-failed');
  const under = count('preparing-for-installation') + count('known');
  if (total === 0 || prepared + failed + under < total) return 'some-stopped';
  if (failed > 0) return 'some-failed';
  if (prepared < total) return 'under-way';
  const areEnough = installationBlockingStatus(hosts, controlPlaneCount) !== 'too-few';
  return areEnough && hasBootstrap ? 'all-prepared' : 'some-stopped';
}

function nodeAddressOf(state: ClusterState, command: RefreshCluster): Values['nodeAddress'] {
  if (state.settings.controlPlaneCount !== 1) return 'not-needed';
  const hasVips = (state.settings.apiVips?.items.length ?? 0) > 0;
  return hasVips || command.singleNodeAddress !== '' ? 'known' : 'missing';
}

/** After a deadline during the installation of the hosts, more results are possible than after a later deadline. */
function latenessOf(state: ClusterState): Values['lateness'] {
  if (state.failedDeadline === '') return 'none';
  return state.hasFinalized ? 'may-complete' : 'may-finalize';
}

/** Each host reports leases of the same addresses with other times. Only other addresses are news. */
function leasesOf({ settings, vipLeases }: ClusterState, command: AcceptVipLeases): Values['leases'] {
  if (!settings.vipDhcpAllocation) return 'off';
  const network = parseCidr(settings.machineNetworks?.items[0] ?? '');
  const addresses = [command.apiVip, command.ingressVip].map(parseIp);
  if (!network || addresses.some((address) => !address || !containsIp(network, address))) return 'outside';
  const isSame =
    isSameValue(settings.apiVips?.items ?? [], [command.apiVip]) &&
    isSameValue(settings.ingressVips?.items ?? [], [command.ingressVip]) &&
    (vipLeases.api !== '' || command.apiVipLease === '');
  return isSame ? 'same' : 'new';
}

function stageOf(state: ClusterState, stage: string): Values['stage'] {
  if (!isOneOf(FINALIZING_STAGES, stage)) return 'unknown';
  return stage === state.finalizingStage ? 'same' : 'new';
}

function operatorOf(state: ClusterState, command: ReportOperatorStatus): Values['operator'] {
  const known = state.operators.find(({ name }) => name === command.name);
  if (!known) return 'unknown-operator';
  if (!isOneOf(OPERATOR_STATUSES, command.status)) return 'unknown-status';
  const isSame =
    known.status === command.status && known.statusInfo === command.statusInfo && known.version === command.version;
  return isSame ? 'same' : 'new';
}

function logsOf(state: ClusterState, { report }: RecordLogs): Values['logs'] {
  if (report.kind === 'collected') return ['controller', 'host'].includes(report.logsType) ? 'new' : 'unknown';
  if (report.logsState === '') return 'same';
  if (!isOneOf(CLUSTER_LOGS_STATES, report.logsState)) return 'unknown';
  return report.logsState === state.logsState ? 'same' : 'new';
}
