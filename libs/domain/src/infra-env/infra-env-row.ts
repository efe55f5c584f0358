import type { ProblemCode } from '@muster/problems';
import type { Row } from '@muster/decision';
import type { InfraEnvCommandType } from './infra-env-commands';
import type { InfraEnvPhase } from './infra-env-state';

export const INFRA_ENV_VARIABLES = {
  /** Are hosts registered in it? */
  hosts: ['some', 'none'],
  changes: ['some', 'none'],
} as const;
export type InfraEnvVariables = typeof INFRA_ENV_VARIABLES;

/** `then` names the fact; a row without it accepts and stores nothing. */
export interface InfraEnvTransition extends Row<InfraEnvPhase, InfraEnvCommandType, InfraEnvVariables> {
  readonly then?: 'registered' | 'revised' | 'rotated' | 'deregistered';
}

export interface InfraEnvRefusal extends Row<InfraEnvPhase, InfraEnvCommandType, InfraEnvVariables> {
  readonly to: 'stay';
  readonly code: ProblemCode;
  readonly reason: string;
  readonly subject: string;
}

export const INFRA_ENV_TRANSITIONS: readonly InfraEnvTransition[] = [
  {
    id: 'register',
    from: ['unregistered'],
    on: 'Register',
    to: 'registered',
    then: 'registered',
    why: 'An image can be made from here on.',
  },
  {
    id: 'revise',
    from: ['registered'],
    on: 'Revise',
    when: { changes: ['some'] },
    to: 'stay',
    then: 'revised',
    why: 'The next download is of another image; its address changes with it.',
  },
  {
    id: 'revise-nothing',
    from: ['registered'],
    on: 'Revise',
    when: { changes: ['none'] },
    to: 'stay',
    why: 'The image would be the same, so its address stays.',
  },
  {
    id: 'rotate-signing-key',
    from: ['registered'],
    on: 'RotateSigningKey',
    to: 'stay',
    then: 'rotated',
    why: 'Addresses that were handed out stop working.',
  },
  {
    id: 'deregister',
    from: ['registered'],
    on: 'Deregister',
    when: { hosts: ['none'] },
    to: 'deregistered',
    then: 'deregistered',
    why: 'Nobody depends on it.',
  },
];

const absent = (phase: 'unregistered' | 'deregistered', reason: string): readonly InfraEnvRefusal[] =>
  (['Revise', 'RotateSigningKey', 'Deregister'] as const).map((on) => ({
    id: `${phase}-has-no-${on}`,
    from: [phase],
    on,
    to: 'stay',
    code: 'not-found',
    reason,
    subject: 'infra_env_id',
    why: 'There is nothing to act on.',
  }));

export const INFRA_ENV_REFUSALS: readonly InfraEnvRefusal[] = [
  ...absent('unregistered', 'There is no infra-env with this id.'),
  ...absent('deregistered', 'The infra-env was deleted.'),
  {
    id: 'registered-already',
    from: ['registered', 'deregistered'],
    on: 'Register',
    to: 'stay',
    code: 'already-exists',
    reason: 'An infra-env with this id exists or existed; take a new id.',
    subject: 'infra_env_id',
    why: 'Ids are never used twice: hosts that boot an old image would turn up in the new infra-env.',
  },
  {
    id: 'deregister-with-hosts',
    from: ['registered'],
    on: 'Deregister',
    when: { hosts: ['some'] },
    to: 'stay',
    code: 'invalid-input',
    reason: 'The infra-env still has {hosts} hosts: remove them first.',
    subject: 'hosts',
    why: 'Its hosts would go on polling something that is gone. The contract answers with 400.',
  },
];
