import { costIn, ratioTable, type Round } from './compare';

const round = (before: string, after: string, what = 'register host'): Round => ({
  before: new Map([[what, before]]),
  after: new Map([[what, after]]),
});
const resultOf = (rounds: readonly Round[]): readonly string[] =>
  (ratioTable(rounds).split('\n')[2] ?? '').split('|').map((cell) => cell.trim());

describe('the cost in a row of figures', () => {
  it.each([
    ['1.20 ms CPU (900/s, p50 3.00 ms)', 1.2],
    ['p50 2.19 ms, p99 7.89 ms (1 KiB)', 2.19],
    ['1.47 s, 207 292 KiB resident', 1_470],
    ['4 000/s', 1 / 4_000],
    ['366 MB/s, 0.99 of a plain file', 1 / 366],
    ['0.10 % of a core (nats-server 0.05 % of a core)', 0.1],
    ['12 345 KiB', 12_345],
  ])('%s', (measured, expected) => {
    expect(costIn(measured)).toBeCloseTo(expected);
  });

  it('is missing when a benchmark failed or counted without a unit', () => {
    expect(costIn('failed, see above')).toBeUndefined();
    expect(costIn('311')).toBeUndefined();
  });
});

describe('a comparison', () => {
  it('calls a row slower when every round and the median exceed the noise', () => {
    const cells = resultOf([round('1.00 ms', '1.50 ms'), round('1.02 ms', '1.53 ms'), round('1.01 ms', '1.52 ms')]);
    expect(cells.slice(1, 7)).toEqual(['register host', '1.01 ms', '1.52 ms', '1.50 (1.50 to 1.50)', '1.02', 'slower']);
  });

  it('reads a higher rate as faster', () => {
    const cells = resultOf([round('100/s', '400/s'), round('110/s', '420/s')]);
    expect(cells.slice(2, 4)).toEqual(['110/s', '420/s']);
    expect(cells[6]).toBe('faster');
  });

  it('reports no change when the figures of one commit vary by as much', () => {
    expect(resultOf([round('1.00 ms', '1.10 ms'), round('1.30 ms', '1.35 ms')])[6]).toBe('within the noise');
    expect(resultOf([round('1.00 ms', '1.10 ms'), round('1.00 ms', '0.90 ms')])[6]).toBe('within the noise');
  });

  it('gives no result for one round, which shows no noise', () => {
    const cells = resultOf([round('1.00 ms', '1.01 ms')]);
    expect(cells.slice(4, 7)).toEqual(['1.01 (1.01 to 1.01)', '–', 'one round only']);
  });

  it('uses the mean of the middle ratios for an even number of rounds', () => {
    expect(resultOf([round('1.00 ms', '1.10 ms'), round('1.00 ms', '1.30 ms')])[4]).toBe('1.20 (1.10 to 1.30)');
  });

  it('omits rows that one commit does not have in every round', () => {
    expect(ratioTable([round('1 ms', '2 ms'), round('failed, see above', '2 ms')]).split('\n')).toHaveLength(2);
  });
});
