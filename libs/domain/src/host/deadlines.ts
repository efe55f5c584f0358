import type { HostState } from './state';
import type { HostDeadline } from './status';
import { type HostTimeouts, OTHER_STAGE_MS, SINGLE_NODE_REBOOT_MS } from './timeouts';

export interface DueHostDeadline {
  readonly name: HostDeadline;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

const NONE: readonly DueHostDeadline[] = [];

/** What is due for this host and when, from its state alone: a timer heap is rebuilt from it at start. */
export function hostDeadlines(state: HostState, timeouts: HostTimeouts): readonly DueHostDeadline[] {
  const due = (name: HostDeadline, since: string, ms: number): readonly DueHostDeadline[] =>
    since === '' || state.passedDeadlines.includes(name) ? NONE : [{ name, atMs: Date.parse(since) + ms }];

  switch (state.status) {
    case 'preparing-for-installation':
      return due('preparing', state.statusSince, timeouts.preparingMs);
    case 'installing':
      return due('installing', state.statusSince, timeouts.installingMs);
    case 'installing-in-progress':
      return state.progress.isClockPaused || state.progress.isOverdue
        ? NONE
        : due('stage', state.progress.stageUpdatedAt, stageTimeoutMs(state, timeouts));
    case 'installing-pending-user-action':
      return due('pending-user-action', state.statusSince, timeouts.pendingUserActionMs);
    case 'reclaiming':
    case 'reclaiming-rebooting':
      return due('reclaim', state.statusSince, timeouts.reclaimMs);
    case 'resetting':
      return due('resetting', state.statusSince, timeouts.resettingMs);
    case 'error':
    case 'cancelled':
      return logDeadline(state, timeouts);
    case 'unregistered':
      return due('retention', state.deregisteredAt, timeouts.retentionMs);
    default:
      return NONE;
  }
}

/** Returns how long the host may stay in its stage without a report, in milliseconds. */
export function stageTimeoutMs(state: HostState, timeouts: HostTimeouts): number {
  const { stage, isSingleNode } = state.progress;
  if (stage === '') return OTHER_STAGE_MS;
  if (stage === 'Rebooting' && isSingleNode) return SINGLE_NODE_REBOOT_MS;
  return timeouts.stageMs[stage] ?? OTHER_STAGE_MS;
}

function logDeadline(state: HostState, timeouts: HostTimeouts): readonly DueHostDeadline[] {
  const { logs, statusSince } = state;
  const at = (since: string, ms: number): readonly DueHostDeadline[] =>
    since === '' ? NONE : [{ name: 'logs', atMs: Date.parse(since) + ms }];
  switch (logs.state) {
    case '':
      return logs.startedAt === '' ? at(statusSince, timeouts.logPendingMs) : NONE;
    case 'requested':
      return at(logs.collectedAt || logs.startedAt, timeouts.logCollectionMs);
    case 'collecting':
      return at(logs.collectedAt || logs.startedAt, timeouts.logPendingMs);
    default:
      return NONE;
  }
}
