/** One setting of an operator, with its environment variable in assisted-service v2. */
export interface OperatorSetting {
  readonly variable: string;
  /** whole: a number of 0 or more. names: a comma-separated list. version: such as 4.10 or 4.10.0. */
  readonly kind: 'whole' | 'flag' | 'names' | 'version';
  /** The default as text of the variable. */
  readonly standard: string;
  /** Text for the reference page, with the unit. */
  readonly meaning: string;
}

/** Variable → text, checked by `checkSetting`. Absent variables have their default. */
export type OperatorSettings = ReadonlyMap<string, string>;
export const STANDARD_SETTINGS: OperatorSettings = new Map();

const PATTERNS: Readonly<Record<OperatorSetting['kind'], { readonly pattern: RegExp; readonly expected: string }>> = {
  whole: { pattern: /^\d{1,9}$/, expected: 'a number of 0 or more' },
  flag: { pattern: /^(true|false|1|0)$/i, expected: 'true or false' },
  names: { pattern: /^[^\n]*$/, expected: 'a comma-separated list of names' },
  version: { pattern: /^\d{1,6}\.\d{1,6}(\.\d{1,6})?$/, expected: 'a version such as 4.10' },
};

/** Returns what is expected instead of the text, or undefined when the text is valid. */
export function faultOfSetting({ kind }: OperatorSetting, text: string): string | undefined {
  const { pattern, expected } = PATTERNS[kind];
  return pattern.test(text.trim()) ? undefined : expected;
}

const textOf = (settings: OperatorSettings, setting: OperatorSetting): string =>
  (settings.get(setting.variable) ?? setting.standard).trim();

export const wholeOf = (settings: OperatorSettings, setting: OperatorSetting): number =>
  Number(textOf(settings, setting));
export const flagOf = (settings: OperatorSettings, setting: OperatorSetting): boolean =>
  ['true', '1'].includes(textOf(settings, setting).toLowerCase());
export const namesOf = (settings: OperatorSettings, setting: OperatorSetting): readonly string[] =>
  textOf(settings, setting)
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
export function versionOfSetting(
  settings: OperatorSettings,
  setting: OperatorSetting,
): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = textOf(settings, setting).split('.').map(Number);
  return [major, minor, patch];
}

export const whole = (variable: string, standard: number, meaning: string): OperatorSetting => ({
  variable,
  kind: 'whole',
  standard: String(standard),
  meaning,
});
export const flag = (variable: string, standard: boolean, meaning: string): OperatorSetting => ({
  variable,
  kind: 'flag',
  standard: String(standard),
  meaning,
});
export const names = (variable: string, standard: readonly string[], meaning: string): OperatorSetting => ({
  variable,
  kind: 'names',
  standard: standard.join(','),
  meaning,
});
