import type { CommandResult } from './command';
import { readBmc } from './machine-tools';
import { recorded } from './recorded-commands.fixture.spec';

const { signal } = new AbortController();
const ADDRESS = { stdout: 'IP Address              : 192.0.2.77\n' };

/** The addresses of a controller whose first channel answers this, and the number of its channels that were queried. */
async function addressAfter(first: Partial<CommandResult>) {
  const { lines, run } = recorded({
    'ipmitool lan6': { exitCode: 1 },
    'ipmitool lan print': { exitCode: 1, stderr: 'Invalid channel: 2' },
    'ipmitool lan print 1': first,
    'ipmitool lan print 8': ADDRESS,
  });
  const { bmc_address } = await readBmc(run, signal);
  return { bmc_address, queried: lines.filter((line) => line.startsWith('ipmitool lan print')).length };
}

describe('the address of a controller', () => {
  it.each([
    ['is not of a network', { exitCode: 1, stderr: 'Channel 1 is not a LAN channel' }],
    ['cannot be read', { exitCode: 1, stderr: 'Get Channel Info command failed: Parameter out of range' }],
    ['has no address', { stdout: 'IP Address              : 0.0.0.0\n' }],
  ])('is found on a later channel when the first one %s', async (_, first) => {
    expect(await addressAfter(first)).toEqual({ bmc_address: '192.0.2.77', queried: 12 });
  });

  it.each([
    ['there is none', { exitCode: 1, stderr: 'Could not open device at /dev/ipmi0 or /dev/ipmi/0: No such file' }],
    ['it does not answer', { exitCode: 124 }],
  ])('is not searched on each channel when %s', async (_, first) => {
    expect(await addressAfter(first)).toEqual({ bmc_address: '0.0.0.0', queried: 1 });
  });
});
