import type { Static, TSchema } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { toViolation, type Violation } from './violation';

/** A document that matches its schema, or the reasons why it does not. */
export type Parsed<Value> =
  | { readonly kind: 'valid'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly violations: readonly [Violation, ...Violation[]] };

export interface ParserOptions {
  /** What the document is called in messages; empty: paths begin with the name of a member. */
  readonly name: string;
  /** Members that the schema does not name are removed from the document. @default false */
  readonly dropsUnknown?: boolean;
  /** Every violation is reported instead of the first. @default false */
  readonly reportsAll?: boolean;
}

export type Parser<Value> = (document: unknown) => Parsed<Value>;

/**
 * A function that checks documents against a schema. The schema is compiled at the first call, which takes milliseconds.
 * With `dropsUnknown` the given document itself is changed.
 *
 * A schema may carry `expected: 'a MAC address such as 02:00:00:80:12:14'`: messages then say that instead of the keyword that failed.
 */
export function createParser<S extends TSchema>(schema: S, options: ParserOptions): Parser<Static<S>> {
  const { name, dropsUnknown = false, reportsAll = false } = options;
  let validate: ValidateFunction<Static<S>> | undefined;
  return (document) => {
    validate ??= createAjv(dropsUnknown, reportsAll).compile<Static<S>>(schema);
    if (validate(document)) return { kind: 'valid', value: document };
    const [first, ...more] = (validate.errors ?? []).map((error) => toViolation(name, error));
    return { kind: 'invalid', violations: [first ?? { path: name, reason: 'is not valid' }, ...more] };
  };
}

function createAjv(dropsUnknown: boolean, reportsAll: boolean): Ajv {
  const ajv = new Ajv({
    strict: true,
    // Unions of types are ours to write.
    allowUnionTypes: true,
    allErrors: reportsAll,
    verbose: true,
    removeAdditional: dropsUnknown ? 'all' : false,
  });
  addFormats.default(ajv);
  ajv.addKeyword('expected');
  return ajv;
}
