import type { InfraEnvEvent } from '@muster/contracts';
import { type CommandOf, type GuardInputs, refusalsOf, type Row } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import type { InfraEnvCommand, InfraEnvCommandType } from './commands';
import { infraEnvChanges, type InfraEnvPhase, type InfraEnvState, withInfraEnvDefaults } from './state';

export const INFRA_ENV_VARIABLES = {
  /** Whether hosts are registered in the infra-env. */
  hosts: ['some', 'none'],
  /** Whether a revision changes anything. */
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

/** Rows from the registration to the deletion of an infra-env. */
export const LIFECYCLE_ROWS: readonly (
  InfraEnvRowOn<'Register'> | InfraEnvRowOn<'Revise'> | InfraEnvRowOn<'RotateSigningKey'> | InfraEnvRowOn<'Deregister'>
)[] = [
  {
    id: 'register',
    from: ['unregistered'],
    on: 'Register',
    to: 'registered',
    why: 'The infra-env exists and its image can be downloaded.',
    emit: ({ command: { infraEnvId, settings, owner, pullSecretSet } }) => [
      {
        type: 'InfraEnvRegistered',
        data: { infraEnvId, settings: withInfraEnvDefaults(settings), owner, pullSecretSet },
      },
    ],
  },
  {
    id: 'revise',
    from: ['registered'],
    on: 'Revise',
    when: { changes: ['some'] },
    to: 'stay',
    why: 'The change affects the image, so the URL of the image changes.',
    emit: ({ command, state }) => [
      {
        type: 'InfraEnvSettingsRevised',
        data: {
          changes: infraEnvChanges(state.settings, command.changes),
          pullSecretReplaced: command.pullSecretReplaced,
        },
      },
    ],
  },
  {
    id: 'revise-nothing',
    from: ['registered'],
    on: 'Revise',
    when: { changes: ['none'] },
    to: 'stay',
    why: 'The change does not affect the image, so its URL does not change.',
  },
  {
    id: 'rotate-signing-key',
    from: ['registered'],
    on: 'RotateSigningKey',
    to: 'stay',
    why: 'URLs that were signed with the previous key stop working.',
    emit: () => [{ type: 'ImageSigningKeyRotated', data: {} }],
  },
  {
    id: 'deregister',
    from: ['registered'],
    on: 'Deregister',
    when: { hosts: ['none'] },
    to: 'deregistered',
    why: 'The infra-env has no hosts.',
    emit: () => [{ type: 'InfraEnvDeregistered', data: {} }],
  },
];

const missing = (phase: 'unregistered' | 'deregistered', reason: string): readonly InfraEnvRow[] =>
  (['Revise', 'RotateSigningKey', 'Deregister'] as const).map((on) =>
    refuse({
      id: `${phase}-has-no-${on}`,
      from: [phase],
      on,
      code: 'not-found',
      reason,
      subject: 'infra_env_id',
      allowed: [],
    }),
  );

const WITH_HOSTS: InfraEnvRowOn<'Deregister'> = refuse({
  id: 'deregister-with-hosts',
  from: ['registered'],
  on: 'Deregister',
  when: { hosts: ['some'] },
  code: 'invalid-input',
  reason: ({ command: { hostCount } }) => `The infra-env still has ${hostCount} hosts. Remove them first.`,
  subject: 'hosts',
  allowed: [],
  why: 'The hosts would continue to poll a deleted infra-env. The v2 API answers with 400.',
});

/** Rows that refuse commands. */
export const REFUSAL_ROWS: readonly InfraEnvRow[] = [
  ...missing('unregistered', 'The infra-env does not exist.'),
  ...missing('deregistered', 'The infra-env was deleted.'),
  refuse({
    id: 'registered-already',
    from: ['registered', 'deregistered'],
    on: 'Register',
    code: 'already-exists',
    reason: 'An infra-env with this id exists or existed. Use a new id.',
    subject: 'infra_env_id',
    allowed: [],
    why: 'An id is never reused, because hosts that boot an old image would register in the new infra-env.',
  }),
  WITH_HOSTS,
];
