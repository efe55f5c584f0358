import { CLUSTER_TIMEOUT_TABLE, HOST_TIMEOUT_TABLE } from '@muster/domain';
import { OPERATOR_SETTINGS } from '@muster/operators';
import type { Environment } from '../platform';
import type { Setting } from './setting';
import { type SettingName, SETTINGS, type SettingValue } from './settings.table';

const TYPED_SETTINGS: { readonly [Name in SettingName]: Setting<SettingValue<Name>> } = SETTINGS;
const SHOWN_CHARACTERS_MAX = 80;

/** A setting with an invalid value. The program does not start with it. */
export class SettingError extends Error {
  constructor(name: string, value: string, expected: string) {
    const problem =
      value === ''
        ? `${name} is missing`
        : `${name}=${JSON.stringify(value.slice(0, SHOWN_CHARACTERS_MAX))} is not valid`;
    // The reason at its end may be a sentence.
    super(`Setting ${problem}. Expected: ${expected.replace(/\.$/, '')}.`);
    this.name = 'SettingError';
  }
}

/** Every setting with an invalid value, one per line. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * Reads settings of the table from the environment. An empty value counts as not set. For an invalid value the error is
 * recorded and the default is returned, so that one start reports all invalid values. Use it through `readSettings`.
 */
export class SettingsReader {
  private readonly found: SettingError[] = [];

  constructor(private readonly environment: Environment) {}

  /** Returns the value, or the default of the table. */
  get<Name extends SettingName>(name: Name): SettingValue<Name> {
    return this.read(name, TYPED_SETTINGS[name]);
  }

  private read<Value>(name: SettingName, setting: Setting<Value>): Value {
    const given = this.environment[this.variableOf(name) ?? name];
    if (!given) return setting.fallback;
    const value = setting.parse(given);
    if (value !== undefined) return value;
    if (setting.isSecret) this.reject(name, '(not shown)', setting.expected);
    else this.reject(name, given, [setting.expected, setting.faultOf?.(given)].filter(Boolean).join('. '));
    return setting.fallback;
  }

  /** Returns whether the setting or one of its aliases has a value. */
  isSet(name: SettingName): boolean {
    return this.variableOf(name) !== undefined;
  }

  /**
   * Returns the text in the environment. Undefined when it is not set. For settings whose names come from other tables.
   */
  raw(variable: string): string | undefined {
    return this.environment[variable] || undefined;
  }

  /** Records that a value is invalid. The error names the alias when the alias is set. */
  reject(name: string, value: string, expected: string): void {
    this.found.push(new SettingError(this.variableOf(name) ?? name, value, expected));
  }

  get problems(): readonly string[] {
    return [...new Set(this.found.map(({ message }) => message))];
  }

  private variableOf(name: string): string | undefined {
    const definitions: Readonly<Record<string, Setting<unknown>>> = SETTINGS;
    const { aliases = [] } = Object.hasOwn(definitions, name) ? (definitions[name] ?? {}) : {};
    return [name, ...aliases].find((variable) => this.environment[variable]);
  }
}

/**
 * Returns the result of `read`.
 * @throws SettingsError with every invalid value
 */
export function readSettings<Config>(environment: Environment, read: (settings: SettingsReader) => Config): Config {
  const settings = new SettingsReader(environment);
  const config = attempt(() => read(settings));
  const problems = [...new Set([...settings.problems, ...config.problems])];
  if (problems.length > 0 || !('value' in config)) throw new SettingsError(problems);
  return config.value;
}

/** Returns the problems that a function reports by throwing SettingError or SettingsError. Other errors are thrown. */
export function attempt<Value>(
  run: () => Value,
): { readonly value: Value; readonly problems: readonly [] } | { readonly problems: readonly string[] } {
  try {
    return { value: run(), problems: [] };
  } catch (error) {
    if (error instanceof SettingError) return { problems: [error.message] };
    if (error instanceof SettingsError) return { problems: error.problems };
    throw error;
  }
}

/** Variables of the tests and tools of this repository, which use the same environment as the program. */
const TOOL_PREFIXES = ['MUSTER_DEMO_', 'MUSTER_PROPERTY_', 'MUSTER_TESTS', 'MUSTER_VM_', 'MUSTER_WALK_'];

/** Shorter names may belong to other programs although they are similar, such as `WORKDIR`. */
const SIMILAR_CHARACTERS_MIN = 12;
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.entries(TYPED_SETTINGS).flatMap(([name, { aliases = [] }]) => [name, ...aliases]),
  ...[...HOST_TIMEOUT_TABLE, ...CLUSTER_TIMEOUT_TABLE].flatMap(({ env }) => env ?? []),
  ...OPERATOR_SETTINGS.map(({ variable }) => variable),
]);

/**
 * Returns the names in the environment that no setting has and that start with `MUSTER_`, or differ from a setting in one letter: probably
 * typing errors.
 */
export function unknownSettings(environment: Environment): readonly string[] {
  const similar = [...KNOWN].filter((known) => known.length >= SIMILAR_CHARACTERS_MIN);
  return Object.keys(environment)
    .filter((name) => !KNOWN.has(name) && !TOOL_PREFIXES.some((prefix) => name.startsWith(prefix)))
    .filter((name) => name.startsWith('MUSTER_') || similar.some((known) => isMisspelled(name, known)))
    .sort();
}

/** Whether one letter was omitted, added or replaced, or two neighbours were exchanged. */
function isMisspelled(name: string, known: string): boolean {
  const shorter = Math.min(name.length, known.length);
  let start = 0;
  while (start < shorter && name[start] === known[start]) start += 1;
  let end = 0;
  while (end < shorter - start && name.at(-1 - end) === known.at(-1 - end)) end += 1;
  const [found, wanted] = [name.slice(start, name.length - end), known.slice(start, known.length - end)];
  return (
    Math.max(found.length, wanted.length) === 1 || (found.length === 2 && [...found].reverse().join('') === wanted)
  );
}
