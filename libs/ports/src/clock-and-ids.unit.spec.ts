import { isoTime } from './clock-and-ids';

describe('isoTime', () => {
  it('returns the text of each time, also when times alternate', () => {
    const times = [0, 1, 1, 0, 1_700_000_000_123, 1_700_000_000_123, 0.5];
    expect(times.map(isoTime)).toEqual(times.map((ms) => new Date(ms).toISOString()));
  });
});
