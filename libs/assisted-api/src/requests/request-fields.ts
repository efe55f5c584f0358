import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { nestedTypeOf } from './field.decorators';

/** One validation decorator of a field. */
export interface FieldRule {
  /** Name of the constraint, such as `isString`. */
  readonly name: string;
  readonly constraints: readonly unknown[];
  /** The rule holds for each entry of a list. */
  readonly each: boolean;
}

export interface RequestField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly rules: readonly FieldRule[];
  /** Class of the objects in this field. */
  readonly nested: (new () => object) | undefined;
}

const known = new WeakMap<object, ReadonlyMap<string, RequestField>>();

/** Fields that the class-validator decorators of a class and of the classes it extends declare, by name. */
export function requestFields(type: new () => object): ReadonlyMap<string, RequestField> {
  const fields = known.get(type) ?? readFields(type);
  known.set(type, fields);
  return fields;
}

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
      },
    ]),
  );
}
