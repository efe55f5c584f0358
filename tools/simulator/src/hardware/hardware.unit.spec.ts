import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hostIdOf } from '@muster/service-agent';
import fc from 'fast-check';
import { networkOf, parseNetwork } from '../world/simulated-network';
import { generateHardware, HARDWARE_FAULTS, hardwareFromDocument } from './hardware';

const GIB = 1024 ** 3;
const GB = 10 ** 9;
const generate = (seed: string) =>
  generateHardware({ seed, hostname: 'host-1', address: '192.168.111.20/24', gateway: '192.168.111.1' });

describe('generated hardware', () => {
  it('meets the requirements of a control plane host for every seed', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const { inventory, identity } = generate(seed);
        expect(inventory.cpu.count).toBeGreaterThanOrEqual(8);
        expect(inventory.memory.physical_bytes).toBeGreaterThanOrEqual(16 * GIB);
        const usable = inventory.disks.filter((disk) => disk.installation_eligibility.eligible);
        expect(usable.some(({ size_bytes }) => size_bytes >= 100 * GB)).toBe(true);
        expect(new Set(inventory.disks.map(({ id }) => id)).size).toBe(inventory.disks.length);
        expect(new Set(inventory.disks.map(({ name }) => name)).size).toBe(inventory.disks.length);
        expect(inventory.routes[1]).toMatchObject({ destination: '192.168.111.0' });
        expect(new Set(identity.macAddresses).size).toBe(identity.macAddresses.length);
        for (const mac of identity.macAddresses) expect(mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
      }),
      { numRuns: 500 },
    );
  });

  it('is equal for the same seed and different for another one', () => {
    expect(generate('a')).toEqual(generate('a'));
    const ids = Array.from({ length: 500 }, (_, n) => hostIdOf({ ...generate(`seed ${n}`).identity, bootId: '' }));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('varies between seeds', () => {
    const vendors = Array.from({ length: 60 }, (_, n) => generate(`seed ${n}`).inventory.system_vendor.manufacturer);
    expect(new Set(vendors).size).toBeGreaterThan(3);
  });
});

describe('hardware faults', () => {
  it.each(Object.entries(HARDWARE_FAULTS))('%s changes the inventory', (_, fault) => {
    const { inventory } = generate('a');
    expect(fault.apply(inventory)).not.toEqual(inventory);
  });
});

describe('networks', () => {
  it('number their addresses', () => {
    const network = parseNetwork('192.168.110.0/23');
    expect([network.address(1), network.address(300), network.size]).toEqual(['192.168.110.1', '192.168.111.44', 512]);
    expect(network.includes('192.168.111.255')).toBe(true);
    expect(network.includes('192.168.112.0')).toBe(false);
    expect(() => network.address(512)).toThrow('no address number 512');
    expect(networkOf('10.1.2.3/20')).toBe('10.1.0.0/20');
  });

  it.each(['192.168.111.1/24', '192.168.111.0', '192.168.111.0/33', 'fd00::/64', '300.0.0.0/8'])(
    '%s is refused',
    (cidr) => {
      expect(() => parseNetwork(cidr)).toThrow('is not an IPv4 network');
    },
  );
});

const documents = resolve(__dirname, '../../../../../shared/fixtures/inventory');
const hasDocuments = existsSync(documents);
const withDocuments = hasDocuments ? it : it.skip;
const missing = hasDocuments ? '' : ' (skipped: no documents of real machines here)';

describe('machines from documents', () => {
  withDocuments(`keep the recorded inventory, each with its own host id${missing}`, () => {
    const names = readdirSync(documents).filter((name) => name.endsWith('.json'));
    expect(names).not.toEqual([]);
    const all = names.map((name) => hardwareFromDocument(readFileSync(join(documents, name), 'utf8')));
    expect(new Set(all.map(({ identity }) => hostIdOf({ ...identity, bootId: '' }))).size).toBe(names.length);
    for (const { inventory, identity } of all) expect(identity.macAddresses).toHaveLength(inventory.interfaces.length);
  });

  it('are refused when the text is not an inventory', () => {
    expect(() => hardwareFromDocument('{"hostname":"x"}')).toThrow('not an inventory');
  });
});
