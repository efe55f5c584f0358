import { compareNumbers, compareVersions, isAtLeast, parseVersion } from './openshift-version';

describe('versions', () => {
  it.each([
    ['4.18', [4, 18, 0]],
    ['v4.18.3', [4, 18, 3]],
    ['5.0.0-ec.5', [5, 0, 0]],
    ['4.18.52-multi', [4, 18, 52]],
    ['4', undefined],
    ['latest', undefined],
    ['', undefined],
  ])('%j is parsed as %j', (text, numbers) => {
    expect(parseVersion(text)).toEqual(numbers);
  });

  it('are compared number by number', () => {
    expect(compareNumbers([4, 9, 0], [4, 18, 0])).toBeLessThan(0);
    expect(compareNumbers([4, 18, 1], [4, 18, 0])).toBeGreaterThan(0);
  });

  it.each([
    ['4.18.0-ec.0', '4.18', true],
    ['4.9', '4.18', false],
    ['unknown', '4.18', false],
    ['4.18', 'unknown', false],
  ])('%s is at least %s: %s', (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected);
  });

  it.each([
    ['4.18.0-ec.0', '4.18.0', -1],
    ['5.0.0-ec.5', '5.0.0-ec.10', -1],
    ['4.18.1-multi', '4.18.1', 0],
    ['4.18.10', '4.18.9', 1],
    ['new', '4.9', -1],
  ])('%s compared with %s by age is %i', (first, second, expected) => {
    expect(Math.sign(compareVersions(first, second))).toBe(expected);
    expect(Math.sign(compareVersions(second, first))).toBe(-expected || 0);
  });
});
