import type { InfraEnvEvent } from '@muster/contracts';
import { createTableDecider, type Decider, defineTable, type RowContext } from '@muster/decision';
import type { ProblemCode, Refusal } from '@muster/problems';
import { INFRA_ENV_COMMANDS, type InfraEnvCommand } from './commands';
import { infraEnvInputRefusal } from './input';
import { INFRA_ENV_INPUTS, INFRA_ENV_VARIABLES, type InfraEnvTable, LIFECYCLE_ROWS, REFUSAL_ROWS } from './rows';
import {
  evolveInfraEnv,
  INFRA_ENV_PHASES,
  infraEnvChanges,
  type InfraEnvState,
  initialInfraEnvState,
  mergeInfraEnvSettings,
  withInfraEnvDefaults,
} from './state';

export const INFRA_ENV_TABLE = defineTable<InfraEnvTable>({
  statuses: INFRA_ENV_PHASES,
  commands: INFRA_ENV_COMMANDS,
  variables: INFRA_ENV_VARIABLES,
  inputs: INFRA_ENV_INPUTS,
  statusOf: ({ status }) => status,
  rows: [...LIFECYCLE_ROWS, ...REFUSAL_ROWS],
});

/** The infra-env aggregate. */
export const infraEnvDecider: Decider<InfraEnvState, InfraEnvCommand, InfraEnvEvent, ProblemCode> =
  createTableDecider<InfraEnvTable>(
    {
      table: INFRA_ENV_TABLE,
      initialState: initialInfraEnvState,
      evolve: evolveInfraEnv,
      validate: inputRefusal,
      // The events of the rows contain the status.
      transition: () => [],
    },
    undefined,
  );

function inputRefusal({ command, state }: RowContext<InfraEnvTable>): Refusal | undefined {
  if (command.type === 'Register' && state.status === 'unregistered')
    return infraEnvInputRefusal({
      given: command.settings,
      settings: withInfraEnvDefaults(command.settings),
      before: undefined,
    });
  if (command.type === 'Revise' && state.status === 'registered') {
    const settings = mergeInfraEnvSettings(state.settings, infraEnvChanges(state.settings, command.changes));
    return infraEnvInputRefusal({ given: command.changes, settings, before: state.settings });
  }
  return undefined;
}
