import {
  type ClusterEvent,
  eventCategory,
  type HostEvent,
  type InfraEnvEvent,
  isHostKey,
  type Owner,
  type Plain,
  type RecordedMusterEvent,
  STREAM_OWNERS,
  streamIdOf,
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
  type Aggregate,
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  type KnownAggregate,
  ownedEventStore,
} from '@muster/event-sourcing';
import { CLOCK, EVENT_STORE, IDS, type MusterEventStore } from '@muster/nest-kit';
import { type Clock, type Ids, isoTime, START_OF_STORE, type StreamId } from '@muster/ports';
import type { ProblemCode } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from './config';
import { RegistrationView } from './view/registration-view';

/**
 * Number of the last events of a host that are read for their command ids when its first command after a start arrives that may be a
 * repetition. Repetitions arrive within seconds.
 */
const REPEATABLE_HOST_EVENTS = 128;

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
  readonly clusterDecider: ReturnType<typeof createClusterDecider>;
  readonly hostDecider: ReturnType<typeof createHostDecider>;

  /** Position of the last event in streams with events that the feed has not delivered. */
  private readonly undelivered = new Map<string, number>();
  private observedPosition = START_OF_STORE;

  constructor(
    @Inject(EVENT_STORE) eventStore: MusterEventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CONFIG) config: RegistrationConfig,
    private readonly view: RegistrationView,
  ) {
    const store = ownedEventStore(eventStore, 'registration', STREAM_OWNERS);
    this.clusterDecider = createClusterDecider({
      timeouts: config.clusterTimeouts,
      monitorsClusterVersion: config.monitorsClusterVersion,
    });
    this.hostDecider = createHostDecider(config.hostTimeouts);
    this.clusters = createCommandHandler({
      category: eventCategory('cluster'),
      decider: this.clusterDecider,
      store,
      clock,
      ids,
      known: (id) => this.known(streamIdOf('cluster', id), this.view.cluster(id)),
      onStored: this.noteStored,
    });
    this.hosts = createCommandHandler({
      category: eventCategory('host'),
      decider: this.hostDecider,
      store,
      clock,
      ids,
      known: (id) => (isHostKey(id) ? this.known(streamIdOf('host', id), this.view.host(id)) : undefined),
      repeatableEvents: REPEATABLE_HOST_EVENTS,
      onStored: this.noteStored,
    });
    this.infraEnvs = createCommandHandler({
      category: eventCategory('infraEnv'),
      decider: infraEnvDecider,
      store,
      clock,
      ids,
      known: (id) => this.known(streamIdOf('infraEnv', id), this.view.infraEnv(id)),
      onStored: this.noteStored,
    });
  }

  /** Returns true while the feed has not delivered an event that this process stored in the stream. */
  isAheadOfFeed(streamId: StreamId): boolean {
    return this.undelivered.has(streamId);
  }

  /** Applies an event that another replica may have stored, so that reads include it. */
  observe(event: RecordedMusterEvent): void {
    this.observedPosition = event.position;
    if (event.position >= (this.undelivered.get(event.streamId) ?? event.position))
      this.undelivered.delete(event.streamId);
    this.clusters.observe(event);
    this.hosts.observe(event);
    this.infraEnvs.observe(event);
  }

  /** The view folds the same events. After a start it has the states that were saved. */
  private known<State>(streamId: StreamId, entry: Aggregate<State> | undefined): KnownAggregate<State> | undefined {
    if (!entry) return undefined;
    const { state, revision, position } = entry;
    return { state, revision, position, isCurrent: this.view.isLive && !this.isAheadOfFeed(streamId) };
  }

  /** The feed may deliver an event before its command is answered. */
  private readonly noteStored = (streamId: StreamId, position: number): void => {
    if (position > this.observedPosition) this.undelivered.set(streamId, position);
  };

  /** Returns the present time for commands: ISO 8601 UTC with milliseconds. */
  now(): string {
    return isoTime(this.clock.nowMs());
  }

  /** Returns the context of a command that the service itself sends, with a new id. */
  ownContext({ cause, state }: CommandOrigin = {}): CommandContext {
    const commandId = this.ids.uuid();
    return {
      commandId,
      unusedUpTo: this.view.position(),
      correlationId: cause?.correlationId ?? commandId,
      causationId: cause?.causationId,
      actor: 'service:registration',
      org: state?.owner.orgId || undefined,
      user: state?.owner.userName || undefined,
    };
  }
}
