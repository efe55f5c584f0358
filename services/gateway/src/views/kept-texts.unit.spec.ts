import { keepBody } from '../http/kept-bodies';
import { KeptTexts } from './kept-texts';

const piece = (text: string): Buffer => Buffer.from(text);

describe('Texts that are kept', () => {
  it('are found while they are rendered from the same objects', () => {
    const texts = new KeptTexts(100);
    const source = {};
    texts.keep('a', [source], [piece('one')]);
    expect(texts.find('a', [source])?.join('')).toBe('one');
    expect(texts.find('a', [{}])).toBeUndefined();
    expect(texts.find('a', [source, source])).toBeUndefined();
    expect(texts.find('b', [source])).toBeUndefined();
  });

  it('leave when they exceed the limit, the least recently used one first', () => {
    const texts = new KeptTexts(8);
    texts.keep('a', [1], [piece('aaaa')]);
    texts.keep('b', [1], [piece('bbbb')]);
    texts.find('a', [1]);
    texts.keep('c', [1], [piece('cccc')]);
    expect(['a', 'b', 'c'].map((key) => texts.find(key, [1])?.join(''))).toEqual(['aaaa', undefined, 'cccc']);
    texts.keep('a', [2], [piece('too long to keep')]);
    expect(texts.find('a', [2])).toBeUndefined();
    expect(texts.find('c', [1])?.join('')).toBe('cccc');
  });

  it('are kept joined from the second request on, until a piece changes', () => {
    const texts = new KeptTexts(100);
    const pieces = [piece('1'), piece('2')];
    const [first] = texts.joined('a', pieces);
    expect(texts.find('a', pieces)).toBeUndefined();
    const second = texts.joined('a', pieces);
    expect(texts.joined('a', pieces)).toBe(second);
    expect([first, ...second].join()).toBe('12,12');
    const [changed] = texts.joined('a', [...pieces.slice(0, 1), piece('3')]);
    expect(changed?.toString()).toBe('13');
    const [tag, repeated, other] = [first, ...second, changed].map((body) => body && keepBody(body));
    expect(repeated).toBe(tag);
    expect(other).not.toBe(tag);
  });

  it('are kept joined until an object changes from which all pieces follow', () => {
    const texts = new KeptTexts(100);
    const document = {};
    const joined = (): readonly Buffer[] => texts.joined('a', [piece('1'), piece('2')], [document]);
    joined();
    const whole = joined();
    expect(texts.find('a', [document])).toBe(whole);
    expect(texts.find('a', [document, {}])).toBeUndefined();
  });
});
