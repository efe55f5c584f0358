import {
  faultOfSetting,
  flag,
  flagOf,
  names,
  namesOf,
  type OperatorSetting,
  versionOfSetting,
  whole,
  wholeOf,
} from './operator-settings';

const COUNT = whole('COUNT', 3, 'A number.');
const SWITCH = flag('SWITCH', true, 'A flag.');
const NAMES = names('NAMES', ['10de:1eb8', '10de:1db6'], 'Names.');
const VERSION: OperatorSetting = { variable: 'VERSION', kind: 'version', standard: '4.10.0', meaning: 'A version.' };

const set = (setting: OperatorSetting, text: string) => new Map([[setting.variable, text]]);

describe('settings of operators', () => {
  it.each<[OperatorSetting, string, string | undefined]>([
    [COUNT, '0', undefined],
    [COUNT, ' 12 ', undefined],
    [COUNT, '123456789', undefined],
    [COUNT, '1234567890', 'a number of 0 or more'],
    [COUNT, '-1', 'a number of 0 or more'],
    [COUNT, '1.5', 'a number of 0 or more'],
    [COUNT, '', 'a number of 0 or more'],
    [SWITCH, 'True', undefined],
    [SWITCH, '0', undefined],
    [SWITCH, 'yes', 'true or false'],
    [NAMES, '', undefined],
    [NAMES, 'a, b', undefined],
    [NAMES, 'a\nb', 'a comma-separated list of names'],
    [VERSION, '4.10', undefined],
    [VERSION, '4.10.1', undefined],
    [VERSION, '4', 'a version such as 4.10'],
    [VERSION, '4.10.1.1', 'a version such as 4.10'],
    [VERSION, 'x4.10', 'a version such as 4.10'],
  ])('%j of "%s" expect %s', (setting, text, expected) => {
    expect(faultOfSetting(setting, text)).toBe(expected);
  });

  it('have their defaults without a value', () => {
    const none = new Map<string, string>();
    expect(wholeOf(none, COUNT)).toBe(3);
    expect(flagOf(none, SWITCH)).toBe(true);
    expect(namesOf(none, NAMES)).toEqual(['10de:1eb8', '10de:1db6']);
    expect(versionOfSetting(none, VERSION)).toEqual([4, 10, 0]);
  });

  it.each([
    ['true', true],
    [' TRUE ', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('read the flag "%s" as %s', (text, value) => {
    expect(flagOf(set(SWITCH, text), SWITCH)).toBe(value);
  });

  it('read numbers, versions without a patch, and names in lower case without blanks', () => {
    expect(wholeOf(set(COUNT, ' 7 '), COUNT)).toBe(7);
    expect(versionOfSetting(set(VERSION, '4.12'), VERSION)).toEqual([4, 12, 0]);
    expect(namesOf(set(NAMES, ' 10DE:FFFF ,, 8086:158b,'), NAMES)).toEqual(['10de:ffff', '8086:158b']);
    expect(namesOf(set(NAMES, ''), NAMES)).toEqual([]);
  });
});
