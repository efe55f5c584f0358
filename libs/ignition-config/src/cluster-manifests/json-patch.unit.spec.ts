import { applyJsonPatch, PatchError } from './json-patch';

describe('A JSON patch', () => {
  it.each([
    [{ a: 1 }, [{ op: 'add', path: '/b', value: [1] }], { a: 1, b: [1] }],
    [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: 2 }], 2],
    [
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      {},
    ],
    [{ a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    [{ a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
  ])('%#: of %j by %j gives %j', (document, patch, expected) => {
    const before = JSON.stringify(document);
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each([
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }],
    [{ a: [1] }, { op: 'add', path: '/a/3', value: 2 }],
    [{ a: [1] }, { op: 'add', path: '/a/01', value: 2 }],
    [{ a: 1 }, { op: 'remove', path: '/toString' }],
    [{ a: 1 }, { op: 'add', path: '/b/c', value: 1 }],
    [{ a: 1 }, { op: 'add', path: 'a', value: 1 }],
    [{ a: 1 }, { op: 'move', path: '/b' }],
    [{ a: 1 }, null],
  ])('of %j by %j cannot be applied', (document, operation) => {
    expect(() => applyJsonPatch(document, [operation])).toThrow(PatchError);
  });

  it('leaves the prototypes of objects alone', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }]) as object;
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.hasOwn(patched, '__proto__')).toBe(true);
  });
});
