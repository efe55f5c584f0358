import {
  EVENT_NAMES,
  type EventNameRow,
  type EventOrigin,
  METRIC_EVENTS,
  type MetricEventRow,
  OWN_EVENT_NAMES,
} from '@muster/assisted-api';
import {
  type DerivedSetting,
  formatDuration,
  operatorSettings,
  type Setting,
  SETTINGS,
  timeoutSettings,
} from '@muster/nest-kit';
import {
  CLUSTER_EFFECTS,
  CLUSTER_RULES,
  clusterBlockingStatus,
  DEFAULT_FLAP_POLICY,
  HOST_EFFECTS,
  HOST_RULES,
  hostBlockingStatus,
  NEVER_IGNORABLE_CLUSTER_RULES,
  NEVER_IGNORABLE_HOST_RULES,
} from '@muster/validation-rules';

const TITLES: ReadonlyMap<EventOrigin, string> = new Map<EventOrigin, string>([
  ['event', 'Recorded when the event happened'],
  ['refusal', 'Recorded when a command is refused, with the reason; the same refusal at most once an hour'],
  ['report', 'Reported by a program'],
  ['never', 'Never recorded, with the reason'],
]);

/** Renders the page of event names from their table. */
export function eventsPage(): string {
  const sections = [...TITLES].flatMap(([origin, title]) =>
    eventSection(
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
    ...eventSection('Names that assisted-service v2 does not have', OWN_EVENT_NAMES),
    ...metricsSection(),
  ].join('\n');
}

function metricsSection(): readonly string[] {
  const rows = Object.entries<MetricEventRow>(METRIC_EVENTS);
  const propsOf = ({ props }: MetricEventRow): string => props.map((name) => `\`${name}\``).join(', ');
  return [
    '## Metrics',
    '',
    'Events of the category `metrics`, which `GET /v2/events?categories=metrics` lists. The name is empty, the severity is info, and the message identifies',
    'the event, as in assisted-service v2. They are derived from stored events and are not stored themselves.',
    '',
    '| message | properties | stored events | recorded when |',
    '| --- | --- | --- | --- |',
    ...rows.flatMap(([name, row]) =>
      row.source ? [`| \`${name}\` | ${propsOf(row)} | ${row.source} | ${row.when} |`] : [],
    ),
    '',
    'Never recorded, with the reason:',
    '',
    ...rows.flatMap(([name, row]) => (row.source ? [] : [`- \`${name}\` (${propsOf(row)}): ${row.when}`])),
    '',
  ];
}

const eventSection = (title: string, rows: readonly EventNameRow[]): readonly string[] => [
  `## ${title}`,
  '',
  ...rows.map(({ name, when }) => `- \`${name}\`: ${when}`),
  '',
];

/** The reference page of settings: every environment variable with its type, default, readers and meaning. */
export function settingsPage(): string {
  const names = Object.entries<Setting<unknown>>(SETTINGS).sort(([first], [second]) => (first < second ? -1 : 1));
  return [
    '# Settings',
    '',
    'Generated from `libs/nest-kit/src/settings`. Every setting is an environment variable. An empty value counts as not set.',
    'A start reports every value that is not valid, and warns about a variable that starts with `MUSTER_` and is not listed here.',
    '',
    'Durations are written as `90s`, `3m` or `1h30m`; lists are comma separated; booleans are `true`, `false`, `1` or `0`.',
    '',
    ...table(
      names.map(([name, setting]) => [
        [name, ...(setting.aliases ?? [])].map((one) => `\`${one}\``).join(', alias '),
        typeOf(setting),
        setting.fallbackText ?? defaultOf(setting),
        setting.readBy.join(', '),
        setting.meaning,
      ]),
    ),
    '',
    '## Timeouts',
    '',
    'Each is a duration; registration reads it.',
    '',
    ...derivedTable(timeoutSettings(formatDuration)),
    '',
    '## OLM operators',
    '',
    'Registration, validation, ignition and gateway read them and need the same values.',
    '',
    ...derivedTable(operatorSettings()),
    '',
  ].join('\n');
}

const table = (rows: readonly (readonly string[])[]): readonly string[] => [
  '| setting | type | default | read by | meaning |',
  '| --- | --- | --- | --- | --- |',
  ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
];

const derivedTable = (settings: readonly DerivedSetting[]): readonly string[] => [
  '| setting | default | meaning |',
  '| --- | --- | --- |',
  ...settings.map(({ name, fallbackText, meaning }) => `| \`${name}\` | ${fallbackText} | ${meaning} |`),
];

const typeOf = ({ type, expected }: Setting<unknown>): string => (type === 'choice' ? expected : type);

function defaultOf({ type, fallback }: Setting<unknown>): string {
  if (fallback === undefined || fallback === '' || (Array.isArray(fallback) && fallback.length === 0)) return 'none';
  if (type === 'duration') return formatDuration(Number(fallback));
  return `\`${Array.isArray(fallback) ? fallback.join(',') : String(fallback)}\``;
}

interface Row {
  readonly id: string;
  readonly category: string;
  readonly checks: string;
  /** The effect of a failure as a sentence, and its `gate` in the API. */
  readonly effect: string;
  readonly apiGate: string;
  readonly remedy: string;
  readonly needs: readonly string[];
  readonly mayFlap?: true;
  readonly toleratesPending?: true;
}

/** Renders the page of all validations from the tables of rules. */
export function validationsPage(): string {
  return [
    '# Validations',
    '',
    'Generated from `libs/validation-rules`: all validations before an installation, what a failure blocks, and its remedy.',
    'A validation that does not apply to a host or cluster has no outcome. Validations of an operator apply to clusters with this operator and to their',
    'hosts. A validation can be ignored unless its entry states otherwise. The gate is the value of `gate` in the API for hosts that are bound to a cluster.',
    '',
    `Validations that are based on repeated measurements may flap. A failure applies immediately. A validation is flapping when it changed`,
    `\`VALIDATION_FLAPPING_TURNS\` (${DEFAULT_FLAP_POLICY.flipsMin}) times within \`VALIDATION_FLAPPING_WINDOW\` (${minutes(DEFAULT_FLAP_POLICY.windowMs)} minutes). It passes after \`VALIDATION_FLAPPING_QUIET\` (${minutes(DEFAULT_FLAP_POLICY.quietMs)} minutes) without a change, and at once when the settings no longer require it.`,
    'Until then its changes are neither stored nor reported.',
    '',
    ...ruleSection('Host validations', HOST_RULES.map(hostRow), NEVER_IGNORABLE_HOST_RULES),
    ...ruleSection('Cluster validations', CLUSTER_RULES.map(clusterRow), NEVER_IGNORABLE_CLUSTER_RULES),
  ].join('\n');
}

const failureOf = (id: string) => ({ id, status: 'failure', parameters: [] });

const hostRow = (rule: (typeof HOST_RULES)[number]): Row => ({
  ...rule,
  effect: HOST_EFFECTS[rule.gate],
  apiGate: hostBlockingStatus(failureOf(rule.id), [], true).gate,
});

const clusterRow = (rule: (typeof CLUSTER_RULES)[number]): Row => ({
  ...rule,
  effect: CLUSTER_EFFECTS[rule.gate],
  apiGate: clusterBlockingStatus(failureOf(rule.id), []).gate,
});

function ruleSection(title: string, rules: readonly Row[], neverIgnorable: readonly string[]): readonly string[] {
  return [
    `## ${title}`,
    '',
    `${rules.length} validations.`,
    '',
    ...rules.flatMap((rule) => [
      `### ${rule.id}`,
      '',
      cell(rule.checks),
      '',
      `- Category \`${rule.category}\`, gate \`${rule.apiGate}\`${neverIgnorable.includes(rule.id) ? ', can never be ignored' : ''}`,
      `- Effect of a failure: ${rule.effect}`,
      ...(rule.needs.length > 0 ? [`- Pending until known: ${rule.needs.join(', ')}`] : []),
      ...(rule.mayFlap ? ['- May flap'] : []),
      ...(rule.toleratesPending ? ['- Does not block while it is pending'] : []),
      `- Remedy: ${cell(rule.remedy)}`,
      '',
    ]),
  ];
}

const MS_PER_MINUTE = 60_000;
const minutes = (durationMs: number): number => durationMs / MS_PER_MINUTE;

const cell = (text: string): string => text.replace(/\s+/g, ' ').trim();
