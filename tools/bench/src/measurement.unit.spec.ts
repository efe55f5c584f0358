import { count, milliseconds, percentile, perSecond, seconds } from './measurement';

describe('figures', () => {
  it.each([
    [0, '0'],
    [999.6, '1 000'],
    [1_234_567, '1 234 567'],
  ])('writes %d as %s', (value, text) => expect(count(value)).toBe(text));

  it('have a useful number of digits', () => {
    expect([milliseconds(1.234), milliseconds(12.34), milliseconds(1_234)]).toEqual(['1.23 ms', '12.3 ms', '1 234 ms']);
    expect([seconds(1_234), seconds(12_345)]).toEqual(['1.23 s', '12.3 s']);
    expect(perSecond(500, 250)).toBe('2 000/s');
  });

  it('calculate percentiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 50, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});
