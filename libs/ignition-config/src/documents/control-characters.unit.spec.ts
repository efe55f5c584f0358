import { parse } from 'yaml';
import { renderNmpolicy } from '../static-network/mac-mapping';
import { parseAsKubernetes, stringifyForKubernetes } from './read-yaml';

/** Those that the YAML parser of Go refuses, or reads as a line break. */
const REFUSED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

describe('YAML for Kubernetes', () => {
  it.each([
    ['a value', { key: 'J\u00e2\u0080\u0099s' }],
    ['a value of several lines', { key: 'one\ntwo\u007f\n' }],
    ['a long value', { key: `${'word '.repeat(50)}\u0085${'word '.repeat(50)}` }],
    ['a key', { 'a\u009fb': 1 }],
    ['an item of a list', ['\u0090']],
    ['a line separator', { key: 'one\u2028two' }],
    ['a paragraph separator in several lines', { key: 'one\u2029two\nthree\n' }],
    ['a byte order mark', { '\ufeffkey': '\ufeff1' }],
    ['noncharacters', ['\ufffe', { a: '\uffff' }]],
  ])('has escapes for the characters that Go cannot read in %s', (_, value) => {
    const text = stringifyForKubernetes(value);
    expect(text).not.toMatch(REFUSED);
    expect(parseAsKubernetes(text)).toEqual(value);
  });
});

it.each([
  ['a tab', '\tone\ntwo\n', '"\\tone\\ntwo\\n"'],
  ['a tab after empty lines', '\n\n\tone\n', '"\\n\\n\\tone\\n"'],
  ['a line of blanks', '  \n\n', '" \\ \\n\\n"'],
])('quotes a text that begins with %s, because Go derives the indentation from the first line', (_, value, quoted) => {
  const text = stringifyForKubernetes({ key: value });
  expect(text).toBe(`"key": ${quoted}\n`);
  expect(parseAsKubernetes(text)).toEqual({ key: value });
});

it('writes other texts of several lines as blocks', () =>
  expect(stringifyForKubernetes({ key: 'one\n\ttwo\n\n three\n' })).toBe('key: |\n  one\n  \ttwo\n\n   three\n'));

it('a policy for nmstate has escapes for control characters', () => {
  const document = { interfaces: [{ name: 'eth0', '802.1x': { password: 'p\u0080\u007f' } }] };
  const text = renderNmpolicy(document, []);
  expect(text).not.toMatch(REFUSED);
  expect(parse(text)).toEqual({ capture: {}, desiredState: document });
});
