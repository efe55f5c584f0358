import { createHash } from 'node:crypto';
import { type InventoryEvent, toStoredData } from '@muster/contracts';
import { SAMPLE_HOST_KEY, sampleDisk, sampleInventory } from '@muster/testing';
import { createReportReader } from './read-report';
import { inventoryDecider, isPartial, type ReportedState } from './reports-decider';

const readStep = createReportReader({
  keepsVirtualInterfaces: false,
  digest: (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`,
});
const STEP = { hostKey: SAMPLE_HOST_KEY, error: '', exitCode: 0, generation: 1 };
function read(stepType: string, document: unknown): { readonly event: InventoryEvent } {
  const result = readStep({ ...STEP, stepType, output: JSON.stringify(document) });
  if (result.kind === 'refused') throw new Error(result.refusal.reason);
  return result.report;
}

/** The store accepts 256 KiB per append. The metadata of an event have less than 4 KiB. */
const EVENT_BYTES_MAX = 252 * 1024;
/** The store accepts this length of one text in an event. */
const TEXT_CHARACTERS_MAX = 16_384;
const many = <Item>(length: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, index) => make(index));
const long = (index: number, length = 300): string => `${index}.`.padEnd(length, 'x');
const texts = (names: readonly string[], index: number): object =>
  Object.fromEntries(names.map((name) => [name, long(index)]));
const address = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
const hostId = (n: number): string => `e1e1e1e1-0000-4000-8000-${String(n).padStart(12, '0')}`;
const hostsFrom = (first: number, count: number, addresses: number): readonly object[] =>
  many(count, (n) => ({
    host_id: hostId(first + n),
    l2_connectivity: many(addresses, (index) => ({
      outgoing_nic: long(index % 2, 64),
      remote_ip_address: long(n * addresses + (index >> 1), 64),
      remote_mac: long(index, 64),
      successful: true,
    })),
    l3_connectivity: many(addresses, (index) => ({ remote_ip_address: long(index, 64), successful: true })),
    mtu_report: many(2, (index) => ({ outgoing_nic: long(n * 2 + index, 64), remote_ip_address: long(n, 64) })),
  }));

const DISK_TEXTS = ['id', 'name', 'path', 'by_path', 'by_id', 'drive_type', 'model', 'serial', 'hctl', 'holders'];
const LARGEST: { readonly [stepType: string]: unknown } = {
  inventory: {
    ...texts(['hostname', 'tpm_version'], 1),
    boot: {
      ...texts(['current_boot_mode', 'secure_boot_state', 'device_type'], 1),
      command_line: 'ip=1 '.repeat(2_000),
    },
    cpu: { architecture: 's390x' },
    memory: texts(['physical_bytes_method'], 1),
    system_vendor: texts(['serial_number', 'product_name', 'manufacturer'], 1),
    disks: many(400, (n) => ({
      ...texts(DISK_TEXTS, n),
      iscsi: { host_ip_address: long(n) },
      installation_eligibility: { not_eligible_reasons: many(9, long) },
    })),
    interfaces: many(600, (n) => ({
      ...texts(['name', 'mac_address', 'vendor', 'product'], n),
      ...(n < 300 && texts(['type'], n)),
      ipv4_addresses: many(10, long),
      ipv6_addresses: many(10, long),
    })),
    routes: many(300, (n) => texts(['interface', 'gateway', 'destination'], n)),
    gpus: many(100, (n) => texts(['vendor_id', 'device_id'], n)),
  },
  'connectivity-check': {
    remote_hosts: [
      ...hostsFrom(0, 100, 100),
      // Many machines answer for each of 80 addresses.
      { l2_connectivity: many(8_000, (n) => ({ remote_ip_address: long(n % 80, 64), remote_mac: long(n, 64) })) },
    ],
  },
  'ntp-synchronizer': { ntp_sources: many(64, (n) => ({ source_name: long(n, 900), source_state: 'synced' })) },
  'clock-offset': { offset_seconds: -1e15 },
  'installation-disk-speed-check': { path: long(1, 1_024), io_sync_duration: 1e15 },
  'container-image-availability': {
    images: many(64, (n) => ({ name: long(n, 1_024), size_bytes: 1e15, time: 1 / 3, download_rate: 1 / 3 })),
  },
  'free-network-addresses': many(64, (n) => ({
    network: `10.${n}.0.0/20`,
    free_addresses: many(4_096, (index) => address(n * 65_536 + index)).filter((_, index) => index % 3 > 0),
  })),
  'domain-resolution': {
    resolutions: many(64, (n) => ({
      domain_name: long(n, 253),
      ipv4_addresses: many(256, (index) => address(index)),
      ipv6_addresses: many(256, (index) => `fd00:1234:5678:9abc:def0:1234:5678:${index.toString(16).padStart(4, '0')}`),
      cnames: many(20, (index) => long(index, 253)),
    })),
  },
  'verify-vips': many(16, (n) => ({ vip: long(n, 1_000), vip_type: 'ingress', verification: 'unverified' })),
  'tang-connectivity-check': {
    is_success: true,
    tang_server_response: many(64, (n) => ({ tang_url: long(n, 10_000) })),
  },
  'api-vip-connectivity-check': {
    is_success: true,
    ignition: JSON.stringify({
      storage: { luks: [{ clevis: { tang: many(32, (n) => ({ url: long(n, 2_000), thumbprint: long(n, 2_000) })) } }] },
    }),
  },
};

/** Records a report as the inventory service does. Returns the events, one per append. */
function recorded(event: InventoryEvent, before: ReportedState = inventoryDecider.initialState()) {
  const events: InventoryEvent[] = [];
  let state = before;
  do {
    const decision = inventoryDecider.decide({ type: 'RecordReport', event }, state);
    if (decision.kind === 'refused' || decision.events.length !== 1) break;
    events.push(...decision.events);
    state = decision.events.reduce(inventoryDecider.evolve, state);
  } while (isPartial(state));
  return { events, state };
}

/** The sizes of the events of a report, and the longest text in them. */
const sizesOf = ({ events }: { readonly events: readonly InventoryEvent[] }) => {
  let longest = 0;
  const sizes = events.map((event) => {
    const text = JSON.stringify(toStoredData(event), (_, value: unknown) => {
      if (typeof value === 'string') longest = Math.max(longest, value.length);
      return value;
    });
    return Buffer.byteLength(text);
  });
  return { appends: sizes.length, largest: Math.max(...sizes), longest };
};

describe('the largest reports that are accepted', () => {
  it('cover every step', () => {
    expect(readStep({ ...STEP, stepType: '', output: '' })).toMatchObject({
      refusal: { allowed: Object.keys(LARGEST) },
    });
  });

  it.each(Object.entries(LARGEST))('of %s fit into the appends of their events', (stepType, output) => {
    const { appends, largest, longest } = sizesOf(recorded(read(stepType, output).event));
    expect(appends).toBeGreaterThan(0);
    expect(largest).toBeLessThan(EVENT_BYTES_MAX);
    expect(longest).toBeLessThanOrEqual(TEXT_CHARACTERS_MAX);
  });

  it('of the connectivity to other hosts than before fit too', () => {
    const event = (first: number) => read('connectivity-check', { remote_hosts: hostsFrom(first, 4_000, 1) }).event;
    const before = recorded(event(0)).state;
    expect(before.peers.size).toBe(4_000);
    const after = recorded(event(4_000), before);
    expect(sizesOf(after).largest).toBeLessThan(EVENT_BYTES_MAX);
    expect([...after.state.peers.keys()]).toEqual(many(4_000, (n) => hostId(4_000 + n)));
  });

  it('of a connectivity in which all hosts vanish fit too', () => {
    const before = recorded(read('connectivity-check', { remote_hosts: hostsFrom(0, 4_000, 1) }).event).state;
    const after = recorded(read('connectivity-check', { remote_hosts: [] }).event, before);
    expect(sizesOf(after).largest).toBeLessThan(EVENT_BYTES_MAX);
    expect(after.state.peers.size).toBe(0);
  });

  it('contain all disks and network cards of a large machine', () => {
    const disks = many(256, (n) => ({
      ...sampleDisk(),
      name: `dm-${n}`,
      by_id: `/dev/disk/by-id/dm-uuid-mpath-360060e8007e3a4000030e3a40000${String(n).padStart(4, '0')}`,
    }));
    const interfaces = many(64, (n) => ({
      name: `ens${n}f0np0`,
      mac_address: '02:00:00:00:00:01',
      ipv4_addresses: [`${address(n)}/24`],
      ipv6_addresses: many(4, (index) => `fd00:1234:5678:9abc:def0:1234:5678:${index}/64`),
    }));
    const { event } = read('inventory', sampleInventory({ disks, interfaces }));
    if (event.type !== 'InventoryReported') throw new Error(event.type);
    expect(event.data.hardware).toMatchObject({ disks: { length: 256 }, nics: { length: 64 } });
  });
});
