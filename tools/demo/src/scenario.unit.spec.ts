import { readTimeScale, USAGE, wantsHelp } from './scenario';

describe('the command line of the demo', () => {
  it.each([
    [[], false],
    [['--help'], true],
    [['-h'], true],
  ])('%j asks for help: %p', (args, isHelp) => expect(wantsHelp(args)).toBe(isHelp));

  it('has no other arguments', () => {
    expect(() => wantsHelp(['--quick'])).toThrow(`Argument '--quick' is unknown.\n${USAGE}`);
  });
});

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
