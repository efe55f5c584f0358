import { readTimeScale } from './scenario';

describe('the time scale of the demo', () => {
  it.each([
    [undefined, 150],
    ['', 150],
    ['60', 60],
    ['0.5', 0.5],
  ])('of %p is %p', (text, timeScale) => {
    expect(readTimeScale(text)).toBe(timeScale);
  });

  it.each(['0', '-1', 'fast', 'Infinity'])('is refused when it is %p', (text) => {
    expect(() => readTimeScale(text)).toThrow(
      `MUSTER_DEMO_TIME_SCALE="${text}" is not valid. Expected: a number above 0.`,
    );
  });
});
