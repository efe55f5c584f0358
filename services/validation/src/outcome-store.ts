import { STREAM_OWNERS, eventCategory } from '@muster/contracts';
import type { ValidationEvent } from '@muster/contracts';
import {
  FactsView,
  NO_OUTCOMES,
  type OutcomeCommand,
  outcomeDecider,
  outcomesIn,
  parseSubject,
  type RecordedOutcomes,
  type Scope,
  type Subject,
  subjectOfStreamId,
} from '@muster/evaluation';
import type { Entries, EntryShape } from '@muster/decision';
import { isClosedCluster, isClosedHost } from '@muster/domain';
import {
  type CommandHandler,
  createCommandHandler,
  keptEntries,
  type KnownAggregate,
  ownedEventStore,
  type SavedConsumer,
} from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS, type MusterEventStore, SAVED } from '@muster/nest-kit';
import { type Clock, type Ids, NO_STREAM, type RecordedEvent, START_OF_STORE } from '@muster/ports';
import {
  type FlapPolicy,
  type FlapWatch,
  type Outcome,
  rememberOutcomes,
  type Remembered,
  sharedOutcomes,
} from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { FLAP_POLICY } from './config';

interface Known {
  readonly recorded: RecordedOutcomes;
  readonly revision: number;
  /** Position of the last outcomes of the subject. */
  readonly position: number;
}

/** Raised when saved entries, the facts included, or their fold change. */
export const VIEW_VERSION = 11;
/** The recorded outcomes by subject, as they are saved. */
export const OUTCOMES: EntryShape = { name: 'outcomes', fields: [] };

/** Whether something may still happen to the host or cluster by itself. */
export function isOpenSubject(subject: Subject, view: FactsView): boolean {
  const { kind, id } = parseSubject(subject);
  if (kind === 'cluster') {
    const cluster = view.cluster(id);
    return cluster !== undefined && !isClosedCluster(cluster.state);
  }
  const host = view.host(id);
  return host !== undefined && !isClosedHost(host.state);
}

const NOTHING_KNOWN: Known = { recorded: NO_OUTCOMES, revision: NO_STREAM, position: START_OF_STORE };
const NOTHING_FLAPS: FlapWatch = new Map();

/** Writes the `validation-` streams and keeps the recorded outcomes, so that no evaluation needs a read. */
@Injectable()
export class OutcomeStore {
  /** True when all events from before the start were folded. */
  isLive = false;

  private readonly handler: CommandHandler<RecordedOutcomes, OutcomeCommand, ValidationEvent>;
  private readonly known: Entries<Subject, Known>;
  /** Hosts and clusters with a flapping outcome. */
  private readonly watched = new Map<Subject, FlapWatch>();

  constructor(
    @Inject(EVENT_STORE) eventStore: MusterEventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(FLAP_POLICY) private readonly policy: FlapPolicy,
    @Inject(SAVED) saved: SavedConsumer,
    view: FactsView,
  ) {
    this.known = keptEntries(saved)<Subject, Known, Known>({
      shape: OUTCOMES,
      fieldsOf: () => [],
      toSaved: (known) => known,
      fromSaved: ({ recorded, ...place }) => ({
        ...place,
        recorded: { ...recorded, outcomes: sharedOutcomes(recorded.outcomes) },
      }),
      isOpen: (_known, subject) => isOpenSubject(subject, view),
    });
    this.handler = createCommandHandler<RecordedOutcomes, OutcomeCommand, ValidationEvent>({
      category: eventCategory('validation'),
      decider: outcomeDecider,
      store: ownedEventStore(eventStore, 'validation', STREAM_OWNERS),
      clock,
      ids,
      known: (id) => this.aggregateOf(subjectOfStreamId(id)),
      // Each record has a command id of its own.
      repeatableEvents: 0,
      // `known` has them.
      cachedAggregates: 0,
    });
  }

  /** The subject may have become open or closed: its outcomes then stay in memory, or leave it. */
  reconsider(subject: Subject): void {
    this.known.changed(subject);
  }

  /** Folds a stored event. Returns false when it was already folded. */
  observe(subject: Subject, event: RecordedEvent<ValidationEvent>): boolean {
    const { recorded, revision } = this.known.get(subject) ?? NOTHING_KNOWN;
    if (event.revision <= revision) return false;
    this.known.set(subject, {
      recorded: outcomeDecider.evolve(recorded, event),
      revision: event.revision,
      position: event.position,
    });
    return true;
  }

  /** Returns the outcomes to record, given the recorded ones. */
  remember(
    subject: Subject,
    found: readonly Outcome[],
    isDamped: (ruleId: string) => boolean,
    scope: Scope,
  ): Remembered {
    const { recorded } = this.known.get(subject) ?? NOTHING_KNOWN;
    const remembered = rememberOutcomes(outcomesIn(recorded, scope), found, {
      atMs: this.clock.nowMs(),
      policy: this.policy,
      watch: this.watched.get(subject) ?? NOTHING_FLAPS,
      isDamped,
    });
    if (remembered.watch.size > 0) this.watched.set(subject, remembered.watch);
    else this.watched.delete(subject);
    return remembered;
  }

  async record(subject: Subject, command: OutcomeCommand, causationId: string): Promise<void> {
    if (isUnchanged((this.known.get(subject) ?? NOTHING_KNOWN).recorded, command)) return;
    const commandId = this.ids.uuid();
    const context = { commandId, correlationId: causationId, causationId, actor: 'service:validation' };
    const result = await this.handler.handle(parseSubject(subject).id, command, context);
    if (result.kind !== 'stored') return;
    const { state: recorded, revision, position } = result;
    this.known.set(subject, { recorded, revision, position });
    // The groups of a large cluster with many networks are stored in several appends.
    if (result.events.some(hasGroups)) await this.record(subject, command, causationId);
  }

  /** Returns the position of the last outcomes of the subjects, as far as they are in memory: those of open ones, and new ones. */
  positionOf(subjects: readonly Subject[]): number {
    return Math.max(START_OF_STORE, ...subjects.map((subject) => (this.known.peek(subject) ?? NOTHING_KNOWN).position));
  }

  forget(subject: Subject): void {
    this.known.delete(subject);
    this.unwatch(subject);
  }

  /** The id of a deregistered host may be registered again. Then its recorded outcomes are reset. */
  unwatch(subject: Subject): void {
    this.watched.delete(subject);
  }

  /** Reads the recorded outcomes of a host key or cluster id. */
  async read(id: string): Promise<RecordedOutcomes> {
    return (await this.handler.load(id)).state;
  }

  private aggregateOf(subject: Subject): KnownAggregate<RecordedOutcomes> | undefined {
    const known = this.known.get(subject);
    if (!known) return undefined;
    const { recorded: state, revision, position } = known;
    return { state, revision, position, isCurrent: this.isLive };
  }
}

const hasGroups = ({ type, data }: ValidationEvent): boolean =>
  type === 'ClusterOutcomesChanged' && data.connectivityGroups !== undefined;

function isUnchanged(recorded: RecordedOutcomes, command: OutcomeCommand): boolean {
  const decision = outcomeDecider.decide(command, recorded);
  return decision.kind === 'accepted' && decision.events.length === 0;
}
