import { Transform } from 'class-transformer';
import { type Validator, documented, Field, listOf, textValidator, uuidValidator } from './field.decorators';

interface Presence {
  readonly required?: boolean;
  /** What counts when the parameter is left out, for the document. */
  readonly fallback?: string | number | boolean;
}

/** Words that the contract's clients write for true in a query or a header; every other word is false. */
const TRUE_TEXTS = new Set(['true', '1', 'yes', 'ok', 'y', 'on', 'selected', 'checked', 't', 'enabled']);

/** Of a query or a header. */
export const isTrueText = (value: unknown): boolean => TRUE_TEXTS.has(String(last(value)).toLowerCase());

const last = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value);

const converted = (convert: (value: unknown) => unknown, field: PropertyDecorator): PropertyDecorator => {
  const transform = Transform(({ value }: { value: unknown }) => (value === undefined ? undefined : convert(value)));
  return (target, property) => {
    transform(target, property);
    field(target, property);
  };
};

/** Given twice, the last one counts; an empty one counts as not given. */
const single = (value: unknown): unknown => last(value) || undefined;

export const QueryText = (validator: Validator = textValidator({}), options: Presence = {}): PropertyDecorator =>
  converted(single, Field('text', validator, options));

export const QueryChoice = (oneOf: readonly string[], options: Presence = {}): PropertyDecorator =>
  QueryText(textValidator({ oneOf }), options);

export const QueryUuid = (): PropertyDecorator => QueryText(uuidValidator);

const anyFlag = documented(
  () => undefined,
  () => ({ type: 'boolean' }),
);

export const QueryFlag = (options: Presence = {}): PropertyDecorator =>
  converted(isTrueText, Field('flag', anyFlag, options));

const integerValidator = documented(
  (value) => (typeof value === 'number' ? undefined : 'must be a whole number'),
  () => ({ type: 'integer' }),
);

export const QueryWhole = (): PropertyDecorator =>
  converted(
    (value) => (/^-?\d{1,15}$/.test(String(single(value))) ? Number(single(value)) : single(value)),
    Field('whole', integerValidator),
  );

/** Comma-separated, repeated, or both. */
export const QueryList = (validator: Validator = textValidator({})): PropertyDecorator =>
  converted(
    (value) =>
      (Array.isArray(value) ? value : [value])
        .flatMap((item) => String(item).split(','))
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    Field('list', listOf(validator)),
  );
