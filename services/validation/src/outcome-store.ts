import { STREAM_OWNERS, eventCategory } from '@muster/contracts';
import type { ValidationEvent } from '@muster/contracts';
import {
  NO_OUTCOMES,
  type OutcomeCommand,
  outcomeDecider,
  parseSubject,
  type RecordedOutcomes,
  type Subject,
} from '@muster/evaluation';
import { type CommandHandler, createCommandHandler, ownedEventStore } from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS, type MusterEventStore } from '@muster/nest-kit';
import type { Clock, Ids, RecordedEvent } from '@muster/ports';
import {
  type FlapPolicy,
  type FlapWatch,
  type Outcome,
  rememberOutcomes,
  type Remembered,
} from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { FLAP_POLICY } from './config';

interface Known {
  verdict: RecordedOutcomes;
  revision: number;
}

const NOTHING_FLAPS: FlapWatch = new Map();

/** The `validation-` streams, and the last verdict on every subject so that an unchanged one costs no read. */
@Injectable()
export class OutcomeStore {
  private readonly handler: CommandHandler<RecordedOutcomes, OutcomeCommand>;
  private readonly known = new Map<Subject, Known>();
  /** Of subjects of which something flaps. */
  private readonly watched = new Map<Subject, FlapWatch>();

  constructor(
    @Inject(EVENT_STORE) eventStore: MusterEventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(FLAP_POLICY) private readonly policy: FlapPolicy,
  ) {
    this.handler = createCommandHandler<RecordedOutcomes, OutcomeCommand, ValidationEvent>({
      category: eventCategory('validation'),
      decider: outcomeDecider,
      store: ownedEventStore(eventStore, 'validation', STREAM_OWNERS),
      clock,
      ids,
    });
  }

  /** Takes in a stored verdict. True when it was not known: of before the start, or of another replica. */
  observe(subject: Subject, event: RecordedEvent<ValidationEvent>): boolean {
    const { verdict, revision } = this.known.get(subject) ?? { verdict: NO_OUTCOMES, revision: -1 };
    if (event.revision <= revision) return false;
    this.known.set(subject, {
      verdict: outcomeDecider.evolve(verdict, event),
      revision: event.revision,
    });
    return true;
  }

  /** What was found, with what is remembered of it. */
  remember(subject: Subject, found: readonly Outcome[], isDamped: (ruleId: string) => boolean): Remembered {
    const remembered = rememberOutcomes(this.known.get(subject)?.verdict.outcomes ?? [], found, {
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
    const known = this.known.get(subject);
    if (known && isUnchanged(known.verdict, command)) return;
    const commandId = this.ids.uuid();
    const context = { commandId, correlationId: causationId, causationId, actor: 'service:validation' };
    const result = await this.handler.handle(parseSubject(subject).id, command, context);
    if (result.kind === 'stored') this.known.set(subject, { verdict: result.state, revision: result.revision });
  }

  forget(subject: Subject): void {
    this.known.delete(subject);
    this.watched.delete(subject);
  }

  /** Of a host key or cluster id. */
  async read(id: string): Promise<RecordedOutcomes> {
    return (await this.handler.load(id)).state;
  }
}

function isUnchanged(verdict: RecordedOutcomes, command: OutcomeCommand): boolean {
  const decision = outcomeDecider.decide(command, verdict);
  return decision.kind === 'accepted' && decision.events.length === 0;
}
