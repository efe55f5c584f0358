import { type Static as MutableStatic, type TSchema, Type, type TUnsafe } from '@sinclair/typebox';

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
