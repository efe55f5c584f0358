import { parseEventProps } from './events.controller';

describe('parseEventProps', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['["a",1,"b","c"]', { a: 1, b: 'c' }],
    ['["a",null]', { a: null }],
    ['["a"]', undefined],
    ['[1,"a"]', undefined],
    ['[]', undefined],
    ['"a"', undefined],
    ['null', undefined],
    ['{"a":[1e999]}', undefined],
    ['["a",-1e999]', undefined],
    ['{', undefined],
    ['', undefined],
  ])('parses %s as %j', (text, props) => expect(parseEventProps(text)).toEqual(props));

  const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it.each([33, 5_000, 500_000])('ignores values that are nested in %i levels', (levels) => {
    expect(parseEventProps(nested(levels))).toBeUndefined();
  });

  it('keeps values that are nested as deeply as a body may be', () => {
    expect(JSON.stringify(parseEventProps(nested(32)))).toBe(nested(32));
  });
});
