import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventData, toStoredData } from '@muster/contracts';
import { formatViolation } from '@muster/schema';
import fc from 'fast-check';
import { SAMPLE_HOST_KEY, sampleDisk, sampleInventory } from '@muster/testing';
import { toCanonicalJson } from '../report';
import { inventoryReader, MAX_DISK_FACTS, MAX_GPU_FACTS, toHardwareFacts } from './inventory.report';

type Reported = EventData<'InventoryReported'>;
const FIXTURES = join(__dirname, '../../../../../shared/fixtures/inventory');
const missing = existsSync(FIXTURES) ? '' : ' (skipped: the recorded inventories are not on this machine)';
const withFixtures = missing ? it.skip : it;

const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const resultOf = (output: string, keepsVirtual = false) =>
  inventoryReader(keepsVirtual).read(
    { hostKey: SAMPLE_HOST_KEY, output, error: '', exitCode: 0, generation: 3 },
    digest,
  );
const read = (output: string, keepsVirtual = false): Reported => {
  const result = resultOf(output, keepsVirtual);
  if (result.kind === 'unreadable') throw new Error(formatViolation(result.violation));
  const { event } = result.report;
  if (event.type !== 'InventoryReported') throw new Error(`read as ${event.type}`);
  toStoredData(event);
  return event.data;
};
const of = (changes: object = {}): Reported => read(JSON.stringify(sampleInventory(changes)));
const hardware = (changes: object = {}) => {
  const found = of(changes).hardware;
  if (!found) throw new Error('no hardware');
  return found;
};
const violationOf = (output: string): string => {
  const result = resultOf(output);
  return result.kind === 'unreadable' ? formatViolation(result.violation) : 'none';
};

