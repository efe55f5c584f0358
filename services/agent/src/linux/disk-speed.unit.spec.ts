import type { CommandResult } from './command';
import { linuxMachine } from './linux-machine';
import { recorded, step } from './recorded-commands.fixture.spec';

const PROGRAM = '/usr/local/bin/muster-host';
const REPORT = { path: '/dev/sda', io_sync_duration: 7 };
const NO_REPORT = { path: '/dev/sda', io_sync_duration: 0 };

/** The check of an executable. `ended`: how its other process ended. */
const check = async (ended: Partial<CommandResult>) => {
  const { given, lines, run } = recorded({ [PROGRAM]: ended });
  const machine = linuxMachine({ run, executablePath: PROGRAM });
  const outcome = await step(machine, 'installation-disk-speed-check', { path: '/dev/sda' }, '480.00');
  return { ...outcome, lines, given };
};

describe('an executable measures a disk in another process, so that it can end while the disk does not answer', () => {
  it('which has longer than the measurement', async () => {
    const { exitCode, given, lines, result } = await check({ stdout: JSON.stringify(REPORT) });
    expect([exitCode, result]).toEqual([0, REPORT]);
    expect(lines).toEqual([`${PROGRAM} step installation-disk-speed-check {"path":"/dev/sda"} 480`]);
    expect(given[0]?.timeoutMs).toBeGreaterThan(480_000);
  });

  it.each<[string, Partial<CommandResult>, number, string]>([
    [
      'whose disk is too slow',
      { exitCode: 124, stdout: JSON.stringify(NO_REPORT), stderr: 'too slow\n' },
      124,
      'too slow',
    ],
    ['that cannot measure', { exitCode: 255, stdout: JSON.stringify(NO_REPORT), stderr: 'no disk\n' }, -1, 'no disk'],
    ['that was killed', { exitCode: -1 }, -1, 'The program that measures the disk /dev/sda ended with exit code -1.'],
    ['without a report', { stdout: '' }, -1, 'the report'],
  ])('%s', async (_, ended, exitCode, error) => {
    const failed = { exitCode, error: expect.stringContaining(error) as string, result: NO_REPORT };
    expect(await check(ended)).toMatchObject(failed);
  });
});

it('a process for one step measures the disk itself', async () => {
  const { lines, run } = recorded({ [PROGRAM]: '' });
  const machine = linuxMachine({ run, executablePath: PROGRAM, isForOneStep: true });
  const { error } = await step(machine, 'installation-disk-speed-check', { path: '/dev/none' }, '480.00');
  expect([error, lines]).toEqual(['/dev/none is not a disk of this machine.', []]);
});
