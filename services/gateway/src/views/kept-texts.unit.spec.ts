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

  it('are joined once per change of a piece', () => {
    const texts = new KeptTexts(100);
    const [one, two] = [piece('1'), piece('2')];
    const whole = texts.joined('a', [one, two]);
    expect(whole.join('')).toBe('12');
    expect(texts.joined('a', [one, two])).toBe(whole);
    expect(texts.joined('a', [one, piece('3')]).join('')).toBe('13');
  });

  it('are joined once per change of the objects from which all pieces follow', () => {
    const texts = new KeptTexts(100);
    const document = {};
    const whole = texts.joined('a', [piece('1'), piece('2')], [document]);
    expect(texts.find('a', [document])).toBe(whole);
    expect(texts.find('a', [document, {}])).toBeUndefined();
  });
});
