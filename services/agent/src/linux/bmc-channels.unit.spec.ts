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

describe('the IPv6 address of a controller', () => {
  const addressWith = async (dynamic: string, fixed: string): Promise<string> => {
    const { run } = recorded({
      'ipmitool lan print': ADDRESS,
      'ipmitool lan6': { exitCode: 1 },
      'ipmitool lan6 print 1 enables': 'IPv6/IPv4 Addressing Enables: both\n',
      'ipmitool lan6 print 1 dynamic_addr': dynamic,
      'ipmitool lan6 print 1 static_addr': fixed,
    });
    return (await readBmc(run, signal)).bmc_v6address;
  };
  const entry = (number: number, name: string, value: string, address: string, status: string): string =>
    `IPv6 Address ${number}:\n    ${name}:    ${value}\n    Address:    ${address}\n    Status:    ${status}\n`;

  it.each([
    [entry(0, 'Source/Type', 'DHCPv6', '2001:db8::1/64', 'pending'), entry(0, 'Enabled', 'no', '::/0', 'disabled')],
    [entry(0, 'Source/Type', 'DHCPv6', '::/0', 'active'), entry(0, 'Enabled', 'yes', '2001:db8::2/64', 'failed')],
    [entry(0, 'Source/Type', 'static', '2001:db8::1/64', 'active'), entry(0, 'Enabled', 'no', '::1/64', 'active')],
  ])('is not one that the controller does not use', async (dynamic, fixed) => {
    expect(await addressWith(dynamic, fixed)).toBe('::/0');
  });

  it('is the first one that the controller uses', async () => {
    const slaac = entry(1, 'Source/Type', 'SLAAC', '2001:db8::3/64', 'active');
    const dynamic = entry(0, 'Source/Type', 'DHCPv6', '2001:db8::1/64', 'pending') + slaac;
    expect(await addressWith(dynamic, entry(0, 'Enabled', 'yes', '2001:db8::4/64', 'active'))).toBe('2001:db8::3');
  });
});
