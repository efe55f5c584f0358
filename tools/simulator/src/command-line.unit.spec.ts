import { parseCommandLine } from './command-line';

describe('the command line of the simulator', () => {
  it('has defaults', () => {
    const { fleet, imageUrl } = parseCommandLine(['--image-url', 'http://x/i.iso']);
    expect(imageUrl).toBe('http://x/i.iso');
    expect(fleet).toMatchObject({ seed: 'muster', timeScale: 60, transport: 'nats' });
    expect(fleet.machines).toHaveLength(3);
  });

  it('applies the fault to the first machine only', () => {
    const { machines } = parseCommandLine(['--count', '2', '--fault', 'no-usable-disk', '--repair-after', '5']).fleet;
    expect(machines).toMatchObject([{ fault: 'no-usable-disk' }, { fault: undefined }]);
  });

  it.each(['--help', '-h'])('returns the usage for %s', (flag) => {
    expect(parseCommandLine([flag]).wantsHelp).toBe(true);
  });

  it.each([
    [['--count', 'many'], '--count'],
    [['--first-address', '20.5'], '--first-address must be an integer'],
    [['--fault', 'fire'], '--fault must be one of too-little-memory'],
    [['--lost-replies', '2'], '--lost-replies must be a number from 0 to 1'],
    [['--time-scale', '0'], '--time-scale'],
    [['--iso', 'a.iso', '--image-url', 'http://x/i.iso'], 'Give either --image-url or --iso.'],
    [['--repair-after', '5'], '--repair-after needs --fault.'],
  ])('refuses %j with the reason', (args, named) => {
    expect(() => parseCommandLine(args)).toThrow(named);
  });
});
