import { keptByObject } from '@muster/schema';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

const storage = getMetadataStorage();
type Collect = typeof storage.getTargetValidationMetadatas;
type Decorator = ReturnType<Collect>[number];

/** Whether a value of a request satisfies a decorator. */
type Rule = (value: unknown, request: object) => boolean;

/** The class-validator decorators of one field. */
interface FieldRules {
  readonly field: string;
  /** The other rules apply only to values that satisfy these. */
  readonly conditions: readonly Rule[];
  readonly rules: readonly Rule[];
}

/**
 * Returns whether a request satisfies the class-validator decorators of its class. False: it violates one of them, or it has a
 * decorator that is not known here. `validateSync` then decides, and names the violation.
 *
 * class-validator collects the decorators of a class and looks up their constraints for every object, and it creates an error for
 * every field before it validates it: 50 KB for a new cluster. Here, the constraints of class-validator are collected once per class.
 */
export function satisfiesRules(request: object): boolean {
  for (const { field, conditions, rules } of rulesOf(request.constructor)) {
    const value: unknown = Reflect.get(request, field);
    if (satisfiesAll(conditions, value, request) && !satisfiesAll(rules, value, request)) return false;
  }
  return true;
}

function satisfiesAll(rules: readonly Rule[], value: unknown, request: object): boolean {
  for (const satisfies of rules) if (!satisfies(value, request)) return false;
  return true;
}

const rulesOf = keptByObject((type: Parameters<Collect>[0]): readonly FieldRules[] => {
  const byField = storage.groupByPropertyName(storage.getTargetValidationMetadatas(type, '', false, false));
  return Object.entries(byField).map(([field, decorators]) => ({
    field,
    conditions: decorators.filter(isCondition).map(toCondition),
    rules: decorators.filter((decorator) => !isCondition(decorator)).flatMap(toRules),
  }));
});

const isCondition = ({ type }: Decorator): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;

function toCondition({ constraints }: Decorator): Rule {
  const [condition]: readonly unknown[] = constraints;
  return isPredicate(condition) ? (value, request) => Boolean(condition(request, value)) : accept;
}

const isPredicate = (value: unknown): value is (request: object, value: unknown) => unknown =>
  typeof value === 'function';

function toRules(decorator: Decorator): readonly Rule[] {
  if (decorator.type === ValidationTypes.NESTED_VALIDATION) return [satisfiesNested];
  if (decorator.type !== ValidationTypes.CUSTOM_VALIDATION || decorator.validateIf) return [refuse];
  const { propertyName: property, constraintCls, constraints, each } = decorator;
  return storage.getTargetValidatorConstraints(constraintCls).map(({ instance }): Rule => {
    const satisfies: Rule = (value, object) =>
      instance.validate(value, { value, constraints, property, object, targetName: object.constructor.name }) === true;
    return each
      ? (value, request) =>
          Array.isArray(value) ? value.every((item) => satisfies(item, request)) : satisfies(value, request)
      : satisfies;
  });
}

const accept: Rule = () => true;
const refuse: Rule = () => false;

const satisfiesNested: Rule = (value) => {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.every((item) => satisfiesNested(item, value));
  return value instanceof Object && satisfiesRules(value);
};
