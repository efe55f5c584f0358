import { Buffer } from 'node:buffer';
import type { InventoryEvent } from '@muster/contracts';
import { createParser, type Parser, type Violation, isObject, memberAt, parseJson } from '@muster/schema';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';

/**
 * Returns the canonical JSON text: members in byte order of their names, no spaces. A document whose members are in
 * this order already, as `createNormalizer` returns it, is about five times faster.
 */
export const toCanonicalJson = (value: unknown): string =>
  isInCanonicalOrder(value)
    ? JSON.stringify(value)
    : JSON.stringify(value, (_key, part: unknown) => (isObject(part) ? sortedByKey(part) : part));

const sortedByKey = (value: object): object => Object.fromEntries(Object.entries(value).sort(byName));

const byName = ([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number =>
  first < second ? -1 : 1;

function isInCanonicalOrder(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isInCanonicalOrder);
  if (!isObject(value)) return true;
  let previous = '';
  for (const name in value) {
    if (name < previous || !isInCanonicalOrder(value[name])) return false;
    previous = name;
  }
  return true;
}

/**
 * Returns the canonical text of a document in which some members have other values. It is made of the canonical text of
 * the document, because writing a large one again takes longer. Undefined when the text does not contain a member as
 * `JSON.stringify` writes it.
 */
export function withMembers(text: string, document: object, changes: object): string | undefined {
  let changed = text;
  for (const [name, value] of Object.entries(changes)) {
    const before = `"${name}":${JSON.stringify(memberAt(document, name))}`;
    const at = changed.indexOf(before);
    if (at < 0) return undefined;
    changed = `${changed.slice(0, at)}"${name}":${JSON.stringify(value)}${changed.slice(at + before.length)}`;
  }
  return changed;
}

/** The result of one step as the agent sent it. */
export interface StepOutput {
  readonly hostKey: string;
  readonly output: string;
  readonly error: string;
  readonly exitCode: number;
  readonly generation: number;
}

/** Returns `sha256:<64 hex digits>` of a text in UTF-8. */
export type Digest = (text: string) => string;

/** A document that is stored in the object store. */
export interface PendingBody {
  readonly text: string;
  readonly digest: string;
}

/** The result of reading a report: the event, and the documents to which the event refers. */
export interface Report {
  readonly event: InventoryEvent;
  /** Must be in the object store before the event is appended. */
  readonly body?: PendingBody;
  /** Must be sealed before the event is appended. Not part of the body or the event. */
  readonly secret?: { readonly name: string; readonly plaintext: string };
}

export type ReadResult =
  { readonly kind: 'read'; readonly report: Report } | { readonly kind: 'unreadable'; readonly violation: Violation };

/** The reader of one step type. */
export interface ReportReader {
  readonly stepType: string;
  /** Maximum size of the output in bytes. */
  readonly maxBytes: number;
  readonly read: (step: StepOutput, digest: Digest) => ReadResult;
}

export const unreadable = (path: string, reason: string): ReadResult => ({
  kind: 'unreadable',
  violation: { path, reason },
});

export function toBody(document: unknown, digest: Digest): PendingBody {
  const text = toCanonicalJson(document);
  return { text, digest: digest(text) };
}

export const toStoredBody = ({ text, digest }: PendingBody): { readonly digest: string; readonly bytes: number } => ({
  digest,
  bytes: utf8Length(text),
});

/** Returns the length of the text in UTF-8, in bytes. Encoding the text only to measure it would allocate as many bytes. */
export const utf8Length = (text: string): number => Buffer.byteLength(text);

/** Returns how many of the items fit into a list of this size as JSON, from the first one. */
export function fittingCount(items: readonly unknown[], bytesMax: number): number {
  let bytes = 0;
  const index = items.findIndex((item) => (bytes += utf8Length(JSON.stringify(item)) + COMMA_BYTES) > bytesMax);
  return index < 0 ? items.length : index;
}

/** Returns the first items that fit into a list of this size as JSON. */
export const fitting = <Item>(items: readonly Item[], bytesMax: number): Item[] =>
  items.slice(0, fittingCount(items, bytesMax));

const COMMA_BYTES = 1;

export interface KeptFacts<Entry, Facts> {
  readonly countMax: number;
  /** Entries that match take precedence. */
  readonly matters: (entry: Entry) => boolean;
  readonly toFacts: (entry: Entry, index: number, all: readonly Entry[]) => Facts;
}

/** Returns the facts of the entries that fit into a list of this size as JSON, in their order, and the size of the list. */
export function keptFacts<Entry, Facts extends object>(
  entries: readonly Entry[],
  { countMax, matters, toFacts }: KeptFacts<Entry, Facts>,
  bytesMax: number,
): { readonly facts: Facts[]; readonly bytes: number } {
  if (entries.length <= countMax) {
    const facts = entries.map(toFacts);
    const bytes = utf8Length(JSON.stringify(facts));
    if (bytes <= bytesMax) return { facts, bytes };
  }
  const ordered = [...entries.filter(matters), ...entries.filter((entry) => !matters(entry))].slice(0, countMax);
  const kept = new Map(fitting(ordered.map(toFacts), bytesMax).map((facts, index) => [ordered[index], facts]));
  const facts = entries.flatMap((entry) => kept.get(entry) ?? []);
  return { facts, bytes: utf8Length(JSON.stringify(facts)) };
}

/** Returns at most `countMax` facts, and first one of each kind, so that many of one kind do not hide another. */
export function keptKinds<Facts extends object>(all: readonly Facts[], countMax: number): Facts[] {
  const kinds = new Set(new Map(all.map((facts) => [JSON.stringify(facts), facts])).values());
  return keptFacts(all, { countMax, matters: (facts) => kinds.has(facts), toFacts: (facts) => facts }, Infinity).facts;
}

/** Returns the first entry of each group, and the entries without a group. */
export function firstOfEach<Entry>(
  entries: readonly Entry[],
  groupOf: (entry: Entry) => string | undefined,
): ReadonlySet<Entry> {
  const groups = new Map<string | Entry, Entry>();
  for (const entry of entries) {
    const group = groupOf(entry) || entry;
    if (!groups.has(group)) groups.set(group, entry);
  }
  return new Set(groups.values());
}

const INT32_MAX = 2 ** 31 - 1;

/** Limits the number to the range of an event's field, because agents report invalid numbers of broken hardware. */
export const toInt32 = (value = 0): number => Math.trunc(Math.max(-INT32_MAX, Math.min(INT32_MAX, value)));

export const text = Type.String();
export const flag = Type.Boolean();
/** Whole numbers that a double represents exactly. */
export const integer = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  expected: 'a whole number',
});

