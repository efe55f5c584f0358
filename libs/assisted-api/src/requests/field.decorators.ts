import 'reflect-metadata';
import { IsOptional, ValidateBy, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { type JsonSchema, schema } from '../schema/json-schema';
import { noteField, requestSchema } from '../schema/request-schema';

/** Why a value does not fit, to be read after the field's name: "must be …"; undefined when it fits. */
export interface Validator {
  (value: unknown): string | undefined;
  /** What fits, for the document; nothing is said of a error without it. */
  readonly schema?: () => JsonSchema;
}

/** The error, with what the document says of it. */
export const documented = (validator: (value: unknown) => string | undefined, toSchema: () => JsonSchema): Validator =>
  Object.assign(validator, { schema: toSchema });

interface Presence {
  readonly required?: boolean;
  /** What counts when the field is left out, for the document. */
  readonly fallback?: string | number | boolean;
}

/** Longest text of a field that states no limit of its own, in characters. */
export const DEFAULT_TEXT_MAX_CHARACTERS = 16_384;
/** Most members of a list. */
export const LIST_MAX_ITEMS = 1_000;
const INT32_MAX = 2_147_483_647;

const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, property) =>
    decorators.forEach((decorate) => decorate(target, property));

const presence = ({ required }: Presence): PropertyDecorator[] => (required ? [] : [IsOptional()]);

/** A field whose value must satisfy `validator`; a missing required one is complained about by name. */
export function Field(name: string, validator: Validator, options: Presence = {}): PropertyDecorator {
  const check: Validator = (value) => (value === undefined ? 'is required' : validator(value));
  return all(
    (target, property) =>
      noteField(target, {
        name: String(property),
        isRequired: options.required ?? false,
        schema: () => schema({ ...validator.schema?.(), default: options.fallback }),
      }),
    ...presence(options),
    ValidateBy({
      name,
      validator: {
        validate: (value) => check(value) === undefined,
        defaultMessage: (args) => check(args?.value) ?? '',
      },
    }),
  );
}

export interface TextRules extends Presence {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  readonly oneOf?: readonly string[];
}

export const textValidator = ({
  minLength = 0,
  maxLength = DEFAULT_TEXT_MAX_CHARACTERS,
  pattern,
  oneOf,
}: TextRules): Validator =>
  documented(
    (value) => {
      if (typeof value !== 'string') return 'must be a string';
      if (oneOf && !oneOf.includes(value)) return `must be one of: ${oneOf.map((choice) => choice || '""').join(', ')}`;
      if (value.length < minLength) return `must have at least ${minLength} character${minLength === 1 ? '' : 's'}`;
      if (value.length > maxLength) return `must have at most ${maxLength} characters, it has ${value.length}`;
      return pattern && !pattern.test(value) ? `must match '${pattern.source}'` : undefined;
    },
    () =>
      oneOf
        ? { type: 'string', enum: oneOf }
        : schema({
            type: 'string',
            minLength: minLength || undefined,
            maxLength: Number.isSafeInteger(maxLength + 1) ? maxLength : undefined,
            pattern: pattern?.source,
          }),
  );

export const Text = (rules: TextRules = {}): PropertyDecorator => Field('text', textValidator(rules), rules);

/** One of a closed list of words. */
export const Choice = (oneOf: readonly string[], options: Presence = {}): PropertyDecorator =>
  Text({ ...options, oneOf });

export const UUID_PATTERN = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
export const uuidValidator: Validator = documented(
  (value) =>
    typeof value === 'string' && UUID_PATTERN.test(value)
      ? undefined
      : 'must be a UUID such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8',
  () => ({ type: 'string', format: 'uuid' }),
);

export const Uuid = (options: Presence = {}): PropertyDecorator => Field('uuid', uuidValidator, options);

export const Whole = ({
  min = -INT32_MAX,
  max = INT32_MAX,
  ...options
}: Presence & { readonly min?: number; readonly max?: number } = {}): PropertyDecorator =>
  Field(
    'whole',
    documented(
      (value) => {
        if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be a whole number';
        return value < min || value > max ? `must be from ${min} to ${max}` : undefined;
      },
      () => ({ type: 'integer', minimum: min, maximum: max }),
    ),
    options,
  );

const booleanValidator = documented(
  (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  () => ({ type: 'boolean' }),
);

export const Flag = (options: Presence = {}): PropertyDecorator => Field('flag', booleanValidator, options);

/** A list of plain values, each of which must satisfy `validator`. */
export const ListOf = (validator: Validator, options: Presence = {}): PropertyDecorator =>
  Field('list', listOf(validator), options);

/** A list each of whose members must satisfy `validator`. */
export const listOf = (validator: Validator): Validator =>
  documented(
    (value) => listValidator(value, validator),
    () => ({ type: 'array', maxItems: LIST_MAX_ITEMS, items: validator.schema?.() ?? {} }),
  );

function listValidator(value: unknown, validator: Validator): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length > LIST_MAX_ITEMS) return `must have at most ${LIST_MAX_ITEMS} members, it has ${value.length}`;
  for (const [index, item] of value.entries()) {
    const reason = validator(item);
    if (reason) return `member ${index} ${reason}`;
  }
  return undefined;
}

const objectOf = (toSchema: () => JsonSchema): Validator =>
  documented(
    (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object'),
    toSchema,
  );
const freeObject = objectOf(() => ({ type: 'object', additionalProperties: true }));

/** An object of any members. */
export const FreeObject = (options: Presence = {}): PropertyDecorator => Field('object', freeObject, options);

/** An object with the fields of `part`. */
export const Part = (part: new () => object, options: Presence = {}): PropertyDecorator =>
  all(
    Field(
      'object',
      objectOf(() => requestSchema(part)),
      options,
    ),
    ValidateNested(),
    Type(() => part),
  );

/** A list of objects with the fields of `part`. */
export const Parts = (part: new () => object, options: Presence = {}): PropertyDecorator =>
  all(
    Field('list', listOf(objectOf(() => requestSchema(part))), options),
    ValidateNested({ each: true }),
    Type(() => part),
  );
