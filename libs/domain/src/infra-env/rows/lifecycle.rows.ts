import type { InfraEnvRowOn } from '../guards';
import { infraEnvChanges, withInfraEnvDefaults } from '../settings';

/** From the registration of an infra-env to its end. */
export const LIFECYCLE_ROWS: readonly (
  InfraEnvRowOn<'Register'> | InfraEnvRowOn<'Revise'> | InfraEnvRowOn<'RotateSigningKey'> | InfraEnvRowOn<'Deregister'>
)[] = [
  {
    id: 'register',
    from: ['unregistered'],
    on: 'Register',
    to: 'registered',
    why: 'From here on an image can be made.',
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
    why: 'The next download is another image, and its URL changes with it.',
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
    why: 'The image would be the same, so its URL stays.',
  },
  {
    id: 'rotate-signing-key',
    from: ['registered'],
    on: 'RotateSigningKey',
    to: 'stay',
    why: 'URLs that were signed before stop working.',
    emit: () => [{ type: 'ImageSigningKeyRotated', data: {} }],
  },
  {
    id: 'deregister',
    from: ['registered'],
    on: 'Deregister',
    when: { hosts: ['none'] },
    to: 'deregistered',
    why: 'No host depends on it.',
    emit: () => [{ type: 'InfraEnvDeregistered', data: {} }],
  },
];
