import type { Refusal } from '@muster/problems';
import type { ClusterCommand } from './cluster-commands';
import { failedOperators } from './cluster-completion';
import type { DueClusterDeadline } from './cluster-deadlines';
import { MS_PER_MINUTE } from './cluster-effects';
import type { ClusterRefusal } from './cluster-row';
import type { ClusterState } from './cluster-state';

/** Status words end up in lists and in events of bounded size. */
const MAX_INFO_CHARACTERS = 2_040;
const NOTHING_FAILS = 'validation has not said what is missing.';

/** Fills the {placeholders} of a row's words. */
export function renderStatusInfo(
  template: string,
  state: ClusterState,
  command: ClusterCommand,
  due: DueClusterDeadline | undefined,
): string {
  const values: Readonly<Record<string, () => string>> = {
    status: () => state.status,
    info: () => state.statusInfo,
    kind: () => state.kind,
    stage: () => state.finalizingStage,
    minutes: () => String(Math.round((due?.limitMs ?? 0) / MS_PER_MINUTE)),
    preparationReason: () => state.preparationReason,
    failedOperators: () => failedOperators(state).join(', '),
    failing: () => failingOf(command),
    hostStatuses: () => hostStatusesOf(command),
    refusingHosts: () => ('refusingHosts' in command ? command.refusingHosts.join(', ') : ''),
    requested: () => requestedOf(command),
  };
  return template.replace(/\{(\w+)\}/g, (_, name: string) => values[name]?.() ?? '').slice(0, MAX_INFO_CHARACTERS);
}

export function toRefusal(row: ClusterRefusal, state: ClusterState, command: ClusterCommand): Refusal {
  return {
    code: row.code,
    reason: renderStatusInfo(row.reason, state, command, undefined),
    subject: row.subject,
    ...(row.allowed.length > 0 ? { allowed: row.allowed } : {}),
  };
}

function failingOf(command: ClusterCommand): string {
  const messages = command.type === 'Refresh' ? (command.conditions?.failingMessages ?? []) : [];
  return messages.length === 0 ? NOTHING_FAILS : messages.join(' ; ');
}

function hostStatusesOf(command: ClusterCommand): string {
  const statuses = command.type === 'Install' ? command.hosts.statuses : {};
  const counts = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
  return counts.length === 0 ? 'there is no host' : counts.sort().join(', ');
}

function requestedOf(command: ClusterCommand): string {
  switch (command.type) {
    case 'ReachFinalizingStage':
      return command.stage;
    case 'ReportOperatorStatus':
      return command.name;
    case 'RecordLogs':
      return command.report.kind === 'state' ? command.report.logsState : command.report.logsType;
    default:
      return '';
  }
}
