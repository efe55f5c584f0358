import { formatViolation } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { choice, createNormalizer, documentReader, list, record, toCanonicalJson } from './report';

const REPORT = record({
  name: Type.String(),
  on: Type.Boolean(),
  kind: choice('a', 'b'),
  parts: list(record({ size: Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, expected: 'a whole number' }) }), 3),
});
const reader = documentReader({
  stepType: 'report',
  maxBytes: 1_000,
  name: 'report',
  schema: REPORT,
  toReport: (_document, { generation }) => ({
    event: { type: 'NtpSourcesReported', data: { sources: [], generation } },
  }),
});
const normalize = createNormalizer(REPORT);
const violationOf = (value: unknown): string => {
  const step = { hostKey: '', output: JSON.stringify(value), error: '', exitCode: 0, generation: 0 };
  const result = reader.read(step, (text) => text);
  return result.kind === 'read' ? 'none' : formatViolation(result.violation);
};

describe('document reader', () => {
  it('keeps known members, removes unknown ones and accepts null for absent or empty', () => {
    expect(normalize({ name: 'x', colour: 'red', on: null, parts: null })).toEqual({ name: 'x', parts: [] });
    expect(normalize(JSON.parse('{"__proto__": {"name": "x"}, "constructor": 1}'))).toEqual({});
  });

  it('puts members in the order of canonical JSON', () => {
    const text = JSON.stringify(normalize({ parts: [{ size: 1 }], on: true, name: 'x', kind: 'a' }));
    expect(text).toBe('{"kind":"a","name":"x","on":true,"parts":[{"size":1}]}');
  });

  it.each([
    [[], 'report must be an object, not a list of 0 entries'],
    ['x', 'report must be an object, not "x"'],
    [{ name: 7 }, 'report.name must be a string, not 7'],
    [{ on: 'yes' }, 'report.on must be true or false, not "yes"'],
    [{ kind: 'c' }, 'report.kind must be one of a, b, not "c"'],
    [{ parts: {} }, 'report.parts must be a list, not an object'],
    [{ parts: [{ size: 1 }, { size: '2' }] }, 'report.parts[1].size must be a whole number, not "2"'],
    [{ parts: [{ size: 1e300 }] }, 'report.parts[0].size must be a whole number, not 1e+300'],
    [{ parts: [{}, {}, {}, {}] }, 'report.parts must be a list of at most 3 entries, not a list of 4 entries'],
    [{ parts: [null] }, 'report.parts[0] must be an object, not null'],
  ])('refuses %j with the path', (value, message) => {
    expect(violationOf(value)).toBe(message);
  });

  it('replaces lone surrogates', () => {
    expect(createNormalizer(Type.String())(JSON.parse('"a\\ud800b"'))).toBe('a\ufffdb');
    expect(createNormalizer(Type.String())('😀')).toBe('😀');
  });

  it('accepts or refuses any document without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void violationOf(value)));
  });
});

describe('canonical JSON', () => {
  it('does not depend on the order of members', () => {
    expect(toCanonicalJson({ b: [{ d: 1, c: 2 }], a: 'x' })).toBe('{"a":"x","b":[{"c":2,"d":1}]}');
    const shuffled = fc
      .dictionary(fc.string(), fc.jsonValue())
      .chain((one) =>
        fc.tuple(fc.constant(one), fc.shuffledSubarray(Object.entries(one), { minLength: Object.keys(one).length })),
      );
    fc.assert(
      fc.property(shuffled, ([one, entries]) => {
        expect(toCanonicalJson(Object.fromEntries(entries))).toBe(toCanonicalJson(one));
      }),
    );
  });
});
