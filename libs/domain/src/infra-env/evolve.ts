import type { InfraEnvEvent } from '@muster/contracts';
import { unknownEvent } from '@muster/decision';
import { mergeInfraEnvSettings } from './settings';
import type { InfraEnvState } from './state';

/** Returns the state after one more event. */
export function evolveInfraEnv(state: InfraEnvState, event: InfraEnvEvent): InfraEnvState {
  switch (event.type) {
    case 'InfraEnvRegistered':
      return {
        ...state,
        status: 'registered',
        infraEnvId: event.data.infraEnvId,
        owner: event.data.owner ?? state.owner,
        settings: event.data.settings ?? {},
        pullSecretSet: event.data.pullSecretSet,
      };
    case 'InfraEnvSettingsRevised':
      return {
        ...state,
        settings: mergeInfraEnvSettings(state.settings, event.data.changes ?? {}),
        pullSecretSet: state.pullSecretSet || event.data.pullSecretReplaced,
      };
    case 'ImageSigningKeyRotated':
      return { ...state, signingKeyGeneration: state.signingKeyGeneration + 1 };
    case 'InfraEnvDeregistered':
      return { ...state, status: 'deregistered' };
    default:
      return unknownEvent(state, event);
  }
}
