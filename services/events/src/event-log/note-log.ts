import { EVENT_CATEGORIES, EVENT_SEVERITIES } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { LogEntry } from './log-entry';

/** The entry of a note, unchanged: `note.decider.ts` accepts only severities and categories of the v2 API. */
export function noteLog(data: EventData<'NoteRecorded'>): readonly LogEntry[] {
  return [
    {
      name: data.name,
      severity: EVENT_SEVERITIES.find((severity) => severity === data.severity) ?? 'info',
      category: EVENT_CATEGORIES.find((category) => category === data.category) ?? 'user',
      message: data.message,
      props: data.props,
    },
  ];
}
