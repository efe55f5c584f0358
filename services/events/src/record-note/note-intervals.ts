import { BoundedMap } from '@muster/event-sourcing';
import type { EventData } from '@muster/contracts';

/** Subjects remembered at most; the longest known are forgotten first, which at worst lets one note too many in. */
const MAX_REMEMBERED_NOTES = 50_000;

/** Keeps notes that agents repeat from filling the log: the same name about the same subject only now and then. */
export class NoteIntervals {
  private readonly lastAtMs = new BoundedMap<string, number>(MAX_REMEMBERED_NOTES);

  constructor(private readonly intervalsMs: ReadonlyMap<string, number>) {}

  /** True when the last such note is too fresh for another one. */
  isTooSoon(note: EventData<'NoteRecorded'>, nowMs: number): boolean {
    const intervalMs = this.intervalsMs.get(note.name);
    const last = this.lastAtMs.get(keyOf(note));
    return intervalMs !== undefined && last !== undefined && nowMs - last < intervalMs;
  }

  recorded(note: EventData<'NoteRecorded'>, nowMs: number): void {
    if (!this.intervalsMs.has(note.name)) return;
    this.lastAtMs.set(keyOf(note), nowMs);
  }
}

const keyOf = ({ name, clusterId, hostId, infraEnvId }: EventData<'NoteRecorded'>): string =>
  [name, clusterId, hostId, infraEnvId].join(' ');
