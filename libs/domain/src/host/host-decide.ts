import type { HostEvent } from '@muster/contracts';
import { accepted, type Decision, refused } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import type { HostCommand, HostCommandOf } from './host-commands';
import { evolveHost } from './host-evolve';
import { withConflict, withoutConflict } from './host-identity';
import type { HostContext, HostRow, RowRefusal } from './host-row';
import type { HostState } from './host-state';
import { selectHostRow, statusesAccepting } from './host-table';
import { limitStatusInfo } from './host-messages';
import { DEFAULT_HOST_TIMEOUTS, type HostTimeouts } from './host-timeouts';
import { evaluateHostGuards } from './host-guards';

/** A refresh goes on until nothing changes; the table has no cycle, so this is never reached (a test walks all of it). */
export const MAX_REFRESH_ROUNDS = 16;

/** Facts that follow from the command in this state, or why it is not done. Pure; never throws. */
export function decideHost(
  command: HostCommand,
  state: HostState,
  timeouts: HostTimeouts = DEFAULT_HOST_TIMEOUTS,
): Decision<HostEvent, ProblemCode> {
  const row = selectHostRow(state.status, command.type, evaluateHostGuards(command, state, timeouts));
  if (!row) return refused(noRow(command, state));
  const context: HostContext = { state, command, timeouts };
  if (row.refusal) return refused(toRefusal(row.refusal, context));

  const events = applyRow(row, context);
  if (events.length === 0) return accepted();
  switch (command.type) {
    case 'Refresh':
      return accepted(...events, ...refresh(command, fold(state, events), timeouts));
    case 'PassDeadline': {
      const { at, conditions, cluster, softTimeouts } = command;
      const surroundings = { type: 'Refresh', at, conditions, cluster, softTimeouts } as const;
      return accepted(...events, ...refresh(surroundings, fold(state, events), timeouts));
    }
    default:
      return accepted(...events);
  }
}

/** One row may open the way to the next: nobody else would ask again. */
function refresh(command: HostCommandOf<'Refresh'>, from: HostState, timeouts: HostTimeouts): readonly HostEvent[] {
  const all: HostEvent[] = [];
  let state = from;
  for (let round = 0; round < MAX_REFRESH_ROUNDS; round += 1) {
    const row = selectHostRow(state.status, 'Refresh', evaluateHostGuards(command, state, timeouts));
    const events = row && !row.refusal ? applyRow(row, { state, command, timeouts }) : [];
    if (events.length === 0) break;
    all.push(...events);
    state = fold(state, events);
  }
  return all;
}

const fold = (state: HostState, events: readonly HostEvent[]): HostState => events.reduce(evolveHost, state);
const NOTHING: readonly HostEvent[] = [];

/** The row's own facts, then the change of status or of words. */
function applyRow(row: HostRow, context: HostContext): readonly HostEvent[] {
  const { state, command } = context;
  const effects = row.effects?.(context) ?? NOTHING;
  const isMove = row.to !== 'stay' && row.to !== state.status;
  if (effects.length === 0 && !isMove && !row.info) return NOTHING;

  const after = fold(state, effects);
  if (after.status === 'unregistered' && !isMove) return effects;
  const bare = row.info ? row.info(context) : withoutConflict(state.statusInfo, state.conflict);
  const statusInfo = limitStatusInfo(withConflict(bare, after.conflict));
  if (isMove)
    return [
      ...effects,
      {
        type: 'HostEnteredStatus',
        data: {
          status: row.to,
          from: state.status === 'unregistered' ? '' : state.status,
          statusInfo,
          transition: row.id,
          at: command.at,
          cause: row.cause ?? '',
        },
      },
    ];
  return statusInfo === state.statusInfo
    ? effects
    : [...effects, { type: 'HostStatusExplained', data: { statusInfo } }];
}

function toRefusal(refusal: RowRefusal, context: HostContext) {
  return {
    code: refusal.code,
    reason: `${refusal.reason} Status of the host: ${context.state.status}.`,
    subject: refusal.subject ?? 'status',
    allowed: refusal.allowed ? refusal.allowed(context) : statusesAccepting(context.command.type),
  };
}

/** Unreachable while the table's test passes; a value nevertheless, because deciding never throws. */
function noRow(command: HostCommand, state: HostState) {
  return {
    code: 'internal',
    reason: `No rule says what ${command.type} means for a host in status ${state.status}.`,
    subject: 'status',
  } as const;
}
