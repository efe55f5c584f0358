import { openReportingHosts, type Outcome, type ReportingHosts } from './reporting-hosts.fixture.spec';

/** Largest known number of disks of a machine: the paths of a storage network. */
const DISKS = 15_000;
/** Maximum size of the event of one report, in bytes. */
const EVENT_BYTES_MAX = 256 * 1024;
/** Limit of the validation texts of one host, in characters. */
const VALIDATIONS_CHARACTERS_MAX = 64 * 1024;
/** Maximum part of the input that a message may contain, in characters. */
const MESSAGE_CHARACTERS_MAX = 1_024;
/** Limit of one error message, in characters. */
const REASON_CHARACTERS_MAX = 512;
const STATUSES = ['success', 'failure', 'pending', 'error', 'disabled'];

const disk = (changes: object = {}): object => ({
  id: '/dev/sda',
  name: 'sda',
  path: '/dev/sda',
  drive_type: 'SSD',
  size_bytes: 480_000_000_000,
  ...changes,
});
const nic = (changes: object = {}): object => ({
  name: 'ens3',
  mac_address: '02:00:00:00:00:01',
  ipv4_addresses: ['192.168.128.10/24'],
  ...changes,
});
const inventory = (changes: object = {}): string =>
  JSON.stringify({
    hostname: 'node-1',
    cpu: { architecture: 'x86_64', count: 8, flags: ['vmx'] },
    memory: { physical_bytes: 34_359_738_368, usable_bytes: 33_000_000_000 },
    disks: [disk()],
    interfaces: [nic()],
    routes: [{ destination: '0.0.0.0', family: 2, gateway: '192.168.128.1', interface: 'ens3' }],
    system_vendor: { manufacturer: 'Red Hat', product_name: 'KVM', virtual: true },
    boot: { current_boot_mode: 'bios' },
    ...changes,
  });
const many = <Entry>(count: number, entry: (at: number) => Entry): Entry[] =>
  Array.from({ length: count }, (_, at) => entry(at));

