/** A step's arguments do not have the form that its type demands. */
export class BadStepArgs extends Error {
  constructor(where: string, demand: string) {
    super(`The argument ${where} must be ${demand}.`);
    this.name = 'BadStepArgs';
  }
}

export type JsonRecord = { readonly [name: string]: unknown };

/** The only argument of a step. */
export function soleArg(args: readonly string[]): string {
  const [only] = args;
  if (args.length !== 1 || only === undefined) throw new BadStepArgs('list', `one string, but has ${args.length}`);
  return only;
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadStepArgs(where, 'JSON text');
  }
}

export function toRecord(value: unknown, where: string): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadStepArgs(where, 'an object');
  return value as JsonRecord;
}

/** An absent or null list is an empty one: that is how the service writes it. */
export function toList(value: unknown, where: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new BadStepArgs(where, 'a list');
  return value;
}

export function toText(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') throw new BadStepArgs(where, 'a text that is not empty');
  return value;
}

export function toOptionalText(value: unknown, where: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new BadStepArgs(where, 'a text');
  return value;
}

export function toNumber(value: unknown, where: string): number {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new BadStepArgs(where, 'a number');
  return number;
}

export function toOneOf<Allowed extends string>(value: unknown, allowed: readonly Allowed[], where: string): Allowed {
  const found = allowed.find((one) => one === value);
  if (!found) throw new BadStepArgs(where, `one of ${allowed.join(', ')}`);
  return found;
}
