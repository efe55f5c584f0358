import fc from 'fast-check';
import { parseDurationMs, SettingError, SettingsReader } from './environment';

const read = (environment: Record<string, string | undefined>): SettingsReader => new SettingsReader(environment);
const RANGE = { min: 1, max: 65_535 };

describe('settings', () => {
  it.each(['', undefined])('that are %p take their defaults', (value) => {
    const settings = read({ S: value });
    expect(settings.text('S', 'fallback')).toBe('fallback');
    expect(settings.optionalText('S')).toBeUndefined();
    expect(settings.integer('S', 8_090, RANGE)).toBe(8_090);
    expect(settings.flag('S', true)).toBe(true);
    expect(settings.choice('S', ['a', 'b'], 'b')).toBe('b');
    expect(settings.durationMs('S', 7)).toBe(7);
    expect(settings.json('S', { x: 1 })).toEqual({ x: 1 });
  });

  it('are read in their own form', () => {
    const settings = read({ T: ' text ', N: '8888', F: 'TRUE', G: '0', C: 'a', D: '1h30m', J: '{"a":[1]}' });
    expect(settings.text('T', '')).toBe(' text ');
    expect(settings.integer('N', 0, RANGE)).toBe(8_888);
    expect([settings.flag('F', false), settings.flag('G', true)]).toEqual([true, false]);
    expect(settings.choice('C', ['a', 'b'], 'b')).toBe('a');
    expect(settings.durationMs('D', 0)).toBe(5_400_000);
    expect(settings.json('J', {})).toEqual({ a: [1] });
  });

  it.each<[string, string, (settings: SettingsReader) => unknown, string]>([
    ['integer', 'eighty', (s) => s.integer('PORT', 0, RANGE), 'a whole number from 1 to 65535'],
    ['integer', '80.5', (s) => s.integer('PORT', 0, RANGE), 'a whole number from 1 to 65535'],
    ['integer', '0', (s) => s.integer('PORT', 0, RANGE), 'a whole number from 1 to 65535'],
    ['integer', '65536', (s) => s.integer('PORT', 0, RANGE), 'a whole number from 1 to 65535'],
    ['flag', 'yes', (s) => s.flag('PORT', false), 'true or false'],
    ['choice', 'json', (s) => s.choice('PORT', ['text', 'xml'], 'text'), 'one of text, xml'],
    ['duration', '90', (s) => s.durationMs('PORT', 0), 'a duration such as'],
    ['JSON', '{a:1}', (s) => s.json('PORT', {}), 'a JSON document'],
  ])('that hold no %s (%s) stop the start with their name, value and what to give', (_, value, reading, expected) => {
    const failing = (): unknown => reading(read({ PORT: value }));
    expect(failing).toThrow(SettingError);
    expect(failing).toThrow(`Setting PORT=${JSON.stringify(value)} cannot be used: give ${expected}`);
  });

  it('that hold a long broken document are shown by their beginning', () => {
    const failing = (): unknown => read({ S: `{${'x'.repeat(5_000)}` }).json('S', {});
    expect(failing).toThrow(SettingError);
    expect(() => failing()).not.toThrow('x'.repeat(100));
  });
});

describe('durations', () => {
  it.each([
    ['0', 0],
    ['250ms', 250],
    ['90s', 90_000],
    ['3m', 180_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1h0m1s', 3_601_000],
    ['5m30s250ms', 330_250],
  ])('%s are %d ms', (text, ms) => expect(parseDurationMs(text)).toBe(ms));

  it.each(['', '90', '-5s', '5 s', 's', '1d', '5sec', '1h 30m', '3m!', 'm3', '1..5h', 'NaNs'])('"%s" is none', (text) =>
    expect(parseDurationMs(text)).toBeUndefined(),
  );

  it('add up from their parts', () => {
    fc.assert(
      fc.property(fc.nat(48), fc.nat(59), fc.nat(59), fc.nat(999), (h, m, s, ms) => {
        expect(parseDurationMs(`${h}h${m}m${s}s${ms}ms`)).toBe(((h * 60 + m) * 60 + s) * 1_000 + ms);
      }),
    );
  });
});
