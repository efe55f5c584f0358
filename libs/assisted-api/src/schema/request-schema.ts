import { keptByObject } from '@muster/schema';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { describeMember } from '../field-descriptions/descriptions.table';
import { conversionOf, defaultsOf, nestedTypeOf } from '../requests/field.decorators';
import { TIMESTAMP_PATTERN } from '../requests/wire-values';
import { type JsonSchema, schema } from './answer-schema';

/** One validation decorator of a field. */
export interface FieldRule {
  /** Name of the constraint, such as `isString`. */
  readonly name: string;
  readonly constraints: readonly unknown[];
  /** The rule applies to each entry of a list. */
  readonly each: boolean;
}

export interface RequestField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly rules: readonly FieldRule[];
  /** Class of the objects in this field. */
  readonly nested: (new () => object) | undefined;
  /** Converts the value of a query. */
  readonly convert: ((value: unknown) => unknown) | undefined;
}

/** Returns the fields that the class-validator decorators of a class and its base classes declare, by name. */
export const requestFields = keptByObject(readFields);

function readFields(type: new () => object): ReadonlyMap<string, RequestField> {
  const storage = getMetadataStorage();
  const metadata = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, '', false, false));
  return new Map(
    Object.entries(metadata).map(([name, rules]) => [
      name,
      {
        name,
        isRequired: rules.every((rule) => rule.type !== ValidationTypes.CONDITIONAL_VALIDATION),
        rules: rules.map(({ type: kind, name: rule = kind, constraints = [], each }) => ({
          name: rule,
          constraints,
          each,
        })),
        nested: nestedTypeOf(type, name),
        convert: conversionOf(type, name),
      },
    ]),
  );
}

type RequestClass = new () => object;

type ToSchema = (constraint: unknown) => JsonSchema;

/** The JSON Schema of each constraint of class-validator. */
const SCHEMA_OF_RULE: ReadonlyMap<string, ToSchema> = new Map<string, ToSchema>([
  ['isString', () => ({ type: 'string' })],
  ['isBoolean', () => ({ type: 'boolean' })],
  ['isInt', () => ({ type: 'integer' })],
  ['isUuid', () => ({ type: 'string', format: 'uuid' })],
  ['isRFC3339', () => ({ type: 'string', format: 'date-time' })],
  ['isIn', (values) => ({ type: 'string', enum: Array.isArray(values) ? values.map(String) : [] })],
  ['min', (minimum) => ({ minimum: Number(minimum) })],
  ['max', (maximum) => ({ maximum: Number(maximum) })],
  ['minLength', (minLength) => ({ minLength: Number(minLength) })],
  ['maxLength', (maxLength) => ({ maxLength: Number(maxLength) })],
  ['matches', (pattern) => ({ type: 'string', pattern: pattern instanceof RegExp ? pattern.source : String(pattern) })],
  ['isObject', () => ({ type: 'object', additionalProperties: true })],
  ['isTimestamp', () => ({ type: 'string', pattern: TIMESTAMP_PATTERN.source })],
  ['isObjectOrText', () => ({ description: 'An object, or its JSON text.' })],
  ['isArray', () => ({ type: 'array' })],
  ['arrayMaxSize', (maxItems) => ({ maxItems: Number(maxItems) })],
]);

const schemaOfRules = (rules: readonly FieldRule[]): JsonSchema =>
  rules.reduce<JsonSchema>(
    (schema, { name, constraints }) => ({ ...schema, ...SCHEMA_OF_RULE.get(name)?.(constraints[0]) }),
    {},
  );

/** Returns the schema of a field without its description. */
export function fieldSchema({ rules, nested }: RequestField): JsonSchema {
  const own = schemaOfRules(rules.filter(({ each }) => !each));
  const object = nested && requestSchema(nested);
  if (own.type === 'array') return { ...own, items: object ?? schemaOfRules(rules.filter(({ each }) => each)) };
  return object ?? own;
}

/** Returns the schema of the class as a JSON body. Fields that are not declared are refused. */
export function requestSchema(type: RequestClass): JsonSchema {
  const fields = [...requestFields(type).values()];
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return schema({
    title: type.name,
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, withDefault(type, field)])),
    required: required.length > 0 ? required : undefined,
    additionalProperties: false,
  });
}

const withDefault = (type: RequestClass, field: RequestField): JsonSchema =>
  schema({ ...fieldSchema(field), default: defaultsOf(type)[field.name] });

/** Returns the schema of a field with its default and its description. */
export const describedField = (type: RequestClass, field: RequestField): JsonSchema =>
  describeMember(type.name, field.name, withDefault(type, field));
