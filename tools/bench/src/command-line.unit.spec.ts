import { BENCHES, parseCommandLine, USAGE, UsageError } from './command-line';

describe('the command line of the benchmarks', () => {
  it('runs all of them when none is named', () => {
    expect(parseCommandLine([])).toEqual({ benches: BENCHES, isQuick: false, writes: false });
  });

  it('accepts options in any order, and several names', () => {
    const options = parseCommandLine(['--only', 'replay', '--write', '--data', 'dir', '--quick', '--only', 'commands']);
    expect(options).toMatchObject({ isQuick: true, writes: true, dataDirectory: 'dir' });
    expect(options?.benches.map(({ name }) => name)).toEqual(['replay', 'commands']);
  });

  it('compares the benchmarks of requests unless others are named', () => {
    const options = parseCommandLine(['--compare', 'main', '--rounds', '5']);
    expect(options?.compare).toEqual({ ref: 'main', rounds: 5 });
    expect(options?.benches.map(({ name }) => name)).toEqual(['cost']);
    expect(parseCommandLine(['--compare', 'main', '--only', 'commands'])?.benches).toHaveLength(1);
  });

  it('runs nothing for --help', () => {
    expect(parseCommandLine(['--help'])).toBeUndefined();
  });

  it.each([
    [['--fast'], 'no option --fast'],
    [['--only'], '--only needs a value'],
    [['--data', '--quick'], '--data needs a value'],
    [['--rounds', 'many'], '--rounds is many'],
    [['--only', 'cost', '--rounds', '5'], '--rounds needs --compare'],
    [['--program', 'main.js', '--only', 'commands'], 'commands measures this tree only'],
    [['--compare', 'main', '--only', 'fleet', '--hosts', '1000'], '--hosts does not apply to --compare'],
    [['--program', 'main.js', '--compare', 'main'], '--program does not apply to --compare'],
    [['--only', 'nothing'], 'no benchmark nothing, only counts'],
  ])('refuses %j', (args, message) => {
    expect(() => parseCommandLine(args)).toThrow(UsageError);
    expect(() => parseCommandLine(args)).toThrow(message);
  });

  it('lists every benchmark once in its help', () => {
    for (const { name } of BENCHES) expect(USAGE.split(`\n  ${name.padEnd(14)} `)).toHaveLength(2);
  });
});