describe('inventory report', () => {
  it.each([
    [1, 64],
    [32, 64],
    [64, 32],
    [300, 8],
  ])('contains a limited number of addresses of %d NICs: %d of each', (nicCount, count) => {
    const addresses = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}/24`);
    const nic = { mac_address: '02:00:00:27:b1:40', ipv4_addresses: addresses, ipv6_addresses: addresses };
    const { nics } = hardware({ interfaces: Array.from({ length: nicCount }, () => nic) });
    expect(nics).toHaveLength(Math.min(nicCount, 256));
    for (const { ipv4Addresses, ipv6Addresses } of nics)
      expect([ipv4Addresses, ipv6Addresses]).toEqual([addresses.slice(0, count), addresses.slice(0, count)]);
  });

  it('contains the default routes of a host with hundreds of other routes through gateways', () => {
    const others = Array.from({ length: 300 }, (_, number) => ({
      destination: `10.${number % 256}.0.0`,
      gateway: '192.168.128.2',
      interface: 'ens3',
    }));
    const [ipv4, ipv6] = [
      { destination: '0.0.0.0', gateway: '192.168.128.1', interface: 'ens3' },
      { destination: '::', gateway: 'fe80::1', interface: 'ens3' },
    ];
    const { routes } = hardware({ routes: [...others, ipv4, ...others, ipv6] });
    expect(routes).toMatchObject([...others.slice(0, routes.length - 2), ipv4, ipv6]);
  });

  it('is converted to the hardware facts that rules use', () => {
    expect(of()).toMatchObject({
      hostKey: SAMPLE_HOST_KEY,
      generation: 3,
      body: { digest: expect.stringMatching(/^sha256:/) },
    });
    expect(hardware()).toMatchObject({
      hostname: 'node-1',
      cpuCount: 8,
      physicalMemoryBytes: 34_359_738_368,
      disks: [{ id: '/dev/disk/by-id/wwn-0x1', driveType: 'HDD', sizeBytes: 128_849_018_880, agentReasons: [] }],
      nics: [{ macAddress: '02:00:00:27:b1:40', ipv4Addresses: ['192.168.128.10/24'], ipv6Addresses: [] }],
      routes: [{ destination: '0.0.0.0', gateway: '192.168.128.1' }],
      gpuCount: 1,
      hasVirtualization: true,
      truncation: 'none',
      diskCount: 1,
    });
  });

  it('has a fingerprint that does not depend on the order of members and on values that change without a cause', () => {
    const reversed = Object.fromEntries(Object.entries(sampleInventory()).reverse());
    expect(read(JSON.stringify(reversed)).body).toEqual(of().body);
    const later = sampleInventory({
      cpu: { architecture: 'x86_64', count: 8, frequency: 1, flags: ['vmx'], model_name: 'cpu' },
      disks: [sampleDisk({ smart: '{"local_time":2}' })],
      timestamp: 1639908131,
    });
    expect(read(JSON.stringify(later)).fingerprint).toBe(of().fingerprint);
    expect(of({ hostname: 'other' }).fingerprint).not.toBe(of().fingerprint);
  });

  it('has the fingerprint that earlier versions stored', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('"cpu":{}', '"disks":[]', '\\"disks\\":[{"id":"sda"}]'));
    const optional = { requiredKeys: [] };
    const disk = fc.record({ id: text, name: text, smart: text, size_bytes: fc.nat() }, optional);
    const cpu = fc.record({ architecture: text, frequency: fc.nat(), model_name: text }, optional);
    const parts = fc.record(
      { bmc_address: text, cpu, disks: fc.array(disk), hostname: text },
      { requiredKeys: ['cpu'] },
    );
    fc.assert(
      fc.property(parts, (changes) => {
        const result = resultOf(JSON.stringify(sampleInventory(changes)));
        if (result.kind === 'unreadable') throw new Error(formatViolation(result.violation));
        const { body, event } = result.report;
        const stored = JSON.parse(body?.text ?? '') as { cpu: { frequency?: number }; disks?: { smart?: string }[] };
        delete stored.cpu.frequency;
        stored.disks?.forEach((one) => delete one.smart);
        expect(event.data).toMatchObject({ fingerprint: digest(toCanonicalJson(stored)) });
      }),
    );
  });

  it('identifies a disk without id by its device path', () => {
    expect(hardware({ disks: [sampleDisk({ id: '' })] }).disks[0]?.id).toBe('/dev/sda');
  });

  it('omits virtual interfaces unless a setting keeps them', () => {
    const interfaces = ['physical', '', 'bond', 'vlan', 'bridge', 'tun'].map((type) => ({ name: type, type }));
    expect(hardware({ interfaces }).nics.map(({ name }) => name)).toEqual(['physical', '', 'bond', 'vlan']);
    expect(hardware({ interfaces })).toMatchObject({ physicalNicCount: 4, virtualNicTypes: ['bridge', 'tun'] });
    expect(read(JSON.stringify(sampleInventory({ interfaces })), true).hardware?.nics).toHaveLength(6);
  });

  describe('of an s390x host', () => {
    const DEVICES =
      'rd.neednet=1 zfcp.allow_lun_scan=0 rd.znet=qeth,0.0.bdd0,layer2=1 rd.dasd=0.0.5235 rd.zfcp=0.0.8001,0x50,0x40';
    const NETWORK = 'ip=172.23.0.5::172.23.0.1:24:node:encbdd0:none nameserver=172.23.0.1';
    const argumentsOf = (command_line: string, architecture = 's390x') =>
      hardware({ boot: { command_line }, cpu: { architecture, count: 8 } }).bootArguments;

    it('contains the kernel arguments of its devices', () => {
      expect(argumentsOf(`rd.neednetwork=1 ${DEVICES} ${NETWORK}  coreos.live.rootfs_url=http://x?ip=1\n`)).toBe(
        DEVICES,
      );
      expect(argumentsOf('')).toBe('');
    });

    it('contains those of its network when they replace DHCP', () => {
      expect(argumentsOf(`${NETWORK} ai.ip_cfg_override=1 quiet ${DEVICES}`)).toBe(
        `${NETWORK} ai.ip_cfg_override=1 ${DEVICES}`,
      );
      expect(argumentsOf(`${NETWORK} ai.ip_cfg_override=0 ${DEVICES}`)).toBe(DEVICES);
    });

    it('contains at most as many of them as the kernel reads', () => {
      expect(argumentsOf('rd.dasd=0.0.5235 '.repeat(1_000))?.length).toBeLessThanOrEqual(4_096);
    });

    it('is stored again when the stored event has no kernel arguments, unlike that of other hosts', () => {
      const isFingerprintOfBody = (architecture: string): boolean => {
        // Without values that change without a cause, the fingerprint of older versions is the digest of the body.
        const { body, fingerprint } = of({
          boot: { command_line: DEVICES },
          cpu: { architecture, count: 8 },
          disks: [],
        });
        return fingerprint === body?.digest;
      };
      expect(isFingerprintOfBody('s390x')).toBe(false);
      for (const architecture of ['x86_64', 'arm64']) expect(isFingerprintOfBody(architecture)).toBe(true);
    });

    it('differs from that of other hosts, whose stored facts have no kernel arguments', () => {
      const { hardware: stored } = toStoredData({
        type: 'InventoryReported',
        data: of({ boot: { command_line: DEVICES } }),
      }) as { hardware: object };
      expect(stored).not.toHaveProperty('bootArguments');
    });
  });

  it('limits the facts of 15,000 disks and keeps the eligible ones', () => {
    const disks = Array.from({ length: 15_000 }, (_, at) =>
      sampleDisk({
        name: `sd${at}`,
        id: `id-${at}`,
        installation_eligibility: { not_eligible_reasons: at === 14_999 ? null : ['Disk is removable'] },
      }),
    );
    const found = hardware({ disks });
    expect(found.disks).toHaveLength(MAX_DISK_FACTS);
    expect(found.diskCount).toBe(15_000);
    expect(found.disks.at(-1)?.id).toBe('id-14999');
    expect(JSON.stringify(found).length).toBeLessThan(200_000);
  });

  it('limits invalid numbers and long texts', () => {
    const found = hardware({
      hostname: 'x'.repeat(100_000),
      cpu: { count: 9_007_199_254_740_991 },
      memory: { physical_bytes: -5 },
      interfaces: [{ name: '\ud83d', mtu: -9_007_199_254_740_991 }],
      disks: [],
    });
    expect(found.hostname).toHaveLength(256);
    expect(found).toMatchObject({ cpuCount: 2 ** 31 - 1, physicalMemoryBytes: -5, disks: [] });
  });

  it.each([
    ['', /inventory must be a JSON document/],
    ['null', /inventory must be an object/],
    ['[]', /inventory must be an object/],
    ['{}', /inventory\.cpu must be an object, not absent/],
    [JSON.stringify(sampleInventory({ memory: null })), /inventory\.memory must be an object/],
    [
      JSON.stringify(sampleInventory({ disks: [sampleDisk({ size_bytes: 'big' })] })),
      /inventory\.disks\[0\]\.size_bytes must be a whole number/,
    ],
    [
      JSON.stringify(sampleInventory({ truncation: { type: 'half' } })),
      /inventory\.truncation\.type must be one of partial, full/,
    ],
    ['['.repeat(200_000), /inventory must be a JSON document/],
  ])('is refused with the path: %.60s', (output, message) => {
    expect(violationOf(output)).toMatch(message);
  });

  it('may be empty when the agent had to omit everything', () => {
    expect(read('{"truncation": {"type": "full"}}').hardware?.truncation).toBe('full');
  });

  it('is accepted or refused for any document', () => {
    const fields = fc.record(
      Object.fromEntries(
        Object.entries(sampleInventory()).map(([name, value]) => [name, fc.oneof(fc.constant(value), fc.jsonValue())]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(fc.property(fields, (inventory) => void violationOf(JSON.stringify(inventory))));
  });

  withFixtures(`reads inventories of real machines${missing}`, () => {
    const files = readdirSync(FIXTURES);
    expect(files).not.toEqual([]);
    for (const file of files) {
      const found = read(readFileSync(join(FIXTURES, file), 'utf8')).hardware;
      expect(found).toMatchObject({ cpuCount: 4, diskCount: 2, nics: [{ name: 'ens3' }, { name: 'ens4' }] });
    }
  });
});

describe('hardware facts', () => {
  it('contain device ids in one notation', () => {
    const { gpus, nics } = toHardwareFacts({
      gpus: [{ vendor_id: '10DE', device_id: '0x1EB8' }, {}],
      interfaces: [{ name: 'ens1', vendor: '0x15b3', product: '0X1017' }],
    });
    expect(gpus).toEqual([
      { vendorId: '10de', deviceId: '1eb8' },
      { vendorId: '', deviceId: '' },
    ]);
    expect(nics).toMatchObject([{ vendorId: '15b3', productId: '1017' }]);
  });

  it('are limited in the number of devices', () => {
    const gpus = Array.from({ length: 15_000 }, () => ({ vendor_id: '10de' }));
    expect(toHardwareFacts({ gpus }).gpus).toHaveLength(MAX_GPU_FACTS);
    expect(toHardwareFacts({ gpus }).gpuCount).toBe(15_000);
  });

  it('contain one GPU of each kind, in their order', () => {
    const gpus = Array.from({ length: 100 }, () => ({ vendor_id: '8086', device_id: '56c0' }));
    const found = toHardwareFacts({ gpus: [...gpus, { vendor_id: '10de', device_id: '1eb8' }] });
    expect(found.gpus).toHaveLength(MAX_GPU_FACTS);
    expect(found.gpus.slice(-2)).toEqual([
      { vendorId: '8086', deviceId: '56c0' },
      { vendorId: '10de', deviceId: '1eb8' },
    ]);
  });

  it.each([
    [['vmx', 'sse'], true],
    [['svm'], true],
    [['sse'], false],
    [undefined, false],
  ])('contain virtualization for the CPU flags %j', (flags, hasVirtualization) => {
    expect(toHardwareFacts({ cpu: { flags } }).hasVirtualization).toBe(hasVirtualization);
  });

  it('contain the state of secure boot', () => {
    expect(toHardwareFacts({ boot: { secure_boot_state: 'Enabled' } }).secureBootState).toBe('Enabled');
    expect(toHardwareFacts({}).secureBootState).toBe('');
  });
});
