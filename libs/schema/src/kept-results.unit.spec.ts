import { isDeepStrictEqual } from 'node:util';
import { hiddenProperty, keptByObject, keptByText } from './kept-results';

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

describe('hiddenProperty', () => {
  const colour = hiddenProperty<string>();

  it('keeps a value per object and instance until it is replaced or removed', () => {
    const [first, second] = [{ id: 1 }, [1, 2]];
    colour.set(first, 'red');
    colour.set(second, 'blue');
    hiddenProperty<string>().set(first, 'green');
    expect([colour.get(first), colour.get(second), colour.get({})]).toEqual(['red', 'blue', undefined]);
    colour.set(first, 'black');
    colour.set(second, undefined);
    expect([colour.get(first), colour.get(second)]).toEqual(['black', undefined]);
  });

  it('is part of no copy, text, comparison or other object', () => {
    const object = { id: 1 };
    colour.set(object, 'red');
    const copies = [{ ...object }, Object.assign({}, object), structuredClone(object), Object.create(object)];
    expect(copies.map((copy: object) => colour.get(copy))).toEqual([undefined, undefined, undefined, undefined]);
    expect([JSON.stringify(object), Object.keys(object)]).toEqual(['{"id":1}', ['id']]);
    expect(isDeepStrictEqual(object, { id: 1 })).toBe(true);
    class Parent {}
    colour.set(Parent, 'red');
    expect(colour.get(class extends Parent {})).toBeUndefined();
  });

  it('leaves a frozen object as it is', () => {
    const object = Object.freeze({ id: 1 });
    expect(() => colour.set(object, 'red')).not.toThrow();
    expect(colour.get(object)).toBeUndefined();
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
