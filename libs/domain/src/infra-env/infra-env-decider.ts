import type { InfraEnvEvent } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import { selectRow, type GuardValues } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import type { InfraEnvCommand } from './infra-env-commands';
import { infraEnvInputRefusal } from './infra-env-input';
import {
  INFRA_ENV_REFUSALS,
  INFRA_ENV_TRANSITIONS,
  type InfraEnvTransition,
  type InfraEnvVariables,
} from './infra-env-row';
import { infraEnvChanges, mergeInfraEnvSettings, withInfraEnvDefaults } from './infra-env-settings';
import { type InfraEnvState, initialInfraEnvState } from './infra-env-state';

/** What follows from a command; one that changes nothing is accepted without events. */
export function decideInfraEnv(command: InfraEnvCommand, state: InfraEnvState): Decision<InfraEnvEvent, ProblemCode> {
  const invalid = inputRefusal(command, state);
  if (invalid) return refused(invalid);
  const values = evaluateGuards(command, state);
  const row = selectRow(INFRA_ENV_TRANSITIONS, state.status, command.type, values);
  if (row) return accepted(...eventsOf(row, command, state));
  const refusal = selectRow(INFRA_ENV_REFUSALS, state.status, command.type, values);
  if (!refusal) throw new Error(`No row for ${command.type} in ${state.status}: the tables have a gap.`);
  const hosts = command.type === 'Deregister' ? String(command.hostCount) : '';
  return refused({
    code: refusal.code,
    reason: refusal.reason.replace('{hosts}', hosts),
    subject: refusal.subject,
  });
}

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
      return unknown(event);
  }
}

export const infraEnvDecider: Decider<InfraEnvState, InfraEnvCommand, InfraEnvEvent, ProblemCode> = {
  initialState: initialInfraEnvState,
  evolve: evolveInfraEnv,
  decide: decideInfraEnv,
};

function inputRefusal(command: InfraEnvCommand, state: InfraEnvState): ReturnType<typeof infraEnvInputRefusal> {
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

function evaluateGuards(command: InfraEnvCommand, state: InfraEnvState): GuardValues<InfraEnvVariables> {
  const isRevised =
    command.type === 'Revise' &&
    (command.pullSecretReplaced || Object.keys(infraEnvChanges(state.settings, command.changes)).length > 0);
  return {
    hosts: command.type === 'Deregister' && command.hostCount > 0 ? 'some' : 'none',
    changes: isRevised ? 'some' : 'none',
  };
}

function eventsOf(row: InfraEnvTransition, command: InfraEnvCommand, state: InfraEnvState): readonly InfraEnvEvent[] {
  switch (command.type) {
    case 'Register':
      return [
        {
          type: 'InfraEnvRegistered',
          data: {
            infraEnvId: command.infraEnvId,
            settings: withInfraEnvDefaults(command.settings),
            owner: command.owner,
            pullSecretSet: command.pullSecretSet,
          },
        },
      ];
    case 'Revise':
      return row.then === undefined
        ? []
        : [
            {
              type: 'InfraEnvSettingsRevised',
              data: {
                changes: infraEnvChanges(state.settings, command.changes),
                pullSecretReplaced: command.pullSecretReplaced,
              },
            },
          ];
    case 'RotateSigningKey':
      return [{ type: 'ImageSigningKeyRotated', data: {} }];
    case 'Deregister':
      return [{ type: 'InfraEnvDeregistered', data: {} }];
  }
}

function unknown(event: never): never {
  throw new Error(`No case for ${JSON.stringify(event)}`);
}
