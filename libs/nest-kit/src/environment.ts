import type { Environment } from './platform';

/** A setting cannot be used as given; the service does not start. */
export class SettingError extends Error {
  constructor(name: string, value: string, expected: string) {
    super(`Setting ${name}=${JSON.stringify(value)} cannot be used: give ${expected}.`);
    this.name = 'SettingError';
  }
}

/** Reads settings one by one; an empty value counts as not set. Throws SettingError on the first one that is wrong. */
export class SettingsReader {
  constructor(private readonly environment: Environment) {}

  text(name: string, fallback: string): string {
    return this.environment[name] || fallback;
  }

  optionalText(name: string): string | undefined {
    return this.environment[name] || undefined;
  }

  integer(name: string, fallback: number, range: { readonly min: number; readonly max: number }): number {
    const value = this.environment[name];
    if (!value) return fallback;
    const parsed = Number(value);
    if (!Number.isInteger(parsed) || parsed < range.min || parsed > range.max) {
      throw new SettingError(name, value, `a whole number from ${range.min} to ${range.max}`);
    }
    return parsed;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.environment[name]?.toLowerCase();
    if (!value) return fallback;
    if (value === 'true' || value === '1') return true;
    if (value === 'false' || value === '0') return false;
    throw new SettingError(name, value, 'true or false');
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.environment[name];
    if (!value) return fallback;
    const found = choices.find((choice) => choice === value);
    if (!found) throw new SettingError(name, value, `one of ${choices.join(', ')}`);
    return found;
  }

  /** Milliseconds from the field's notation: 90s, 3m, 1h30m, 250ms. */
  durationMs(name: string, fallbackMs: number): number {
    const value = this.environment[name];
    if (!value) return fallbackMs;
    const parsed = parseDurationMs(value);
    if (parsed === undefined) throw new SettingError(name, value, 'a duration such as 90s, 3m or 1h30m');
    return parsed;
  }

  /** A JSON document. */
  json<Document>(name: string, fallback: Document): Document {
    const value = this.environment[name];
    if (!value) return fallback;
    try {
      return JSON.parse(value) as Document;
    } catch {
      throw new SettingError(name, value.slice(0, 80), 'a JSON document');
    }
  }
}

const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** undefined when the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
}