/** Maximum number of entries of a list without a limit of its own. */
const MAX_LIST_ENTRIES = 100_000;

/** A list of at most `maxItems` entries. */
export const list = <S extends TSchema>(entry: S, maxItems = MAX_LIST_ENTRIES) => Type.Array(entry, { maxItems });

/** An object with optional members only, as in the reports of agents. */
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
  /** Returns the report of a failed run, for steps whose failure is a report. */
  readonly ofFailure?: (step: StepOutput, digest: Digest) => Report;
  readonly toReport: (document: Static<S>, step: StepOutput, digest: Digest) => Report | Violation;
}

/** Returns the reader of a step whose output is a JSON document. */
export function documentReader<S extends TSchema>(options: DocumentReader<S>): ReportReader {
  const { stepType, maxBytes, name, schema, ofFailure, toReport } = options;
  const parse: Parser<Static<S>> = createParser(schema, { name });
  const normalize = createNormalizer(schema);
  return {
    stepType,
    maxBytes,
    read: (step, digest): ReadResult => {
      if (ofFailure && step.exitCode !== 0) return { kind: 'read', report: ofFailure(step, digest) };
      const document = parseJson(step.output);
      if (document === undefined) return unreadable(name, 'must be a JSON document');
      const parsed = parse(normalize(document));
      if (parsed.kind === 'invalid') return { kind: 'unreadable', violation: parsed.violations[0] };
      const report = toReport(parsed.value, step, digest);
      return 'event' in report ? { kind: 'read', report } : { kind: 'unreadable', violation: report };
    },
  };
}

/**
 * Returns a function that returns a document with the members of the schema only, in the order of canonical JSON.
 * Agents written in Go send `null` for an absent member and for an empty list. Lone surrogates, which JSON can contain
 * and UTF-8 cannot, are replaced.
 */
export function createNormalizer(schema: TSchema): (value: unknown) => unknown {
  if (isList(schema)) {
    const entry = createNormalizer(schema.items);
    return (value) =>
      Array.isArray(value) ? value.map((part) => entry(part)) : value === null ? [] : wellFormed(value);
  }
  if (!isObjectSchema(schema)) return wellFormed;
  const members = Object.entries(schema.properties)
    .sort(byName)
    .map(([name, member]) => ({ name, acceptsNull: isList(member), normalize: createNormalizer(member) }));
  return (value) => {
    if (!isObject(value)) return wellFormed(value);
    const normalized: { [name: string]: unknown } = {};
    for (const { name, acceptsNull, normalize } of members) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (given !== undefined && (given !== null || acceptsNull)) normalized[name] = normalize(given);
    }
    return normalized;
  };
}

const wellFormed = (value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

const isList = (schema: TSchema): schema is TSchema & { readonly items: TSchema } => schema['type'] === 'array';
const isObjectSchema = (schema: TSchema): schema is TObject => schema['type'] === 'object';

const REASON_CHARACTERS_MAX = 300;

/** Returns the report of a step that the host could not run. */
export const stepFailure = (stepType: string, reason: string, generation: number): Report => ({
  event: {
    type: 'StepFailed',
    data: { stepType, reason: reason.slice(0, REASON_CHARACTERS_MAX).toWellFormed(), generation },
  },
});
