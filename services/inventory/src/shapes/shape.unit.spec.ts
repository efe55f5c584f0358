import fc from 'fast-check';
import { digestOf, toCanonicalJson } from './canonical-json';
import { flag, integer, list, object, oneOf, ShapeError, text } from './shape';

const shape = object({
  name: text,
  count: integer,
  on: flag,
  kind: oneOf('a', 'b'),
  parts: list(object({ size: integer }), 3),
});
const validator = (value: unknown): string => {
  try {
    shape(value, 'thing');
    return 'none';
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return error.message;
  }
};

describe('shapes', () => {
  it('keep known fields, drop unknown ones and take null for absent', () => {
    expect(shape({ name: 'x', colour: 'red', count: null, parts: null }, 'thing')).toEqual({
      name: 'x',
    });
    expect(shape(JSON.parse('{"__proto__": {"name": "x"}, "constructor": 1}'), 'thing')).toEqual({});
  });

  it.each([
    [[], 'thing must be an object, not a list of 0 entries'],
    ['x', 'thing must be an object, not "x"'],
    [{ name: 7 }, 'thing.name must be a text, not 7'],
    [{ count: 1.5 }, 'thing.count must be a whole number, not 1.5'],
    [{ count: 1e300 }, 'thing.count must be a whole number, not 1e+300'],
    [{ on: 'yes' }, 'thing.on must be true or false, not "yes"'],
    [{ kind: 'c' }, 'thing.kind must be one of a, b, not "c"'],
    [{ parts: {} }, 'thing.parts must be a list, not an object'],
    [{ parts: [{ size: 1 }, { size: '2' }] }, 'thing.parts[1].size must be a whole number, not "2"'],
    [{ parts: [{}, {}, {}, {}] }, 'thing.parts must be a list of at most 3 entries, not a list of 4 entries'],
    [{ parts: [null] }, 'thing.parts[0] must be an object, not null'],
  ])('refuse %j and say where', (value, message) => {
    expect(validator(value)).toBe(message);
  });

  it('mend text that UTF-8 cannot carry', () => {
    expect(text(JSON.parse('"a\\ud800b"'), 'x')).toBe('a\ufffdb');
    expect(text('😀', 'x')).toBe('😀');
  });

  it('refuse or read any document, and throw nothing else', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void validator(value)));
  });
});

describe('canonical JSON', () => {
  it('is the same whatever the order of fields', () => {
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

  it('is named by its SHA-256', () => {
    expect(digestOf('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
