import {
  type DerivedSetting,
  formatDuration,
  operatorSettings,
  type Setting,
  SETTINGS,
  timeoutSettings,
} from '@muster/nest-kit';

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
