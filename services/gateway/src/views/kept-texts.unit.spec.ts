import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonPiece } from '../http/file-answers';
import { keepBody } from '../http/kept-bodies';
import { KeptTexts, type Sources } from './kept-texts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The text of pieces that were found. */
const textOf = (pieces: readonly JsonPiece[] | undefined): string | undefined => pieces?.join('');

describe('Texts that are kept', () => {
  const keepTwice = (texts: KeptTexts, key: string, sources: Sources, pieces: readonly JsonPiece[]): void => {
    texts.keep(key, sources, pieces);
    texts.keep(key, sources, pieces);
  };

  it('are found from the second time on that they were rendered from the same objects', () => {
    const texts = new KeptTexts(1_000);
    const source = {};
    texts.keep('a', [source, 'text', undefined], ['one']);
    expect(texts.find('a', [source, 'text', undefined])).toBeUndefined();
    texts.keep('a', [source, 'text', undefined], ['one']);
    expect(textOf(texts.find('a', [source, 'text', undefined]))).toBe('one');
    expect(texts.find('a', [{}, 'text', undefined])).toBeUndefined();
    expect(texts.find('a', [source, 'other', undefined])).toBeUndefined();
    expect(texts.find('a', [source, 'text', 7])).toBeUndefined();
    expect(texts.find('a', [source, 'text'])).toBeUndefined();
    expect(texts.find('b', [source, 'text', undefined])).toBeUndefined();
    texts.keep('a', [{}, 'text', undefined], ['two']);
    expect(texts.find('a', [source, 'text', undefined])).toBeUndefined();
  });

  it('leave when they exceed the limit, the least recently used one first', () => {
    const texts = new KeptTexts(4_000);
    const long = (letter: string): readonly JsonPiece[] => [letter.repeat(1_500)];
    keepTwice(texts, 'a', [1], long('a'));
    keepTwice(texts, 'b', [1], long('b'));
    texts.find('a', [1]);
    keepTwice(texts, 'c', [1], long('c'));
    const found = (): unknown => ['a', 'b', 'c'].map((key) => textOf(texts.find(key, [1]))?.charAt(0));
    expect(found()).toEqual(['a', undefined, 'c']);
    keepTwice(texts, 'a', [2], ['too long'.repeat(1_000)]);
    expect(texts.find('a', [2])).toBeUndefined();
    expect(found()).toEqual([undefined, undefined, 'c']);
  });

  it('do not keep their sources in memory', async () => {
    const texts = new KeptTexts(1_000);
    const weak = (() => {
      const source = {};
      keepTwice(texts, 'a', [source], ['one']);
      return new WeakRef(source);
    })();
    await nextTurn();
    collectGarbage();
    expect(weak.deref()).toBeUndefined();
  });

  it('are kept joined from the second request on, until a source changes', async () => {
    const texts = new KeptTexts(1_000);
    const document = {};
    let renderings = 0;
    const joined = async (checkedInAt: string): Promise<JsonPiece | undefined> => {
      const render = (): readonly JsonPiece[] => {
        renderings += 1;
        return ['é', Buffer.from(checkedInAt)];
      };
      return (await texts.joined('a', { sources: () => [document, checkedInAt], render }))[0];
    };
    const first = await joined('2');
    const second = await joined('2');
    expect(second).not.toBe(first);
    expect(await joined('2')).toBe(second);
    expect(renderings).toBe(2);
    const changed = await joined('3');
    expect([first, second, changed].map(String)).toEqual(['é2', 'é2', 'é3']);
    const [tag, repeated, other] = [first, second, changed].map((body) => Buffer.isBuffer(body) && keepBody(body));
    expect(tag).toEqual(expect.any(String));
    expect(repeated).toBe(tag);
    expect(other).not.toBe(tag);
  });

  it('are kept joined when the same text is rendered from other objects, as those of MongoDB', async () => {
    const texts = new KeptTexts(1_000);
    const joined = async (text: string): Promise<JsonPiece | undefined> =>
      (await texts.joined('a', { sources: () => [{}], render: () => [text] }))[0];
    const first = await joined('1');
    const second = await joined('1');
    expect(await joined('1')).toBe(second);
    expect(second).not.toBe(first);
    expect(String(await joined('2'))).toBe('2');
    expect(String(await joined('1'))).toBe('1');
  });

  it('are rendered once for requests at the same time, unless a source has changed', async () => {
    const texts = new KeptTexts(1_000);
    let renderings = 0;
    const joined = (source: string): Promise<readonly JsonPiece[]> =>
      texts.joined('a', {
        sources: () => [source],
        render: async () => {
          renderings += 1;
          await nextTurn();
          return [source];
        },
      });
    const [first, second, changed] = await Promise.all([joined('1'), joined('1'), joined('2')]);
    expect(second).toBe(first);
    expect([first, changed].map(String)).toEqual(['1', '2']);
    expect(renderings).toBe(2);
    await expect(
      texts.joined('a', { sources: () => ['3'], render: () => Promise.reject(new Error('cannot be read')) }),
    ).rejects.toThrow('cannot be read');
    expect(String(await joined('3'))).toBe('3');
  });
});
