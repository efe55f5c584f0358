import { indexRows } from '@muster/decision';
import type { HostCommandType } from './host-commands';
import type { HostRow } from './host-row';
import { HOST_SOURCES, type HostSource } from './host-status';
import type { HostVariables } from './host-variables';
import { DEADLINE_ROWS } from './rows/deadline-rows';
import { DISCOVERY_ROWS } from './rows/discovery-rows';
import { EDIT_ROWS } from './rows/edit-rows';
import { ENDED_ROWS } from './rows/ended-rows';
import { IDENTITY_ROWS } from './rows/identity-rows';
import { INSTALLATION_ROWS } from './rows/installation-rows';
import { LIFECYCLE_ROWS } from './rows/lifecycle-rows';
import { POOL_ROWS } from './rows/pool-rows';
import { PREPARATION_ROWS } from './rows/preparation-rows';
import { PRESENCE_ROWS } from './rows/presence-rows';
import { PROGRESS_ROWS } from './rows/progress-rows';
import { AGENT_REFUSAL_ROWS } from './rows/agent-refusal-rows';
import { EDIT_REFUSAL_ROWS } from './rows/edit-refusal-rows';
import { LIFECYCLE_REFUSAL_ROWS } from './rows/lifecycle-refusal-rows';
import { REGISTRATION_ROWS } from './rows/registration-rows';
import { STAGE_ROWS } from './rows/stage-rows';

/** What a host does: every accepted pair of status and command. */
export const HOST_ROWS: readonly HostRow[] = [
  ...REGISTRATION_ROWS,
  ...DISCOVERY_ROWS,
  ...PREPARATION_ROWS,
  ...INSTALLATION_ROWS,
  ...STAGE_ROWS,
  ...ENDED_ROWS,
  ...POOL_ROWS,
  ...PROGRESS_ROWS,
  ...LIFECYCLE_ROWS,
  ...PRESENCE_ROWS,
  ...EDIT_ROWS,
  ...IDENTITY_ROWS,
  ...DEADLINE_ROWS,
];

/** What a host does not do, by name. */
export const HOST_REFUSALS: readonly HostRow[] = [
  ...AGENT_REFUSAL_ROWS,
  ...LIFECYCLE_REFUSAL_ROWS,
  ...EDIT_REFUSAL_ROWS,
];

/** The whole table. For every status, command and valuation there is exactly one row. */
export const HOST_TABLE: readonly HostRow[] = [...HOST_ROWS, ...HOST_REFUSALS];

export const selectHostRow = indexRows<HostSource, HostCommandType, HostVariables, HostRow>(HOST_TABLE);

const ACCEPTING = new Map<HostCommandType, readonly HostSource[]>();
for (const { on } of HOST_ROWS)
  if (!ACCEPTING.has(on)) {
    const statuses = new Set(HOST_ROWS.filter((row) => row.on === on).flatMap((row) => row.from));
    ACCEPTING.set(
      on,
      HOST_SOURCES.filter((status) => status !== 'unregistered' && statuses.has(status)),
    );
  }

/** Statuses in which the command is accepted, at least under some guard. */
export function statusesAccepting(on: HostCommandType): readonly HostSource[] {
  return ACCEPTING.get(on) ?? [];
}
