import {
  type HostKey,
  isEventOf,
  isHostKey,
  parseHostKey,
  parseStreamId,
  type RecordedMusterEvent,
  RegistrationService,
} from '@muster/contracts';
import { clusterOfHostAfter, isClosedHost } from '@muster/domain';
import {
  EVENT_STORE,
  Handles,
  type InputOf,
  type MusterEventStore,
  type OutputOf,
  ReactorHost,
  SAVED,
  SECRETS,
} from '@muster/nest-kit';
import type { RunAgain, SavedConsumer } from '@muster/event-sourcing';
import type { Secrets } from '@muster/ports';
import { Controller, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { BusRevocations } from '../agents/bus-revocations';
import { Nudges } from '../agents/host-bus';
import { NextSteps } from '../agents/next-steps';
import { Presence } from '../agents/presence';
import { HostClocks } from '../agents/step-replies';
import { Aggregates } from '../aggregates';
import { Propagation } from '../clusters/cluster-actions';
import { ClusterProcess } from '../clusters/cluster-process';
import { HostProcess } from '../hosts/host-process';
import { RegistrationView } from '../view/registration-view';
import { Deadlines } from './deadlines';
import {
  concernOf,
  isReactionOpen,
  openKeysOf,
  parseReactionKey,
  reactionKeysOf,
  ReactionTracker,
  type TrackedKey,
} from './reaction-keys';

/**
 * Runs the reactions of this service on one feed.
 * 1. The view applies each event.
 * 2. The event marks the hosts and clusters that depend on it as due.
 * 3. Each due key is re-evaluated.
 * 4. Its deadlines go into one timer heap; a passed deadline becomes a command.
 * Only the start iterates over all hosts.
 */
@Injectable()
export class RegistrationProcess implements OnApplicationBootstrap {
  private readonly logger = new Logger('registration');

  constructor(
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(SAVED) private readonly saved: SavedConsumer,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly hosts: HostProcess,
    private readonly clusters: ClusterProcess,
    private readonly propagation: Propagation,
    private readonly presence: Presence,
    private readonly clocks: HostClocks,
    private readonly steps: NextSteps,
    private readonly deadlines: Deadlines,
    private readonly nudges: Nudges,
    private readonly revocations: BusRevocations,
    private readonly tracker: ReactionTracker,
    private readonly host: ReactorHost,
  ) {}

  onApplicationBootstrap(): void {
    this.host.start({
      name: 'registration',
      prepare: (event) => this.prepare(event),
      observe: (event) => this.observe(event),
      keysOf: (event) => reactionKeysOf(event, this.view),
      react: (key) => this.react(key),
      openKeys: () => openKeysOf(this.view),
      saved: this.saved,
      isOpen: (key) => isReactionOpen(key, this.view),
      onLive: () => this.goLive(),
    });
  }

  /** Resolves when all events up to the position were applied and their reactions ran, except for paused keys. */
  async followed(position: number): Promise<void> {
    await this.host.followed(position);
  }

  /**
   * The same with the reactions of one host, of a cluster and its hosts, or of the hosts of an infra-env and their clusters. Returns the
   * position of the last event of these, as far as they are in memory: the reactions have loaded what they changed.
   */
  async followedBy(subjectId: string, position: number): Promise<number> {
    await this.host.followed(position, () => concernOf(this.view.concernedParts(subjectId)));
    const { hosts, clusters } = this.view.concernedParts(subjectId);
    return Math.max(
      position,
      ...[...clusters].map((id) => this.aggregates.clusters.positionOf(id)),
      ...[...hosts].map((key) => this.aggregates.hosts.positionOf(key)),
    );
  }

  private goLive(): void {
    this.view.isLive = true;
    this.presence.start();
    this.deadlines.start();
    this.revocations
      .endRemoved()
      .catch((error: Error) => this.logger.error(`The bus credentials of removed hosts: ${error.message}`));
  }

  /** Reads the entries that the event changes. When a read fails, the event is delivered again, which `observe` would skip. */
  private *prepare(event: RecordedMusterEvent): Iterable<undefined> {
    const { category, id } = parseStreamId(event.streamId);
    if (isHostKey(id)) {
      const left = this.view.host(id)?.state.clusterId ?? '';
      const joined = isEventOf('host', event) ? clusterOfHostAfter(left, event) : left;
      for (const clusterId of new Set([left, joined])) if (clusterId) this.view.cluster(clusterId);
      this.view.hostCountOfInfraEnv(parseHostKey(id).infraEnvId);
    } else if (category === 'infraEnv') this.view.hostCountOfInfraEnv(id);
    else if (category !== 'image' && category !== 'note') this.view.cluster(id);
    yield* this.view.prepare(event);
  }

  /** An event that cannot be applied does not stop the following ones. */
  private observe(event: RecordedMusterEvent): void {
    try {
      this.aggregates.observe(event);
      this.view.observe(event);
      if (this.host.isLive) this.followLive(event);
      else this.followReplayed(event);
    } catch (error) {
      this.logger.error(`${event.type} of ${event.streamId} at ${event.position}: ${String(error)}`);
    }
  }

  private followReplayed({ type, streamId, metadata }: RecordedMusterEvent): void {
    const { id } = parseStreamId(streamId);
    if (type === 'HostDeregistered' && isHostKey(id))
      this.revocations.removedEarlier(id, Date.parse(metadata.occurredAt));
  }

  private followLive(event: RecordedMusterEvent): void {
    const { category, id } = parseStreamId(event.streamId);
    if (category === 'host' || category === 'cluster') this.deadlines.set(`${category}:${id}`);
    if (event.type === 'ReleaseDownloadProgressed' || event.type === 'PreparationQueued')
      this.deadlines.set(`cluster:${id}`);
    if (event.type === 'HostDeregistered' && isHostKey(id)) {
      this.presence.forget(id);
      this.forgetPolls(id);
      this.revocations
        .endHost(id)
        .catch((error: Error) => this.logger.error(`The bus credentials of host ${id}: ${error.message}`));
    }
    if (event.type === 'HostEnteredStatus' && isHostKey(id) && this.isClosed(id)) this.forgetPolls(id);
    this.nudges.after(event);
  }

  private isClosed(key: HostKey): boolean {
    const host = this.view.host(key);
    return host !== undefined && isClosedHost(host.state);
  }

  private forgetPolls(key: HostKey): void {
    this.clocks.forget(key);
    this.steps.forget(key);
  }

  private async react(key: string): Promise<RunAgain | undefined> {
    const observed = this.view.position();
    const parsed = parseReactionKey(key);
    if (parsed.kind === 'cluster') return this.clusters.react(parsed.id);
    this.tracker.completed(key, observed, await this.reactTo(parsed));
    return undefined;
  }

  /** Returns the position of the last event that the reaction stored, or 0. */
  private async reactTo({ kind, id }: TrackedKey): Promise<number> {
    switch (kind) {
      case 'host':
        return this.hosts.react(id);
      case 'report':
        return this.hosts.reactToReport(id);
      case 'follow': {
        const command = this.view.cluster(id)?.propagated;
        return command ? this.propagation.follow(id, command) : 0;
      }
      case 'shred':
        await this.secrets.shred(id);
        return 0;
    }
  }
}

/** Lets a caller wait for the reactions to an event. */
@Controller()
export class AwaitReactionController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    private readonly process: RegistrationProcess,
  ) {}

  @Handles(RegistrationService.method.awaitReaction)
  async handle({
    position,
    subjectId,
  }: InputOf<typeof RegistrationService.method.awaitReaction>): Promise<
    OutputOf<typeof RegistrationService.method.awaitReaction>
  > {
    if (subjectId !== '') return { position: await this.process.followedBy(subjectId, position) };
    await this.process.followed(position);
    return { position: await this.eventStore.head() };
  }
}
