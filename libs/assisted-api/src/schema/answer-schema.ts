import { type Static as MutableStatic, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';

/** As much of OpenAPI 3.0's schema object as is needed here. */
export interface JsonSchema {
  /** Name of the schema among the components of the document; a schema without a name is inlined. */
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

/** The schema without members that say nothing. */
export const schema = (members: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The type of the values that a schema describes. Lists and objects of answers are not changed. */
export type Static<S extends TSchema> = Immutable<MutableStatic<S>>;

type Immutable<Value> = Value extends readonly (infer Entry)[]
  ? readonly Immutable<Entry>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

// OpenAPI 3.0 has no `anyOf` with `const`, no type `null` and no `patternProperties`, which TypeBox's own types produce.

/** A string of a closed list. */
export const StringEnum = <const Value extends string>(values: readonly Value[]): TUnsafe<Value> =>
  Type.Unsafe<Value>({ type: 'string', enum: values });

/** The value or null. A reference cannot be nullable, so the schema is written out without its title. */
export const Nullable = <S extends TSchema>({ title: _, ...schema }: S): TUnsafe<MutableStatic<S> | null> =>
  Type.Unsafe<MutableStatic<S> | null>({ ...schema, nullable: true });

/** An object whose member names are data. */
export const Dictionary = <S extends TSchema>(member: S): TUnsafe<{ [name: string]: MutableStatic<S> }> =>
  Type.Unsafe<{ [name: string]: MutableStatic<S> }>({ type: 'object', additionalProperties: member });

/** An object of any members. */
export const FreeObject = (): TUnsafe<{ [name: string]: unknown }> =>
  Type.Unsafe<{ [name: string]: unknown }>({ type: 'object', additionalProperties: true });

/** `error` of the contract. */
export const V2_ERROR = Type.Object(
  {
    kind: StringEnum(['Error']),
    id: Type.Integer({ minimum: 400, maximum: 504 }),
    href: Type.String(),
    code: Type.String(),
    reason: Type.String(),
  },
  { title: 'error' },
);

/** `infra_error` of the contract: what the framework in front of the handlers refuses. */
export const V2_INFRA_ERROR = Type.Object(
  { code: Type.Integer({ minimum: 400, maximum: 599 }), message: Type.String() },
  { title: 'infra_error' },
);
