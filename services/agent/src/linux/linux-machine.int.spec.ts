import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { hostname, networkInterfaces, totalmem } from 'node:os';
import type { Inventory } from '../machine/inventory';
import { hostIdOf, isUuid } from '../machine/machine.port';
import { runStep } from '../steps/run-step';
import { linuxMachine } from './linux-machine';

const never = new AbortController().signal;
const isLinux = existsSync('/proc/meminfo');
const whenLinux = isLinux ? describe : describe.skip;

whenLinux(`this machine${isLinux ? '' : ' (skipped: this is not Linux)'}`, () => {
  it('equals the description by the kernel and Node', async () => {
    const { exitCode, output } = await runStep(
      linuxMachine(),
      'inventory',
      ['10000000-0000-4000-8000-000000000001'],
      never,
    );
    const inventory = JSON.parse(output) as Inventory;
    expect(exitCode).toBe(0);
    expect(inventory.memory.usable_bytes).toBe(totalmem());
    expect(inventory.memory.physical_bytes).toBeGreaterThanOrEqual(inventory.memory.usable_bytes);
    expect(inventory.cpu.count).toBeGreaterThan(0);
    expect(inventory.hostname === hostname() || /^localhost/.test(hostname())).toBe(true);
    const known = Object.values(networkInterfaces()).flatMap((cards) => cards?.map(({ cidr }) => cidr) ?? []);
    for (const card of inventory.interfaces) {
      for (const cidr of [...card.ipv4_addresses, ...card.ipv6_addresses]) expect(known).toContain(cidr);
    }
  });

  it('returns the same host id at every call', async () => {
    const id = hostIdOf(await linuxMachine().identity());
    expect(isUuid(id)).toBe(true);
    expect(hostIdOf(await linuxMachine().identity())).toBe(id);
  });

  it('resolves the name of this machine', async () => {
    const { output } = await resolve('localhost');
    const { resolutions } = JSON.parse(output) as { resolutions: { ipv4_addresses: []; ipv6_addresses: [] }[] };
    expect([...(resolutions[0]?.ipv4_addresses ?? []), ...(resolutions[0]?.ipv6_addresses ?? [])]).not.toEqual([]);
  });

  it('returns no address for a name that cannot exist, and fails on a machine without DNS', async () => {
    const name = 'no-such-name.invalid';
    const { code } = await lookup(name).then(
      () => ({ code: undefined }),
      (error: NodeJS.ErrnoException) => error,
    );
    const resolution = { domain_name: name, ipv4_addresses: [], ipv6_addresses: [], cnames: [] };
    expect(await resolve(name)).toEqual(
      code === 'ENOTFOUND'
        ? { exitCode: 0, output: JSON.stringify({ resolutions: [resolution] }), error: '' }
        : { exitCode: -1, output: '', error: expect.stringContaining(`${code} ${name}`) as string },
    );
  });
});

const resolve = (name: string) =>
  runStep(linuxMachine(), 'domain-resolution', [JSON.stringify({ domains: [{ domain_name: name }] })], never);
