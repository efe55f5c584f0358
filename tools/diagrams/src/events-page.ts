import { EVENT_NAMES, type EventNameRow, type EventOrigin, OWN_EVENT_NAMES } from '@muster/assisted-api';

const TITLES: ReadonlyMap<EventOrigin, string> = new Map<EventOrigin, string>([
  ['event', 'Recorded when the event happened'],
  ['refusal', 'Recorded when a command is refused, with the reason; the same refusal at most once an hour'],
  ['report', 'Reported by a program'],
  ['never', 'Never recorded, with the reason'],
]);

/** Renders the page of event names from their table. */
export function eventsPage(): string {
  const sections = [...TITLES].flatMap(([origin, title]) =>
    section(
      title,
      EVENT_NAMES.filter((row) => row.origin === origin),
    ),
  );
  return [
    '# Events of the event log',
    '',
    'Generated from `libs/assisted-api`: the event names of `GET /v2/events` in assisted-service v2 and their source in Muster. Programs may post',
    'events with other names.',
    '',
    ...sections,
    ...section('Names that assisted-service v2 does not have', OWN_EVENT_NAMES),
  ].join('\n');
}

const section = (title: string, rows: readonly EventNameRow[]): readonly string[] => [
  `## ${title}`,
  '',
  ...rows.map(({ name, when }) => `- \`${name}\`: ${when}`),
  '',
];
