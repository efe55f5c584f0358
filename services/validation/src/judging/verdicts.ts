import type { ValidationEvent } from '@muster/contracts';
import { type CommandHandler, createCommandHandler, ownedEventStore } from '@muster/event-sourcing';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import type { RecordedEvent } from '@muster/ports';
import {
  type FlapPolicy,
  type FlapWatch,
  type Outcome,
  rememberOutcomes,
  type Remembered,
} from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { FLAP_POLICY } from '../config';
import { type Subject, parseSubject } from '../facts/subjects';
import { NO_VERDICT, type Verdict, type VerdictCommand, verdictDecider } from './verdicts.decider';

interface Known {
  verdict: Verdict;
  revision: number;
}

const NOTHING_FLAPS: FlapWatch = new Map();

/** The `validation-` streams, and the last verdict on every subject so that an unchanged one costs no read. */
@Injectable()
export class Verdicts {
  private readonly handler: CommandHandler<Verdict, VerdictCommand>;
  private readonly known = new Map<Subject, Known>();
  /** Of subjects of which something flaps. */
  private readonly watched = new Map<Subject, FlapWatch>();

  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    @Inject(FLAP_POLICY) private readonly policy: FlapPolicy,
  ) {
    this.handler = createCommandHandler<Verdict, VerdictCommand, ValidationEvent>({
      category: 'validation',
      decider: verdictDecider,
      store: ownedEventStore(platform.eventStore, 'validation'),
      clock: platform.clock,
      ids: platform.ids,
    });
  }

  /** Takes in a stored verdict. True when it was not known: of before the start, or of another replica. */
  observe(subject: Subject, event: RecordedEvent): boolean {
    const { verdict, revision } = this.known.get(subject) ?? { verdict: NO_VERDICT, revision: -1 };
    if (event.revision <= revision) return false;
    const { type, data } = event;
    this.known.set(subject, {
      verdict: verdictDecider.evolve(verdict, { type, data } as unknown as ValidationEvent),
      revision: event.revision,
    });
    return true;
  }

  /** What was found, with what is remembered of it. */
  remember(subject: Subject, found: readonly Outcome[], isDamped: (ruleId: string) => boolean): Remembered {
    const remembered = rememberOutcomes(this.known.get(subject)?.verdict.outcomes ?? [], found, {
      atMs: this.platform.clock.nowMs(),
      policy: this.policy,
      watch: this.watched.get(subject) ?? NOTHING_FLAPS,
      isDamped,
    });
    if (remembered.watch.size > 0) this.watched.set(subject, remembered.watch);
    else this.watched.delete(subject);
    return remembered;
  }

  async record(subject: Subject, command: VerdictCommand, causationId: string): Promise<void> {
    const known = this.known.get(subject);
    if (known && saysTheSame(known.verdict, command)) return;
    const commandId = this.platform.ids.uuid();
    const context = { commandId, correlationId: causationId, causationId, actor: 'service:validation' };
    const result = await this.handler.handle(parseSubject(subject).id, command, context);
    if (result.kind === 'stored') this.known.set(subject, { verdict: result.state, revision: result.revision });
  }

  forget(subject: Subject): void {
    this.known.delete(subject);
    this.watched.delete(subject);
  }

  /** Of a host key or cluster id. */
  async read(id: string): Promise<Verdict> {
    return (await this.handler.load(id)).state;
  }
}

function saysTheSame(verdict: Verdict, command: VerdictCommand): boolean {
  const decision = verdictDecider.decide(command, verdict);
  return decision.kind === 'accepted' && decision.events.length === 0;
}
