import { eventCategory, EventsService, STREAM_OWNERS } from '@muster/contracts';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
} from '@muster/event-sourcing';
import { CLOCK, EVENT_STORE, Handles, IDS, type InputOf, type MusterEventStore, type OutputOf } from '@muster/nest-kit';
import { type Clock, type Ids, START_OF_STORE } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { CONFIG, type EventsConfig } from '../config';
import { noteDecider, NoteIntervals, type NoteState, type RecordNote } from './note.decider';

type Method = typeof EventsService.method.recordNote;

/** Stores the events that agents and controllers send in the stream of their subject. */
@Controller()
export class RecordNoteController {
  private readonly notes: CommandHandler<NoteState, RecordNote>;
  private readonly intervals: NoteIntervals;

  constructor(
    @Inject(EVENT_STORE) eventStore: MusterEventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) ids: Ids,
    @Inject(CONFIG) config: EventsConfig,
  ) {
    const store = ownedEventStore(eventStore, 'events', STREAM_OWNERS);
    this.notes = createCommandHandler({ category: eventCategory('note'), decider: noteDecider, store, clock, ids });
    this.intervals = new NoteIntervals(config.noteIntervalsMs);
  }

  /** A note within the interval of its name is accepted but not stored. Then the reply has no position. */
  @Handles(EventsService.method.recordNote)
  async handle({ note }: InputOf<Method>, context: CommandContext): Promise<OutputOf<Method>> {
    if (!note) throw new RefusalError({ code: 'invalid-input', reason: 'The event is missing.', subject: 'note' });
    const nowMs = this.clock.nowMs();
    if (this.intervals.isTooSoon(note, nowMs)) return { position: START_OF_STORE };
    const subjectId = note.clusterId || note.infraEnvId || note.hostId || 'unknown';
    const { position } = await this.notes.execute(subjectId, { type: 'RecordNote', note }, context);
    this.intervals.recorded(note, nowMs);
    return { position };
  }
}
