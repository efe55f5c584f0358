import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonReadOptions,
  type JsonValue,
  type Message,
  type MessageShape,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';
import { hiddenProperty } from '@muster/schema';

/**
 * A generated message as a plain object: exactly the content of its proto3 JSON when implicit fields are always
 * written.
 */
export type Plain<T> = T extends Uint8Array
  ? string
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends Message
      ? { [K in keyof T as Exclude<K, '$typeName' | '$unknown'>]: Plain<T[K]> }
      : T;

// Replaces the check for valid UTF-8 that runs for every string of every message. The default check escapes each
// string, which is slower.
configureTextEncoding({ ...getTextEncoding(), checkUtf8: (text) => text.isWellFormed() });

/** Plain forms that never change, with their schema. */
const schemaOfFinalForm = hiddenProperty<DescMessage>();

/**
 * Checks that a value is a message of the schema and returns its plain form: proto3 JSON with implicit fields written.
 * A property that is undefined counts as absent. A result of `toFinalForm` with the same schema is returned itself.
 * @throws when a value has another shape; the error names the field
 */
export function toPlainForm<Schema extends DescMessage>(
  schema: Schema,
  value: unknown,
  options?: Partial<JsonReadOptions>,
): Plain<MessageShape<Schema>> {
  const copied = isFinalForm(schema, value) ? value : copierOf(schema)(value);
  if (copied !== UNUSUAL) return copied as Plain<MessageShape<Schema>>;
  const message = fromJson(schema, withoutUndefined(value) as JsonValue, options);
  return toJson(schema, message, { alwaysEmitImplicit: true }) as unknown as Plain<MessageShape<Schema>>;
}

/**
 * Returns the plain form of a value that several services of a process check one after the other. Later checks, also as a Struct, return
 * the same object. It must not be changed.
 * @throws when a value has another shape; the error names the field
 */
export function toFinalForm<Schema extends DescMessage>(schema: Schema, value: unknown): Plain<MessageShape<Schema>> {
  const form = toPlainForm(schema, value);
  schemaOfFinalForm.set(form, schema);
  return form;
}

const isFinalForm = (schema: DescMessage, value: unknown): boolean =>
  isRecord(value) && schemaOfFinalForm.get(value) === schema;

/** A plain form as the JSON that a request carries. */
export const toJsonValue = (plain: object): JsonObject => plain as JsonObject;

/** Returns the value itself when it contains no undefined property, which is the most frequent case. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutUndefined);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let isSame = true;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const cleaned = withoutUndefined(member);
    isSame &&= cleaned === member && member !== undefined;
    if (cleaned !== undefined) kept[name] = cleaned;
  }
  return isSame ? value : kept;
}

/**
 * Copies a value that has the shape of the plain form, and adds the implicit fields. Returns UNUSUAL for every other
 * value: the conversion of the protobuf library then converts or refuses it. Nearly all messages are copied, which takes
 * a tenth of the time of that conversion.
 */
type Copier = (value: unknown) => unknown;

const UNUSUAL = Symbol('unusual');
const refuse: Copier = () => UNUSUAL;

const COPIERS = new WeakMap<DescMessage, Copier>();

function copierOf(schema: DescMessage): Copier {
  let copier = COPIERS.get(schema);
  if (!copier) {
    copier = createCopier(schema);
    COPIERS.set(schema, copier);
  }
  return copier;
}

function createCopier(schema: DescMessage): Copier {
  if (schema.typeName === 'google.protobuf.Struct')
    return (value) => (isRecord(value) && schemaOfFinalForm.get(value) ? value : copyStruct(value, 0));
  if (schema.typeName.startsWith('google.protobuf.') || schema.oneofs.length > 0) return refuse;
  // The order of toJson.
  const fields = [...schema.fields]
    .sort((one, other) => one.number - other.number)
    .map((field) => ({ name: field.jsonName, copy: copierOfField(field), implicit: implicitValueOf(field) }));
  return (value) => {
    if (!isRecord(value)) return UNUSUAL;
    const copied: Record<string, unknown> = {};
    let known = 0;
    for (const { name, copy, implicit } of fields) {
      const member = value[name];
      if (member === undefined) {
        if (implicit !== undefined) copied[name] = typeof implicit === 'function' ? implicit() : implicit;
        continue;
      }
      known += 1;
      const copiedMember = copy(member);
      if (copiedMember === UNUSUAL) return UNUSUAL;
      copied[name] = copiedMember;
    }
    for (const name in value) if (value[name] !== undefined) known -= 1;
    return known === 0 ? copied : UNUSUAL;
  };
}

