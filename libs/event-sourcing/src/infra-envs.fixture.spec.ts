import { eventCategory, type InfraEnvEvent, MUSTER_CODEC } from '@muster/contracts';
import { type InfraEnvCommand, infraEnvDecider, type InfraEnvState } from '@muster/domain';
import type { EventStore } from '@muster/ports';
import { manualClock, seededIds } from '@muster/testing';
import type { CommandContext } from './aggregate';
import { type CommandHandler, type CommandHandlerOptions, createCommandHandler } from './command-handler';
import { typedEventStore } from './typed-event-store';

const AT = '2024-01-01T00:00:00.000Z';
let seeds = 0;

/** Returns a command handler with a real decider. Each call returns another replica of the service. */
export const infraEnvs = (
  store: EventStore,
  options: Partial<Omit<CommandHandlerOptions<InfraEnvState, InfraEnvCommand, InfraEnvEvent>, 'store'>> = {},
): CommandHandler<InfraEnvState, InfraEnvCommand> =>
  createCommandHandler({
    category: eventCategory('infraEnv'),
    decider: infraEnvDecider,
    store: typedEventStore(store, MUSTER_CODEC),
    clock: manualClock(),
    ids: seededIds((seeds += 1)),
    ...options,
  });

export const register = (infraEnvId = 'one'): InfraEnvCommand => ({
  type: 'Register',
  at: AT,
  infraEnvId,
  settings: { name: 'lab', cpuArchitecture: 'x86_64' },
  owner: { userName: 'ann', orgId: 'acme', emailDomain: 'acme.example' },
  pullSecretSet: true,
});
/** A command that is accepted any number of times with one event each. */
export const rotate: InfraEnvCommand = { type: 'RotateSigningKey', at: AT };
export const rename = (name: string): InfraEnvCommand => ({
  type: 'Revise',
  at: AT,
  changes: { name },
  pullSecretReplaced: false,
});
export const deregister: InfraEnvCommand = { type: 'Deregister', at: AT, hostCount: 0 };

let commands = 0;
export const context = (commandId = `command-${(commands += 1)}`): CommandContext => ({
  commandId,
  correlationId: 'correlation',
  actor: 'ann',
});
