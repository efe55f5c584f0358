import { type InfraEnvRow, type InfraEnvRowOn, refuse } from '../guards';

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
  why: 'Its hosts would keep polling an infra-env that no longer exists. The v2 API answers with 400.',
});

/** Commands that are refused. */
export const REFUSAL_ROWS: readonly InfraEnvRow[] = [
  ...missing('unregistered', 'There is no infra-env with this id.'),
  ...missing('deregistered', 'The infra-env was deleted.'),
  refuse({
    id: 'registered-already',
    from: ['registered', 'deregistered'],
    on: 'Register',
    code: 'already-exists',
    reason: 'An infra-env with this id exists or existed. Use a new id.',
    subject: 'infra_env_id',
    allowed: [],
    why: 'Ids are never used twice: hosts that boot an old image would register in the new infra-env.',
  }),
  WITH_HOSTS,
];