describe('reports that no working machine sends', () => {
  let hosts: ReportingHosts;
  beforeAll(async () => {
    hosts = await openReportingHosts();
  });
  afterAll(() => hosts.close());

  const expectSound = async (host: string, outcomes: ReadonlyMap<string, Outcome>): Promise<void> => {
    expect(outcomes.size).toBeGreaterThan(20);
    for (const { status, message } of outcomes.values()) {
      expect(STATUSES).toContain(status);
      expect(message.length).toBeGreaterThan(0);
      expect(message.length).toBeLessThanOrEqual(MESSAGE_CHARACTERS_MAX);
    }
    expect(await hosts.longestEventBytes(host)).toBeLessThanOrEqual(EVENT_BYTES_MAX);
    expect(await hosts.validationsLength(host)).toBeLessThanOrEqual(VALIDATIONS_CHARACTERS_MAX);
  };

  const EVALUATED: readonly (readonly [string, string, { readonly [ruleId: string]: string }])[] = [
    [
      '15,000 disks, of which only the last one is eligible',
      inventory({
        disks: many(DISKS, (at) => ({
          id: `d${at}`,
          name: `sd${at}`,
          drive_type: 'SSD',
          size_bytes: 480_000_000_000,
          ...(at < DISKS - 1 && { installation_eligibility: { not_eligible_reasons: ['Disk is removable'] } }),
        })),
      }),
      { 'has-min-valid-disks': 'success', 'has-memory-for-role': 'success' },
    ],
    [
      '15,000 disks, none of them eligible',
      inventory({
        disks: many(DISKS, (at) => ({
          id: `d${at}`,
          name: `sd${at}`,
          installation_eligibility: { not_eligible_reasons: ['Disk is removable'] },
        })),
      }),
      { 'has-min-valid-disks': 'failure' },
    ],
    [
      'an empty document',
      inventory({ disks: [], interfaces: [], routes: [] }),
      { 'has-min-valid-disks': 'error', 'has-default-route': 'failure' },
    ],
    [
      'null for every list',
      inventory({ disks: null, interfaces: null, routes: null, gpus: null, hostname: null }),
      { 'has-min-valid-disks': 'error', 'has-default-route': 'failure', 'hostname-valid': 'failure' },
    ],
    [
      'an inventory that its agent truncated completely',
      '{"truncation": {"type": "full"}}',
      { 'inventory-not-fully-truncated': 'failure', 'has-min-memory': 'failure' },
    ],
    [
      'an eligible disk without size that is listed twice',
      inventory({
        disks: [disk({ size_bytes: 0, installation_eligibility: { eligible: true } }), disk({ size_bytes: 0 })],
      }),
      { 'has-min-valid-disks': 'failure' },
    ],
    [
      'more usable memory than physical memory, and no CPU',
      inventory({ cpu: { count: 0 }, memory: { physical_bytes: 1, usable_bytes: 34_359_738_368 } }),
      { 'has-min-cpu-cores': 'failure', 'has-min-memory': 'failure' },
    ],
    [
      'negative numbers',
      inventory({
        cpu: { count: -8 },
        memory: { physical_bytes: -1, usable_bytes: -1 },
        disks: [disk({ size_bytes: -480_000_000_000 })],
        interfaces: [nic({ mtu: -1, speed_mbps: -9_007_199_254_740_991 })],
      }),
      { 'has-min-cpu-cores': 'failure', 'has-min-memory': 'failure', 'has-min-valid-disks': 'failure' },
    ],
    [
      'impossibly large numbers',
      inventory({
        cpu: { count: 9_007_199_254_740_991 },
        memory: { physical_bytes: 9_007_199_254_740_991, usable_bytes: 9_007_199_254_740_991 },
        disks: [disk({ size_bytes: 9_007_199_254_740_991 })],
      }),
      { 'has-min-cpu-cores': 'success', 'has-min-memory': 'success', 'has-min-valid-disks': 'success' },
    ],
    [
      'cards with the same MAC and IP address, and 5,000 cards without addresses',
      inventory({
        interfaces: [nic(), nic({ name: 'ens4' }), nic({ name: 'ens3' }), ...many(5_000, (at) => ({ name: `v${at}` }))],
      }),
      { 'has-min-memory': 'success', 'has-default-route': 'success' },
    ],
    [
      'invalid addresses and routes',
      inventory({
        interfaces: [nic({ ipv4_addresses: ['999.1.2.3/99', '', '/', '10.0.0.1'], ipv6_addresses: ['::::/200'] })],
        routes: [{ destination: 'nowhere', gateway: 'x', family: 77 }],
      }),
      { 'has-default-route': 'failure' },
    ],
    [
      'names of properties of Object.prototype',
      inventory({
        hostname: '__proto__',
        disks: [disk({ drive_type: 'toString', id: 'constructor', path: '' })],
        cpu: { architecture: 'hasOwnProperty', count: 8 },
      }),
      { 'has-min-valid-disks': 'failure', 'hostname-valid': 'failure' },
    ],
    [
      'hundreds of disks with long names and without a UUID',
      inventory({
        disks: many(256, (at) => disk({ id: `d${at}`, name: `${'x'.repeat(250)}${at}` })),
        system_vendor: { manufacturer: 'VMware, Inc.', product_name: 'VMware', virtual: true },
      }),
      { 'vsphere-disk-uuid-enabled': 'failure' },
    ],
    [
      'a very long name',
      inventory({ hostname: 'x'.repeat(200_000) }),
      { 'has-min-memory': 'success', 'hostname-valid': 'failure' },
    ],
  ];

  it.each(EVALUATED)('are evaluated: %s', async (_, output, expected) => {
    const host = await hosts.register();
    expect(await hosts.reply(host, 'inventory', output)).toEqual({ status: 204, reason: '' });
    const [[first = '', status = ''] = []] = Object.entries(expected);
    const outcomes = await hosts.outcomesOnce(host, first, status);
    expect(Object.fromEntries(Object.keys(expected).map((id) => [id, outcomes.get(id)?.status]))).toEqual(expected);
    await expectSound(host, outcomes);
  });

  it('are evaluated: a name that is not UTF-8', async () => {
    const host = await hosts.register();
    const reply = { step_type: 'inventory', step_id: 'i', exit_code: 0, output: inventory({ hostname: 'nöde' }) };
    const answer = await hosts.replyBytes(host, Buffer.from(JSON.stringify(reply), 'latin1'));
    expect(answer).toEqual({ status: 204, reason: '' });
    const outcomes = await hosts.outcomesOnce(host, 'has-min-memory', 'success');
    expect(outcomes.get('hostname-valid')?.message).toContain('n\ufffdde');
    await expectSound(host, outcomes);
  });

  const REFUSED: readonly (readonly [string, string, number, RegExp])[] = [
    ['a truncated document', inventory().slice(0, 300), 400, /inventory must be a JSON document/],
    ['nothing', '', 400, /inventory must be a JSON document/],
    ['a list', '[]', 400, /inventory must be an object, not a list/],
    ['no CPU and no memory', '{}', 400, /inventory\.cpu must be an object, not absent/],
    ['an endless sequence of brackets', '['.repeat(1_000_000), 400, /inventory must be a JSON document/],
    [
      'no number',
      inventory().replace('34359738368', '1e400'),
      400,
      /inventory\.memory\.physical_bytes must be a whole/,
    ],
    [
      'a fraction of a core',
      inventory({ cpu: { count: 7.5 } }),
      400,
      /inventory\.cpu\.count must be a whole number, not 7\.5/,
    ],
    ['a text in place of a list', inventory({ disks: 'x'.repeat(100_000) }), 400, /inventory\.disks must be a list/],
    [
      'a list that is too long',
      inventory({ gpus: many(100_001, () => ({})) }),
      400,
      /inventory\.gpus must be a list of at most/,
    ],
    ['a document over the size limit', inventory({ hostname: 'x'.repeat(5_000_000) }), 413, /large/],
  ];

  it.each(REFUSED)('are refused with the place: %s', async (_, output, status, reason) => {
    const host = await hosts.register();
    const answer = await hosts.reply(host, 'inventory', output);
    expect(answer).toEqual({ status, reason: expect.stringMatching(reason) });
    expect(answer.reason.length).toBeLessThanOrEqual(REASON_CHARACTERS_MAX);
    expect((await hosts.outcomesOnce(host, 'has-inventory', 'failure')).get('has-min-memory')?.status).toBe('pending');
  });

  it('are refused without replacing the previous report', async () => {
    const host = await hosts.register();
    await hosts.reply(host, 'inventory', inventory());
    await hosts.outcomesOnce(host, 'has-min-memory', 'success');
    expect((await hosts.reply(host, 'inventory', inventory().slice(0, -1))).status).toBe(400);
    expect((await hosts.reply(host, 'connectivity-check', '{"remote_hosts":[{"host_id":7}]}')).status).toBe(400);
    expect((await hosts.outcomes(host)).get('has-min-memory')?.status).toBe('success');
    await hosts.reply(host, 'inventory', inventory({ memory: { physical_bytes: 1, usable_bytes: 1 } }));
    await hosts.outcomesOnce(host, 'has-min-memory', 'failure');
  });

  it('are evaluated per host when several share MACs, names, and addresses, and the duplicate is named', async () => {
    const [a, b] = [await hosts.register(), await hosts.register()];
    for (const host of [a, b])
      expect((await hosts.reply(host, 'inventory', inventory({ hostname: 'twin' }))).status).toBe(204);
    for (const host of [a, b]) {
      const outcomes = await hosts.outcomesOnce(host, 'hostname-unique', 'failure');
      expect(outcomes.get('has-min-memory')?.status).toBe('success');
      await expectSound(host, outcomes);
    }
  });

  it('may name thousands of unknown hosts and the host itself', async () => {
    const host = await hosts.register();
    await hosts.reply(host, 'inventory', inventory({ hostname: 'lonely' }));
    const strangers = many(2_000, (at) => ({
      host_id: at === 0 ? host : `stranger-${at}`,
      l2_connectivity: [{ remote_ip_address: 'x', remote_mac: String(at), successful: true }],
      l3_connectivity: [
        { remote_ip_address: 'x', successful: true, average_rtt_ms: -1e308, packet_loss_percentage: 1e308 },
      ],
    }));
    const answer = await hosts.reply(host, 'connectivity-check', JSON.stringify({ remote_hosts: strangers }));
    expect(answer).toEqual({ status: 204, reason: '' });
    const outcomes = await hosts.outcomesOnce(host, 'has-min-memory', 'success');
    expect(outcomes.get('no-ip-collisions-in-network')?.status).toBe('success');
  });
});
