import { EVENT_NAMES, type EventNameRow, type EventOrigin, OWN_EVENT_NAMES } from '@muster/assisted-api';

const TITLES: ReadonlyMap<EventOrigin, string> = new Map<EventOrigin, string>([
  ['fact', 'Result when something happened'],
  ['refusal', 'Result when an order is refused, with the reason; the same refusal once an hour'],
  ['report', 'Result because a program said so'],
  ['never', 'Never told, and why'],
]);

/** The names of events, from the table that tells where each comes from. */
export function eventsPage(): string {
  const sections = [...TITLES].flatMap(([origin, title]) =>
    section(
      title,
      EVENT_NAMES.filter((row) => row.origin === origin),
    ),
  );
  return [
    '# Events that people see',
    '',
    'Generated from `libs/assisted-api`: the names of `GET /v2/events` that today’s service knows, and where each comes from here. Programs may post',
    'events of any name besides.',
    '',
    ...sections,
    ...section('Names that today’s service does not have', OWN_EVENT_NAMES),
  ].join('\n');
}

const section = (title: string, rows: readonly EventNameRow[]): readonly string[] => [
  `## ${title}`,
  '',
  ...rows.map(({ name, when }) => `- \`${name}\`: ${when}`),
  '',
];
