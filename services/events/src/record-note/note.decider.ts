import { EVENT_CATEGORIES, EVENT_SEVERITIES, TEXT_MAX_CHARACTERS } from '@muster/assisted-api';
import type { EventData, NoteEvent } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import { BoundedMap } from '@muster/event-sourcing';
import type { ProblemCode } from '@muster/problems';

/**
 * Maximum number of subjects whose last note is stored. Above it the oldest is removed, so that one note may be
 * recorded too early.
 */
const MAX_REMEMBERED_NOTES = 50_000;

/** Limits how often notes with the same name about the same subject are recorded, because agents repeat them. */
export class NoteIntervals {
  private readonly lastAtMs = new BoundedMap<string, number>(MAX_REMEMBERED_NOTES);

  constructor(private readonly intervalsMs: ReadonlyMap<string, number>) {}

  /** Whether the interval of the last such note has not passed yet. */
  isTooSoon(note: EventData<'NoteRecorded'>, nowMs: number): boolean {
    const intervalMs = this.intervalsMs.get(note.name);
    const last = this.lastAtMs.get(keyOf(note));
    // A last note in the future is from before the clock was set back. Otherwise none would be recorded until then.
    return intervalMs !== undefined && last !== undefined && nowMs >= last && nowMs - last < intervalMs;
  }

  recorded(note: EventData<'NoteRecorded'>, nowMs: number): void {
    if (!this.intervalsMs.has(note.name)) return;
    this.lastAtMs.set(keyOf(note), nowMs);
  }
}

const keyOf = ({ name, clusterId, hostId, infraEnvId }: EventData<'NoteRecorded'>): string =>
  [name, clusterId, hostId, infraEnvId].join(' ');

/** Maximum length of the text of a note, in characters. */
export const MAX_NOTE_MESSAGE_LENGTH = 8_192;
/** Maximum length of the properties, in characters of JSON. Longer ones are not stored. */
export const MAX_NOTE_PROPS_LENGTH = 16_384;

export interface RecordNote {
  readonly type: 'RecordNote';
  readonly note: EventData<'NoteRecorded'>;
}

/** Notes do not depend on each other. */
export type NoteState = Record<string, never>;
const STATE: NoteState = {};

export const noteDecider: Decider<NoteState, RecordNote, NoteEvent, ProblemCode> = {
  initialState: () => STATE,
  evolve: () => STATE,
  decide: ({ note }) => decideNote({ ...note, category: note.category || 'user', severity: note.severity || 'info' }),
};

function decideNote(note: EventData<'NoteRecorded'>): Decision<NoteEvent, ProblemCode> {
  const { category, severity, message, name } = note;
  if (!EVENT_CATEGORIES.some((known) => known === category)) return notOneOf('category', category, EVENT_CATEGORIES);
  if (!EVENT_SEVERITIES.some((known) => known === severity)) return notOneOf('severity', severity, EVENT_SEVERITIES);
  if (!note.clusterId && !note.infraEnvId && !note.hostId)
    return invalid('cluster_id', 'The event has no subject. Set the id of a cluster, an infra-env or a host.');
  if (message === '') return invalid('message', 'The message of the event is empty.');
  if (message.length > MAX_NOTE_MESSAGE_LENGTH)
    return invalid('message', `The message of the event has more than ${MAX_NOTE_MESSAGE_LENGTH} characters.`);
  if (name.length > TEXT_MAX_CHARACTERS)
    return invalid('name', `The name of an event has at most ${TEXT_MAX_CHARACTERS} characters.`);
  // As with unreadable properties, the event matters more than its properties.
  const isTooLong = JSON.stringify(note.props ?? {}).length > MAX_NOTE_PROPS_LENGTH;
  return accepted({ type: 'NoteRecorded', data: isTooLong ? { ...note, props: undefined } : note });
}

const invalid = (subject: string, reason: string): Decision<never, ProblemCode> =>
  refused({ code: 'invalid-input', reason, subject });

const notOneOf = (subject: string, given: string, allowed: readonly string[]): Decision<never, ProblemCode> =>
  refused({ code: 'invalid-input', reason: `"${given}" is not a valid ${subject} of an event.`, subject, allowed });
