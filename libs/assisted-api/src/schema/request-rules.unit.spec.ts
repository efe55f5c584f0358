import { getMetadataStorage, IsInt, IsOptional, IsString, ValidateIf, validateSync } from 'class-validator';
import fc from 'fast-check';
import * as api from '..';
import { NestedList } from '../requests/field.decorators';
import { satisfiesRules } from './request-rules';
import { type RequestField, requestFields } from './request-schema';

type RequestClass = new () => object;

const isRequestClass = (value: unknown): value is RequestClass =>
  typeof value === 'function' && /^class/.test(String(value)) && getFieldCount(value) > 0;
const getFieldCount = (type: Parameters<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[0]) =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length;

const REQUESTS = Object.entries<unknown>(api).flatMap(([name, type]) => (isRequestClass(type) ? [{ name, type }] : []));

const isValid = (request: object): boolean => validateSync(request, { forbidUnknownValues: false }).length === 0;

/** Any JSON value, and often one that the field accepts. */
function valueOf({ rules, nested }: RequestField, depth: number): fc.Arbitrary<unknown> {
  const listed = rules.flatMap(({ name, constraints: [values] }) => (name === 'isIn' ? [values].flat() : []));
  const likely = fc.constantFrom<unknown>('', '4.18', '192.0.2.1', '10.0.0.0/8', '02:00:00:80:12:14', 3, ...listed);
  const scalar = fc.oneof(likely, fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const object = nested && depth > 0 ? requestOf(nested, depth - 1) : fc.constant({ a: 1 });
  return fc.oneof(scalar, object, fc.array(fc.oneof(likely, scalar, object), { maxLength: 2 }));
}

function requestOf(type: RequestClass, depth = 2): fc.Arbitrary<object> {
  const fields = [...requestFields(type).values()];
  const given = fields.map((field): [string, fc.Arbitrary<unknown>] => [field.name, valueOf(field, depth)]);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  // Few fields, so that some requests are valid.
  const some = fc.subarray(given, { maxLength: Math.min(2, given.length) });
  const always = given.filter(([name]) => required.includes(name));
  return some
    .chain((chosen) => fc.record(Object.fromEntries([...always, ...chosen])))
    .map((members) => Object.assign(new type(), members));
}

describe('the rules of a request', () => {
  it.each(REQUESTS)('agree with class-validator for $name', ({ type }) => {
    fc.assert(fc.property(requestOf(type), (request) => satisfiesRules(request) === isValid(request)));
  });

  it('are collected once for each class, and create no errors', () => {
    class Box {
      @IsInt() readonly depth = 3;
      @IsOptional() @NestedList(() => Box) readonly boxes?: readonly Box[];
    }
    const collect = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
    const look = jest.spyOn(getMetadataStorage(), 'getTargetValidatorConstraints');
    const box = Object.assign(new Box(), { boxes: [new Box(), new Box()] });
    expect(satisfiesRules(box)).toBe(true);
    const [collected, looked] = [collect.mock.calls.length, look.mock.calls.length];
    expect(satisfiesRules(box)).toBe(true);
    expect([collect.mock.calls.length, look.mock.calls.length]).toEqual([collected, looked]);
    expect(collected).toBe(1);
  });

  it('leave a decorator that they do not know to class-validator', () => {
    class Letter {
      @ValidateIf(() => false) @IsString() readonly a = 1;
      @IsString({ validateIf: () => false }) readonly b = 2;
    }
    expect(isValid(new Letter())).toBe(true);
    expect(satisfiesRules(new Letter())).toBe(false);
  });
});
