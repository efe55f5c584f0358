import type { InfraEnvEvent } from '@muster/contracts';
import { type CommandOf, type GuardInputs, refusalsOf, type Row } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import type { InfraEnvCommand, InfraEnvCommandType } from './commands';
import { infraEnvChanges } from './settings';
import type { InfraEnvPhase, InfraEnvState } from './state';

export const INFRA_ENV_VARIABLES = {
  /** Are hosts registered in it? */
  hosts: ['some', 'none'],
  /** Does a revision change anything? */
  changes: ['some', 'none'],
} as const;

/** The types of the infra-env's decision table. */
export interface InfraEnvTable {
  readonly Status: InfraEnvPhase;
  readonly State: InfraEnvState;
  readonly Command: InfraEnvCommand;
  readonly Event: InfraEnvEvent;
  readonly Variables: typeof INFRA_ENV_VARIABLES;
  readonly Settings: undefined;
  /** An infra-env has no status text. */
  readonly Reason: never;
  readonly Code: ProblemCode;
}

export type InfraEnvRow = Row<InfraEnvTable>;
export type InfraEnvRowOn<Type extends InfraEnvCommandType> = Row<InfraEnvTable, CommandOf<InfraEnvTable, Type>>;
export const refuse = refusalsOf<InfraEnvTable>();

export const INFRA_ENV_INPUTS: GuardInputs<InfraEnvTable> = {
  Revise: ({ command, state }) => {
    const isRevised =
      command.pullSecretReplaced || Object.keys(infraEnvChanges(state.settings, command.changes)).length > 0;
    return { changes: isRevised ? 'some' : 'none' };
  },
  Deregister: ({ command }) => ({ hosts: command.hostCount > 0 ? 'some' : 'none' }),
};
