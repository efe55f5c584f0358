/** One setting of an operator, with the environment variable of assisted-service. */
export interface OperatorSetting {
  readonly variable: string;
  /** whole: a number of 0 or more. names: a comma list. version: such as 4.10 or 4.10.0. */
  readonly kind: 'whole' | 'flag' | 'names' | 'version';
  /** As the variable would say it. */
  readonly standard: string;
}

/** Variable → text, checked by `checkSetting`; what is absent has its standard. */
export type OperatorSettings = ReadonlyMap<string, string>;
export const STANDARD_SETTINGS: OperatorSettings = new Map();

const PATTERNS: Readonly<Record<OperatorSetting['kind'], { readonly pattern: RegExp; readonly expected: string }>> = {
  whole: { pattern: /^\d{1,9}$/, expected: 'a number of 0 or more' },
  flag: { pattern: /^(true|false|1|0)$/i, expected: 'true or false' },
  names: { pattern: /^[^\n]*$/, expected: 'a comma-separated list of names' },
  version: { pattern: /^\d{1,6}\.\d{1,6}(\.\d{1,6})?$/, expected: 'a version such as 4.10' },
};

/** What the variable should have said, or undefined when it is well. */
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

export const whole = (variable: string, standard: number): OperatorSetting => ({
  variable,
  kind: 'whole',
  standard: String(standard),
});
export const flag = (variable: string, standard: boolean): OperatorSetting => ({
  variable,
  kind: 'flag',
  standard: String(standard),
});
export const names = (variable: string, ...standard: readonly string[]): OperatorSetting => ({
  variable,
  kind: 'names',
  standard: standard.join(','),
});
