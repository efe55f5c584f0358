import { keptByObject, keptByText } from './kept-results';

describe('keptByText', () => {
  const counted = (textsMax: number, charactersMax?: number) => {
    const computed: string[] = [];
    const lengthOf = keptByText(
      (text) => {
        computed.push(text);
        return text === '' ? undefined : text.length;
      },
      textsMax,
      charactersMax,
    );
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

  it.each([
    [64, undefined],
    [5, 5],
  ])('keeps no text of more than %d characters', (charactersMax, given) => {
    const { computed, lengthOf } = counted(10, given);
    for (const length of [charactersMax, charactersMax + 1]) {
      const text = 'x'.repeat(length);
      expect([lengthOf(text), lengthOf(text)]).toEqual([length, length]);
    }
    expect(computed).toHaveLength(3);
  });

  it('returns the object that another call with the text gave', () => {
    const shared = keptByText((_text, list: readonly string[]) => list, 10);
    const first = ['a', 'b'];
    expect(shared('a,b', first)).toBe(first);
    expect(shared('a,b', ['a', 'b'])).toBe(first);
  });
});

describe('keptByObject', () => {
  it('computes the result of an object once, and again when another argument differs', () => {
    const computed: string[] = [];
    const join = keptByObject((list: readonly string[], separator: string, end: string | undefined) => {
      computed.push(separator);
      return list.length > 0 ? list.join(separator) + (end ?? '') : undefined;
    });
    const [full, empty] = [['a', 'b'], []];
    expect([join(full, '-', undefined), join(full, '-', undefined)]).toEqual(['a-b', 'a-b']);
    expect([join(empty, '-', undefined), join(empty, '-', undefined)]).toEqual([undefined, undefined]);
    expect(computed).toEqual(['-', '-']);
    expect([join(full, '+', undefined), join(full, '+', '.'), join(full, '+', '.')]).toEqual(['a+b', 'a+b.', 'a+b.']);
    expect(computed).toEqual(['-', '-', '+', '+']);
    expect(join(['a', 'b'], '+', '.')).toBe('a+b.');
    expect(computed).toHaveLength(5);
  });
});
