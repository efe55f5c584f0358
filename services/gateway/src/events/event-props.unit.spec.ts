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
    ['{', undefined],
    ['', undefined],
  ])('parses %s as %j', (text, props) => expect(parseEventProps(text)).toEqual(props));
});
