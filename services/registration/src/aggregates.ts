import {
  type ClusterEvent,
  eventCategory,
  type HostEvent,
  type InfraEnvEvent,
  type Owner,
  type Plain,
  type RecordedMusterEvent,
  STREAM_OWNERS,
} from '@muster/contracts';
import {
  type ClusterCommand,
  type ClusterState,
  createClusterDecider,
  createHostDecider,
  type HostCommand,
  type HostState,
  type InfraEnvCommand,
  infraEnvDecider,
  type InfraEnvState,
} from '@muster/domain';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
} from '@muster/event-sourcing';
import { CLOCK, EVENT_STORE, IDS, type MusterEventStore } from '@muster/nest-kit';
import type { Clock, Ids } from '@muster/ports';
import type { ProblemCode } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from './config';

/** Origin of a command that the service itself sends: the causing event and the owner of the aggregate. */
export interface CommandOrigin {
  readonly cause?: { readonly causationId?: string; readonly correlationId: string };
  readonly state?: { readonly owner: Plain<Owner> };
}

/** The command handlers of the three aggregates of this service. */
@Injectable()
export class Aggregates {
  readonly clusters: CommandHandler<ClusterState, ClusterCommand, ClusterEvent, ProblemCode>;
  readonly hosts: CommandHandler<HostState, HostCommand, HostEvent, ProblemCode>;
  readonly infraEnvs: CommandHandler<InfraEnvState, InfraEnvCommand, InfraEnvEvent, ProblemCode>;

  constructor(
    @Inject(EVENT_STORE) eventStore: MusterEventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CONFIG) config: RegistrationConfig,
  ) {
    const store = ownedEventStore(eventStore, 'registration', STREAM_OWNERS);
    const clusterDecider = createClusterDecider({
      timeouts: config.clusterTimeouts,
      monitorsClusterVersion: config.steps.checkClusterVersion,
    });
    const hostDecider = createHostDecider(config.hostTimeouts);
    this.clusters = createCommandHandler({
      category: eventCategory('cluster'),
      decider: clusterDecider,
      store,
      clock,
      ids,
    });
    this.hosts = createCommandHandler({ category: eventCategory('host'), decider: hostDecider, store, clock, ids });
    this.infraEnvs = createCommandHandler({
      category: eventCategory('infraEnv'),
      decider: infraEnvDecider,
      store,
      clock,
      ids,
    });
  }

  /** Applies an event that another replica may have stored, so that reads include it. */
  observe(event: RecordedMusterEvent): void {
    this.clusters.observe(event);
    this.hosts.observe(event);
    this.infraEnvs.observe(event);
  }

  /** Returns the present time for commands: ISO 8601 UTC with milliseconds. */
  now(): string {
    return new Date(this.clock.nowMs()).toISOString();
  }

  /** Returns the context of a command that the service itself sends. */
  ownContext({ cause, state }: CommandOrigin = {}): CommandContext {
    const commandId = this.ids.uuid();
    return {
      commandId,
      correlationId: cause?.correlationId ?? commandId,
      causationId: cause?.causationId,
      actor: 'service:registration',
      org: state?.owner.orgId || undefined,
      user: state?.owner.userName || undefined,
    };
  }
}
