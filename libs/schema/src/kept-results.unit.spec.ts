import { keptByText } from './kept-by-text';

describe('keptByText', () => {
  const counted = (textsMax: number) => {
    const computed: string[] = [];
    const lengthOf = keptByText((text) => {
      computed.push(text);
      return text === '' ? undefined : text.length;
    }, textsMax);
    return { computed, lengthOf };
  };

  it('computes the result of a text once, also when it is undefined', () => {
    const { computed, lengthOf } = counted(10);
    expect([lengthOf('4.18'), lengthOf('4.18'), lengthOf(''), lengthOf('')]).toEqual([4, 4, undefined, undefined]);
    expect(computed).toEqual(['4.18', '']);
  });

  it('removes all texts when there are more than the maximum', () => {
    const { computed, lengthOf } = counted(2);
    for (const text of ['a', 'bb', 'ccc', 'ccc', 'a']) expect(lengthOf(text)).toBe(text.length);
    expect(computed).toEqual(['a', 'bb', 'ccc', 'a']);
  });

  it('keeps no long text', () => {
    const { computed, lengthOf } = counted(10);
    const long = 'x'.repeat(65);
    expect([lengthOf(long), lengthOf(long)]).toEqual([65, 65]);
    expect(computed).toHaveLength(2);
  });
});
