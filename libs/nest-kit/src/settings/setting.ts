import { createJsonParser, formatViolation, valueOf } from '@muster/schema';
import type { Static, TSchema } from '@sinclair/typebox';

const HOUR_MS = 3_600_000;
const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: HOUR_MS };

export const DURATION = /^(?:0|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/;
export const DURATION_EXPECTED = 'a duration such as 90s, 3m or 1h30m';
export const NOT_ZERO = 'It must be longer than 0';

/** Returns the whole milliseconds of a duration such as `1h30m`. Undefined when the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const durationMs = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
  // 8.2 minutes would be 491999.99999999994.
  return Math.round(durationMs);
}

/** Returns the shortest text that `parseDurationMs` converts to this many milliseconds, such as `1h30m`. */
export function formatDuration(durationMs: number): string {
  let restMs = durationMs;
  const parts = Object.entries(UNIT_MS)
    .reverse()
    .map(([unit, unitMs]) => {
      const amount = Math.floor(restMs / unitMs);
      restMs -= amount * unitMs;
      return amount > 0 ? `${amount}${unit}` : '';
    });
  return parts.join('') || '0';
}

/**
 * Programs that read a setting. `muster` is the program that starts the services (`services/muster`), `build:host` is
 * `tools/build-host.mjs`.
 */
export type SettingReader =
  'build:host' | 'muster' | 'registration' | 'inventory' | 'validation' | 'ignition' | 'image' | 'events' | 'gateway';

/** One environment variable: its parser and its description on the reference page. */
export interface Setting<Value> {
  /** The name of the type on the reference page, such as `port`. */
  readonly type: string;
  readonly readBy: readonly SettingReader[];
  readonly meaning: string;
  /** Used when neither the setting nor an alias is set. */
  readonly fallback: Value;
  /** The default on the reference page, when the value itself does not help a reader. */
  readonly fallbackText?: string;
  /** Older or shorter names. The setting's own name takes precedence, then the aliases in this order. */
  readonly aliases?: readonly string[];
  /** Errors never repeat the value. */
  readonly isSecret?: boolean;
  /** Completes "Expected: …" in an error. */
  readonly expected: string;
  /** Returns the value, or undefined when the text is not valid. A setting without default is never undefined here. */
  readonly parse: (text: string) => Value | undefined;
  /** Returns what is wrong with a text of many parts, as a sentence without a full stop. Not used for secrets. */
  readonly faultOf?: (text: string) => string | undefined;
}

type Description = Pick<Setting<unknown>, 'readBy' | 'meaning' | 'fallbackText' | 'aliases' | 'isSecret'>;

/** The arguments of a builder: the description, and the default if there is one. */
type Given<Value, Fallback> = Description & { readonly fallback?: Fallback & (Value | undefined) };

function setting<Value, Fallback extends Value | undefined>(
  given: Given<Value, Fallback>,
  type: string,
  expected: string,
  parse: (text: string) => Value | undefined,
): Setting<Value | Fallback> {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- only a setting without a type argument has no fallback, and its Fallback is undefined
  return { ...given, fallback: given.fallback as Fallback, type, expected, parse };
}

export const text = <Fallback extends string | undefined = undefined>(
  given: Given<string, Fallback>,
): Setting<string | Fallback> => setting(given, 'text', 'a text', (value) => value);

/**
 * An absolute http or https URL. A trailing slash is removed. Blanks and quotes are not allowed, because it may be
 * written to a command line.
 */
export const url = <Fallback extends string | undefined = undefined>(
  given: Given<string, Fallback>,
): Setting<string | Fallback> =>
  setting(given, 'URL', 'an http or https URL without a query or a fragment', (value) =>
    /^https?:\/\/[^\s"'\\?#]+$/.test(value) && URL.canParse(value) ? value.replace(/\/+$/, '') : undefined,
  );

/** The path of a file. The reader of the setting opens the file. */
export const path = <Fallback extends string | undefined = undefined>(
  given: Given<string, Fallback>,
): Setting<string | Fallback> => setting(given, 'path', 'a path', (value) => value);

export const port = <Fallback extends number | undefined = undefined>(
  given: Given<number, Fallback>,
): Setting<number | Fallback> => ({ ...integer({ ...given, min: 0, max: 65_535 }), type: 'port' });

export const integer = <Fallback extends number | undefined = undefined>(
  given: Given<number, Fallback> & { readonly min: number; readonly max: number },
): Setting<number | Fallback> =>
  setting(given, 'integer', `a whole number from ${given.min} to ${given.max}`, (value) => {
    // Number converts blanks to 0.
    const parsed = value.trim() === '' ? Number.NaN : Number(value);
    return Number.isInteger(parsed) && parsed >= given.min && parsed <= given.max ? parsed : undefined;
  });

/** A number of bytes. */
export const bytes = <Fallback extends number | undefined = undefined>(
  given: Given<number, Fallback> & { readonly min?: number },
): Setting<number | Fallback> => ({
  ...integer({ ...given, min: given.min ?? 0, max: Number.MAX_SAFE_INTEGER }),
  type: 'bytes',
});

/** The whole hours that a timer of Node.js can wait. One with more than 2^31 - 1 ms ends immediately. */
const TIMER_HOURS_MAX = 596;
/** More than 1,000 years. Clients read the times that follow from a setting only up to the year 9999. */
const HOURS_MAX = 10_000_000;

const durationUpTo = <Fallback extends number | undefined>(
  hoursMax: number,
  given: Given<number, Fallback>,
): Setting<number | Fallback> =>
  setting(given, 'duration', `${DURATION_EXPECTED}, of at most ${hoursMax}h`, (value) => {
    const durationMs = parseDurationMs(value);
    return durationMs !== undefined && durationMs <= hoursMax * HOUR_MS ? durationMs : undefined;
  });

/** Milliseconds, written as `90s`, `3m`, `1h30m` or `250ms`. */
export const duration = <Fallback extends number | undefined = undefined>(
  given: Given<number, Fallback>,
): Setting<number | Fallback> => durationUpTo(HOURS_MAX, given);

/** A duration in which something has to happen, so that 0 would permit nothing. */
export const lifetime = <Fallback extends number | undefined = undefined>(
  given: Given<number, Fallback>,
): Setting<number | Fallback> => longerThanZero(duration(given));

/** A duration that a timer waits for, here or on a host. */
export const timeout = <Fallback extends number | undefined = undefined>(
  given: Given<number, Fallback>,
): Setting<number | Fallback> => longerThanZero(durationUpTo(TIMER_HOURS_MAX, given));

const longerThanZero = <Value>(given: Setting<Value>): Setting<Value> => ({
  ...given,
  parse: (value) => (parseDurationMs(value) === 0 ? undefined : given.parse(value)),
  faultOf: (value) => (parseDurationMs(value) === 0 ? NOT_ZERO : undefined),
});

export const boolean = (given: Description & { readonly fallback: boolean }): Setting<boolean> =>
  setting<boolean, boolean>(given, 'boolean', 'true or false', (value) => BOOLEANS.get(value.toLowerCase()));

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export const choice = <Choice extends string>(
  given: Description & { readonly fallback: Choice; readonly choices: readonly Choice[] },
): Setting<Choice> =>
  setting<Choice, Choice>(given, 'choice', `one of ${given.choices.join(', ')}`, (value) =>
    given.choices.find((one) => one === value),
  );

/** Comma separated. Blanks around entries and empty entries are removed. */
export const list = (given: Description & { readonly fallback?: readonly string[] }): Setting<readonly string[]> =>
  setting<readonly string[], readonly string[]>(
    { ...given, fallback: given.fallback ?? [] },
    'list',
    'a comma-separated list',
    parseList,
  );

export const parseList = (value: string): readonly string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** A JSON document that matches a schema. */
export function json<S extends TSchema>(
  given: Description & { readonly schema: S; readonly expected: string },
): Setting<Static<S> | undefined> {
  const { schema, expected, ...description } = given;
  const parse = createJsonParser(schema, { name: 'value' });
  return {
    ...setting<Static<S>, undefined>(description, 'JSON', expected, (value) => valueOf(parse(value))),
    faultOf: (value) => {
      const parsed = parse(value);
      return parsed.kind === 'invalid' ? formatViolation(parsed.violations[0]) : undefined;
    },
  };
}
