import fc from 'fast-check';
import { BoundedMap } from './bounded-map';

describe('BoundedMap', () => {
  it('removes the least recently used entry when it is full', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  });

  it('replaces and deletes entries without removing others', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('b', 3);
    expect([map.get('a'), map.get('b'), map.delete('a'), map.delete('a'), map.size]).toEqual([1, 3, true, false, 1]);
  });

  it('removes entries until the sizes of the others are within the limit', () => {
    const map = new BoundedMap<string, number>(10);
    map.set('a', 1, 4);
    map.set('b', 2, 4);
    map.set('b', 3, 2);
    map.set('c', 4, 4);
    expect([map.has('a'), map.has('b'), map.has('c')]).toEqual([true, true, true]);
    map.set('d', 5, 5);
    expect([map.has('a'), map.has('b'), map.has('c'), map.has('d')]).toEqual([false, false, true, true]);
  });

  it('does not keep a value above the limit, and removes the earlier value of its key only', () => {
    const map = new BoundedMap<string, number>(10);
    map.set('a', 1, 4);
    map.set('b', 2, 4);
    map.set('b', 3, 11);
    expect([map.get('a'), map.get('b'), map.size]).toEqual([1, undefined, 1]);
  });

  it('contains exactly the most recently used entries', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.integer({ min: 1, max: 5 }), (keys, maxEntries) => {
        const map = new BoundedMap<number, number>(maxEntries);
        keys.forEach((key, index) => map.set(key, index));
        const last = [...new Set([...keys].reverse())].slice(0, maxEntries);
        expect(map.size).toBe(last.length);
        for (const key of last) expect(map.get(key)).toBe(keys.lastIndexOf(key));
      }),
    );
  });
});
