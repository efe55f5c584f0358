import { EVENT_SEVERITIES, type JsonSchema } from '@muster/assisted-api';

export const EVENT_COUNT = 'Event-Count';
export const severityCountHeader = (severity: string): string =>
  `Severity-Count-${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;

/** What a list of events tells about the events that are not on its page. */
export const EVENT_COUNT_HEADERS: { readonly [name: string]: JsonSchema } = {
  [EVENT_COUNT]: { type: 'integer', description: 'How many events match.' },
  ...Object.fromEntries(
    EVENT_SEVERITIES.map((severity) => [
      severityCountHeader(severity),
      { type: 'integer', description: `How many of severity ${severity} match, whatever severities are asked for.` },
    ]),
  ),
};
