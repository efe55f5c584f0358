import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonReadOptions,
  type JsonValue,
  type Message,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { configureTextEncoding, getTextEncoding } from '@bufbuild/protobuf/wire';

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

/**
 * Checks that a value is a message of the schema and returns its plain form: proto3 JSON with implicit fields written.
 * A property that is undefined counts as absent.
 * @throws when a value has another shape; the error names the field
 */
export function toPlainForm<Schema extends DescMessage>(
  schema: Schema,
  value: unknown,
  options?: Partial<JsonReadOptions>,
): Plain<MessageShape<Schema>> {
  const message = fromJson(schema, withoutUndefined(value) as JsonValue, options);
  return toJson(schema, message, { alwaysEmitImplicit: true }) as unknown as Plain<MessageShape<Schema>>;
}

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
