import { type Static as MutableStatic, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';

/** The part of OpenAPI 3.0's schema object that is used here. */
export interface JsonSchema {
  /** Name of the schema among the components of the document. A schema without a name is inlined. */
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  readonly format?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** Returns the schema without undefined members. */
export const schema = (members: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The type of the values that a schema describes. Lists and objects are readonly. */
export type Static<S extends TSchema> = Immutable<MutableStatic<S>>;

type Immutable<Value> = Value extends readonly (infer Entry)[]
  ? readonly Immutable<Entry>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

// The types of TypeBox would produce `anyOf` with `const`, type `null` and `patternProperties`, which OpenAPI 3.0 does
// not have.

/** A text with one of the listed values. */
export const StringEnum = <const Value extends string>(values: readonly Value[]): TUnsafe<Value> =>
  Type.Unsafe<Value>({ type: 'string', enum: values });

/** The value or null. A reference cannot be nullable, so the schema is inlined without its title. */
export const Nullable = <S extends TSchema>({ title: _, ...schema }: S): TUnsafe<MutableStatic<S> | null> =>
  Type.Unsafe<MutableStatic<S> | null>({ ...schema, nullable: true });

/** An object with arbitrary member names. */
export const Dictionary = <S extends TSchema>(member: S): TUnsafe<{ [name: string]: MutableStatic<S> }> =>
  Type.Unsafe<{ [name: string]: MutableStatic<S> }>({ type: 'object', additionalProperties: member });

/** An object with any members. */
export const FreeObject = (): TUnsafe<{ [name: string]: unknown }> =>
  Type.Unsafe<{ [name: string]: unknown }>({ type: 'object', additionalProperties: true });

/** `error` of the v2 API. */
export const V2_ERROR = Type.Object(
  {
    kind: StringEnum(['Error']),
    id: Type.Integer({ minimum: 400, maximum: 507 }),
    href: Type.String(),
    code: Type.String(),
    reason: Type.String(),
  },
  { title: 'error' },
);

/** `infra_error` of the v2 API, for refusals of the framework before the handlers. */
export const V2_INFRA_ERROR = Type.Object(
  { code: Type.Integer({ minimum: 400, maximum: 599 }), message: Type.String() },
  { title: 'infra_error' },
);

/** A problem of the Muster API (RFC 9457). */
export const PROBLEM = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String(),
    subject: Type.Optional(Type.String()),
    allowed: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'problem' },
);
