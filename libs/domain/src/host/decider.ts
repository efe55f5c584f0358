import type { HostEvent } from '@muster/contracts';
import { createTableDecider, type Decider, defineTable, type Transition } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { type EvaluatedInputs, isOutdated, OUTDATED_OUTCOMES } from '../evaluated-inputs';
import { isSameValue } from '../text-forms';
import { HOST_COMMAND_TYPES, type HostCommand } from './commands';
import { DEFAULT_HOST_TIMEOUTS, type HostTimeouts } from './deadlines';
import { evolveHost } from './evolve';
import { EVALUATED, HOST_INPUTS, HOST_VARIABLES, type HostRow, type HostTable } from './guards';
import { AGENT_REFUSAL_ROWS } from './rows/agent-refusal.rows';
import { DISCOVERY_ROWS, UNBOUND_ROWS } from './rows/discovery.rows';
import { EDIT_REFUSAL_ROWS, EDIT_ROWS } from './rows/edit.rows';
import { ENDED_ROWS, INSTALLATION_ROWS } from './rows/installation.rows';
import { LIFECYCLE_REFUSAL_ROWS } from './rows/lifecycle-refusal.rows';
import { LIFECYCLE_ROWS } from './rows/lifecycle.rows';
import { PREPARATION_ROWS } from './rows/preparation.rows';
import { IDENTITY_ROWS, PRESENCE_ROWS } from './rows/presence.rows';
import { DEADLINE_ROWS, PROGRESS_ROWS, STAGE_ROWS } from './rows/progress.rows';
import { REGISTRATION_ROWS } from './rows/registration.rows';
import { HOST_SOURCES, type HostState, initialHost } from './state';

/** The state machine of a host. */
export const HOST_TABLE = defineTable<HostTable, HostRow>({
  statuses: HOST_SOURCES,
  commands: HOST_COMMAND_TYPES,
  variables: HOST_VARIABLES,
  inputs: HOST_INPUTS,
  statusOf: ({ status }) => status,
  rows: [
    ...REGISTRATION_ROWS,
    ...DISCOVERY_ROWS,
    ...PREPARATION_ROWS,
    ...INSTALLATION_ROWS,
    ...STAGE_ROWS,
    ...ENDED_ROWS,
    ...UNBOUND_ROWS,
    ...PROGRESS_ROWS,
    ...LIFECYCLE_ROWS,
    ...PRESENCE_ROWS,
    ...EDIT_ROWS,
    ...IDENTITY_ROWS,
    ...DEADLINE_ROWS,
    ...AGENT_REFUSAL_ROWS,
    ...LIFECYCLE_REFUSAL_ROWS,
    ...EDIT_REFUSAL_ROWS,
  ],
});

/** Returns the host aggregate with the timeouts of a deployment. */
export function createHostDecider(timeouts: HostTimeouts): Decider<HostState, HostCommand, HostEvent, ProblemCode> {
  return createTableDecider<HostTable, HostRow>(
    {
      table: HOST_TABLE,
      initialState: initialHost,
      evolve: evolveHost,
      validate: ({ command, state }) =>
        command.type === 'Refresh' && restsOnOutdated(command, state) ? OUTDATED_OUTCOMES : undefined,
      transition: statusEvents,
      next: nextCommand,
    },
    timeouts,
  );
}

/** The host aggregate with the default timeouts. */
export const hostDecider = createHostDecider(DEFAULT_HOST_TIMEOUTS);

/** A refresh is repeated until nothing changes. A passed deadline is followed by one refresh. */
function nextCommand({ command }: { readonly command: HostCommand }, after: HostState): HostCommand | undefined {
  if (command.type !== 'Refresh' && command.type !== 'PassDeadline') return undefined;
  if (restsOnOutdated(command, after)) return undefined;
  if (command.type === 'Refresh') return command;
  const { at, conditions, evaluatedRevision, cluster, softTimeouts } = command;
  return { type: 'Refresh', at, conditions, evaluatedRevision, cluster, softTimeouts };
}

const restsOnOutdated = (given: EvaluatedInputs, state: HostState): boolean =>
  EVALUATED.has(state.status) && isOutdated(given, state);

function statusEvents(transition: Transition<HostTable, HostRow>): readonly HostEvent[] {
  const { row, state, command, from, to, after } = transition;
  const statusReason = transition.reason ?? state.statusReason;
  if (to === from)
    return after.status === 'unregistered' || isSameValue(statusReason, state.statusReason)
      ? []
      : [{ type: 'HostStatusExplained', data: { statusReason } }];
  return [
    {
      type: 'HostEnteredStatus',
      data: {
        status: to,
        from: from === 'unregistered' ? '' : from,
        statusReason,
        transition: row.id,
        at: command.at,
        cause: row.cause ?? '',
      },
    },
  ];
}
