import fc from 'fast-check';
import { formatDuration, parseDurationMs } from './setting';

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
    ['8.2m', 492_000],
    ['1.1h', 3_960_000],
    ['1.6ms', 2],
  ])('parseDurationMs(%s) is %d', (text, ms) => expect(parseDurationMs(text)).toBe(ms));

  it.each(['', '90', '-5s', '5 s', 's', '1d', '5sec', '1h 30m', '3m!', 'm3', '1..5h', 'NaNs'])(
    'parseDurationMs("%s") is undefined',
    (text) => expect(parseDurationMs(text)).toBeUndefined(),
  );

  it('are the sum of their parts', () => {
    fc.assert(
      fc.property(fc.nat(48), fc.nat(59), fc.nat(59), fc.nat(999), (h, m, s, ms) => {
        expect(parseDurationMs(`${h}h${m}m${s}s${ms}ms`)).toBe(((h * 60 + m) * 60 + s) * 1_000 + ms);
      }),
    );
  });

  it.each([0, 250, 90_000, 5_400_000, 3_601_000, 259_200_000])(
    'of %d ms are formatted so that they parse to the same value',
    (durationMs) => {
      expect(parseDurationMs(formatDuration(durationMs))).toBe(durationMs);
    },
  );
});
