import { parse } from 'yaml';
import { renderNmpolicy } from '../static-network/mac-mapping';
import { parseAsKubernetes, stringifyForKubernetes } from './read-yaml';

/** Those that the YAML parser of Go refuses, or reads as a line break. */
const REFUSED = /[\u007f-\u009f]/;

describe('YAML for Kubernetes', () => {
  it.each([
    ['a value', { key: 'J\u00e2\u0080\u0099s' }],
    ['a value of several lines', { key: 'one\ntwo\u007f\n' }],
    ['a long value', { key: `${'word '.repeat(50)}\u0085${'word '.repeat(50)}` }],
    ['a key', { 'a\u009fb': 1 }],
    ['an item of a list', ['\u0090']],
  ])('has escapes for control characters in %s', (_, value) => {
    const text = stringifyForKubernetes(value);
    expect(text).not.toMatch(REFUSED);
    expect(parseAsKubernetes(text)).toEqual(value);
  });
});

it('a policy for nmstate has escapes for control characters', () => {
  const document = { interfaces: [{ name: 'eth0', '802.1x': { password: 'p\u0080\u007f' } }] };
  const text = renderNmpolicy(document, []);
  expect(text).not.toMatch(REFUSED);
  expect(parse(text)).toEqual({ capture: {}, desiredState: document });
});
