import type { JsonPiece } from '../http/file-answers';
import { keepBody } from '../http/kept-bodies';
import { KeptTexts } from './kept-texts';

describe('Texts that are kept', () => {
  it('are found while they are rendered from the same objects', () => {
    const texts = new KeptTexts(100);
    const source = {};
    texts.keep('a', [source], ['one']);
    expect(texts.find('a', [source])?.join('')).toBe('one');
    expect(texts.find('a', [{}])).toBeUndefined();
    expect(texts.find('a', [source, source])).toBeUndefined();
    expect(texts.find('b', [source])).toBeUndefined();
  });

  it('leave when they exceed the limit, the least recently used one first', () => {
    const texts = new KeptTexts(8);
    texts.keep('a', [1], ['aaaa']);
    texts.keep('b', [1], ['bbbb']);
    texts.find('a', [1]);
    texts.keep('c', [1], ['cccc']);
    expect(['a', 'b', 'c'].map((key) => texts.find(key, [1])?.join(''))).toEqual(['aaaa', undefined, 'cccc']);
    texts.keep('a', [2], ['too long to keep']);
    expect(texts.find('a', [2])).toBeUndefined();
    expect(texts.find('c', [1])?.join('')).toBe('cccc');
  });

  it('are kept joined from the second request on, until a piece changes', () => {
    const texts = new KeptTexts(100);
    const pieces = ['é', Buffer.from('2')];
    const [first] = texts.joined('a', pieces);
    expect(texts.find('a', pieces)).toBeUndefined();
    const second = texts.joined('a', pieces);
    expect(texts.joined('a', pieces)).toBe(second);
    expect([first, ...second].join()).toBe('é2,é2');
    const [changed] = texts.joined('a', [...pieces.slice(0, 1), '3']);
    expect(changed?.toString()).toBe('é3');
    const [tag, repeated, other] = [first, ...second, changed].map((body) => Buffer.isBuffer(body) && keepBody(body));
    expect(tag).toEqual(expect.any(String));
    expect(repeated).toBe(tag);
    expect(other).not.toBe(tag);
  });

  it('are kept joined until an object changes from which all pieces follow', () => {
    const texts = new KeptTexts(100);
    const document = {};
    const joined = (): readonly JsonPiece[] => texts.joined('a', ['1', '2'], [document]);
    joined();
    const whole = joined();
    expect(texts.find('a', [document])).toBe(whole);
    expect(texts.find('a', [document, {}])).toBeUndefined();
  });
});
