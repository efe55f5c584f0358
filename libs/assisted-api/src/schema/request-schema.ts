import 'reflect-metadata';
import { describeMember } from '../field-descriptions/describe-member';
import type { JsonSchema } from './json-schema';

const FIELDS = Symbol('fields of a request');
const FALLBACKS = Symbol('what counts when a field of a request is left out');

interface Fallbacks {
  readonly [field: string]: string | number | boolean;
}

/** What counts when a field is left out of this request; said of a class where others that share the field mean "unchanged". */
export const WhenAbsent =
  (fallbacks: Fallbacks): ClassDecorator =>
  (type) =>
    Reflect.defineMetadata(FALLBACKS, fallbacks, type);

/** A field of a request class, as the document tells of it. */
export interface RequestField {
  readonly name: string;
  readonly isRequired: boolean;
  /** Asked for when the document is made: classes may name each other. */
  schema(): JsonSchema;
}

/** Notes a field of the class whose prototype is `target`. */
export function noteField(target: object, field: RequestField): void {
  Reflect.defineMetadata(FIELDS, [...notedFields(target), field], target);
}

/** Fields of the class, those of the classes it extends first. A field that is declared again counts as last declared. */
export function requestFields(type: new () => object): readonly RequestField[] {
  return [...new Map(notedFields(type.prototype as object).map((field) => [field.name, field])).values()];
}

/** The class as the schema of a JSON body: what is not declared is refused. */
export function requestSchema(type: new () => object): JsonSchema {
  const fields = requestFields(type);
  const fallbacks = (Reflect.getOwnMetadata(FALLBACKS, type) ?? {}) as Fallbacks;
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    title: type.name,
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        describeMember(type.name, field.name, withFallback(field.schema(), fallbacks[field.name])),
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const withFallback = (given: JsonSchema, fallback: Fallbacks[string] | undefined): JsonSchema =>
  fallback === undefined ? given : { ...given, default: fallback };

const notedFields = (target: object): readonly RequestField[] =>
  (Reflect.getMetadata(FIELDS, target) as readonly RequestField[] | undefined) ?? [];
