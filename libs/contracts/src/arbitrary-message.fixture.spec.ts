import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';

const INTEGERS: ReadonlySet<ScalarType> = new Set([ScalarType.INT32, ScalarType.SINT32, ScalarType.SFIXED32]);
const UNSIGNED: ReadonlySet<ScalarType> = new Set([ScalarType.UINT32, ScalarType.FIXED32]);
const NUMBERS: ReadonlySet<ScalarType> = new Set([ScalarType.DOUBLE]);

/** Returns an arbitrary plain form of the schema. Message fields and optional fields may be absent. */
export const arbitraryPlain = (schema: DescMessage): fc.Arbitrary<Record<string, unknown>> => {
  if (schema.typeName === 'google.protobuf.Struct') return fc.dictionary(memberName, json, { maxKeys: 3 });
  const fields = Object.fromEntries(schema.fields.map((field) => [field.jsonName, arbitraryField(field)]));
  return fc.record(fields, {
    requiredKeys: schema.fields.filter((field) => !isOptional(field)).map((f) => f.jsonName),
  });
};

const isOptional = (field: DescField): boolean =>
  field.fieldKind === 'message' || (field.proto.proto3Optional ?? false);

/** The JSON codec of protobuf drops a member of this name, because its assignment would replace the prototype. */
const memberName = fc.string().filter((name) => name !== '__proto__');

const json = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.array(fc.string(), { maxLength: 2 }),
);

const arbitraryField = (field: DescField): fc.Arbitrary<unknown> => {
  switch (field.fieldKind) {
    case 'scalar':
      return arbitraryScalar(field.scalar);
    case 'message':
      return arbitraryPlain(field.message);
    case 'list':
      return fc.array(field.listKind === 'message' ? arbitraryPlain(field.message) : arbitraryScalar(field.scalar), {
        maxLength: 3,
      });
    case 'map':
      return fc.dictionary(
        memberName,
        field.mapKind === 'message' ? arbitraryPlain(field.message) : arbitraryScalar(field.scalar),
        { maxKeys: 3 },
      );
    default:
      throw new Error(`${field.name}: the contracts have no enums; statuses are strings of the v2 API.`);
  }
};

const arbitraryScalar = (scalar: ScalarType | undefined): fc.Arbitrary<unknown> => {
  if (scalar === ScalarType.STRING) return fc.string({ unit: 'binary', maxLength: 12 });
  if (scalar === ScalarType.BOOL) return fc.boolean();
  if (scalar !== undefined && NUMBERS.has(scalar))
    return fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
  if (scalar !== undefined && INTEGERS.has(scalar)) return fc.integer();
  if (scalar !== undefined && UNSIGNED.has(scalar)) return fc.nat();
  if (scalar === ScalarType.BYTES)
    return fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  throw new Error(`Scalar ${scalar}: 64-bit integers are not plain numbers in proto3 JSON; use a double.`);
};
