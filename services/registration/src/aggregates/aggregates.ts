import { randomUUID } from 'node:crypto';
import {
  createClusterDecider,
  type ClusterCommand,
  type ClusterState,
  createHostDecider,
  type HostCommand,
  type HostState,
  infraEnvDecider,
  type InfraEnvCommand,
  type InfraEnvState,
} from '@muster/domain';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  type HandleResult,
  ownedEventStore,
} from '@muster/event-sourcing';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';

/** The three aggregates this service owns, ready to be commanded. */
@Injectable()
export class Aggregates {
  readonly clusters: CommandHandler<ClusterState, ClusterCommand>;
  readonly hosts: CommandHandler<HostState, HostCommand>;
  readonly infraEnvs: CommandHandler<InfraEnvState, InfraEnvCommand>;

  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    @Inject(CONFIG) config: RegistrationConfig,
  ) {
    const { clock, ids } = platform;
    const store = ownedEventStore(platform.eventStore, 'registration');
    this.clusters = createCommandHandler({
      category: 'cluster',
      decider: createClusterDecider({
        timeouts: config.clusterTimeouts,
        monitorsClusterVersion: config.steps.checkClusterVersion,
      }),
      store,
      clock,
      ids,
    });
    this.hosts = createCommandHandler({
      category: 'host',
      decider: createHostDecider(config.hostTimeouts),
      store,
      clock,
      ids,
    });
    this.infraEnvs = createCommandHandler({ category: 'infraEnv', decider: infraEnvDecider, store, clock, ids });
  }

  /** The time that commands carry: ISO 8601 UTC with milliseconds. */
  now(): string {
    return new Date(this.platform.clock.nowMs()).toISOString();
  }

  /** A command that the service gives itself, because of `causationId`. */
  ownContext(causationId?: string): CommandContext {
    const commandId = randomUUID();
    return { commandId, correlationId: causationId ?? commandId, causationId, actor: 'service:registration' };
  }
}

/** Where the command got to; throws RefusalError when it was refused. */
export function storedOrThrow<State>(result: HandleResult<State>): {
  readonly position: number;
  readonly revision: number;
} {
  if (result.kind === 'refused') throw new RefusalError(result.refusal);
  return { position: result.position, revision: result.revision };
}
