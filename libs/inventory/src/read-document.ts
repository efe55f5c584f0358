import { createParser, type Parser, type Violation } from '@muster/schema';
import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import { type Digest, type ReadResult, type Report, type ReportReader, type StepOutput, unreadable } from './report';

/** Entries of a list without a limit of its own. */
const MAX_LIST_ENTRIES = 100_000;

/** Half of a character, which JSON can express and UTF-8 cannot. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** A list of at most `maxItems` entries. */
export const list = <S extends TSchema>(entry: S, maxItems = MAX_LIST_ENTRIES) => Type.Array(entry, { maxItems });

/** An object whose members are all optional, as in the reports of agents. */
export const record = <Members extends { readonly [name: string]: TSchema }>(members: Members) =>
  Type.Partial(Type.Object(members));

/** One of the given strings. */
export const choice = <Choice extends string>(...choices: readonly Choice[]) =>
  Type.Unsafe<Choice>({ type: 'string', enum: [...choices] });

export interface DocumentReader<S extends TSchema> {
  readonly stepType: string;
  readonly maxBytes: number;
  /** Name of the document in messages. */
  readonly name: string;
  readonly schema: S;
  /** A failed run of this step has no document but is a report. */
  readonly ofFailure?: (step: StepOutput, digest: Digest) => Report;
  readonly toReport: (document: Static<S>, step: StepOutput, digest: Digest) => Report | Violation;
}

/** The reader of a step whose output is a JSON document. */
export function documentReader<S extends TSchema>(options: DocumentReader<S>): ReportReader {
  const { stepType, maxBytes, name, schema, ofFailure, toReport } = options;
  const parse: Parser<Static<S>> = createParser(schema, { name });
  return {
    stepType,
    maxBytes,
    read: (step, digest): ReadResult => {
      if (ofFailure && step.exitCode !== 0) return { kind: 'read', report: ofFailure(step, digest) };
      const document = parseJson(step.output);
      if (document === undefined) return unreadable(name, 'must be a JSON document');
      const parsed = parse(normalize(schema, document));
      if (parsed.kind === 'invalid') return { kind: 'unreadable', violation: parsed.violations[0] };
      const report = toReport(parsed.value, step, digest);
      return 'event' in report ? { kind: 'read', report } : { kind: 'unreadable', violation: report };
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The document with the members of the schema only. Agents written in Go send `null` for an absent member and for an empty
 * list. Characters that UTF-8 cannot carry are replaced.
 */
export function normalize(schema: TSchema, value: unknown): unknown {
  if (typeof value === 'string') return value.replace(LONE_SURROGATE, '\ufffd');
  if (isList(schema)) {
    if (value === null) return [];
    return Array.isArray(value) ? value.map((entry) => normalize(schema.items, entry)) : value;
  }
  if (!isObject(schema) || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members: { [name: string]: unknown } = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    const given: unknown = Object.hasOwn(value, name)
      ? (value as { readonly [name: string]: unknown })[name]
      : undefined;
    if (given !== undefined && (given !== null || isList(member))) members[name] = normalize(member, given);
  }
  return members;
}

const isList = (schema: TSchema): schema is TSchema & { readonly items: TSchema } => schema['type'] === 'array';
const isObject = (schema: TSchema): schema is TObject => schema['type'] === 'object';