function copierOfField(field: DescField): Copier {
  switch (field.fieldKind) {
    case 'scalar':
      return copierOfScalar(field.scalar);
    case 'message':
      return (value) => copierOf(field.message)(value);
    case 'list':
      return listCopier(copierOfItem(field));
    case 'map':
      return field.mapKey === ScalarType.STRING ? mapCopier(copierOfItem(field)) : refuse;
    case 'enum':
      return refuse;
  }
}

function copierOfItem({ message, scalar }: DescField & { readonly fieldKind: 'list' | 'map' }): Copier {
  if (message) return (value) => copierOf(message)(value);
  return scalar === undefined ? refuse : copierOfScalar(scalar);
}

function copierOfScalar(scalar: ScalarType): Copier {
  switch (scalar) {
    case ScalarType.STRING:
      return (value) => (isText(value) ? value : UNUSUAL);
    case ScalarType.BOOL:
      return (value) => (typeof value === 'boolean' ? value : UNUSUAL);
    case ScalarType.DOUBLE:
      return (value) => (Number.isFinite(value) ? value : UNUSUAL);
    case ScalarType.INT32:
      return (value) => (typeof value === 'number' && (value | 0) === value ? value : UNUSUAL);
    case ScalarType.BYTES:
      return (value) => (typeof value === 'string' && isBase64(value) ? value : UNUSUAL);
    default:
      return refuse;
  }
}

/** Returns the value of an absent field, or its constructor. Undefined: the field stays absent. */
function implicitValueOf(field: DescField): string | number | boolean | (() => object) | undefined {
  if (field.fieldKind === 'list') return () => [];
  if (field.fieldKind === 'map') return () => ({});
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT || field.fieldKind !== 'scalar') return undefined;
  if (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES) return '';
  return field.scalar === ScalarType.BOOL ? false : 0;
}

const listCopier =
  (copyItem: Copier): Copier =>
  (value) => {
    if (!Array.isArray(value)) return UNUSUAL;
    // A list that grows item by item reserves memory for 17 items or more, and most lists of events have one item.
    const copied: unknown[] = value.slice();
    for (let index = 0; index < copied.length; index += 1) {
      const copiedItem = copyItem(copied[index]);
      if (copiedItem === UNUSUAL) return UNUSUAL;
      copied[index] = copiedItem;
    }
    return copied;
  };

const mapCopier =
  (copyItem: Copier): Copier =>
  (value) => {
    if (!isRecord(value)) return UNUSUAL;
    const copied: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined) continue;
      const copiedItem = isCopiedName(name) ? copyItem(member) : UNUSUAL;
      if (copiedItem === UNUSUAL) return UNUSUAL;
      copied[name] = copiedItem;
    }
    return copied;
  };

/** An assignment to __proto__ would replace the prototype instead of adding a member. */
const isCopiedName = (name: string): boolean => name !== '__proto__' && name.isWellFormed();

/** The protobuf library refuses deeper values. */
const STRUCT_MAX_DEPTH = 32;

/** Copiers of Struct, one per depth: reports of hosts contain hundreds of objects, and a copier per object would be garbage. */
const STRUCT_COPIERS: readonly Copier[] = Array.from({ length: STRUCT_MAX_DEPTH + 1 }, (_, depth) =>
  mapCopier((member) => copyJson(member, depth + 1)),
);
const LIST_COPIERS: readonly Copier[] = Array.from({ length: STRUCT_MAX_DEPTH + 1 }, (_, depth) =>
  listCopier((item) => copyJson(item, depth + 1)),
);

const copyStruct = (value: unknown, depth: number): unknown => (STRUCT_COPIERS[depth] ?? refuse)(value);

function copyJson(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean' || Number.isFinite(value) || isText(value)) return value;
  return Array.isArray(value) ? (LIST_COPIERS[depth] ?? refuse)(value) : copyStruct(value, depth);
}

/** The only base64 form of its bytes. Node checks it 20 times as fast as the protobuf library, which decodes it in JavaScript. */
const isBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text;

const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
