import { BODY_MAX_BYTES } from './large-bodies.fixture.spec';

type Entry = (at: number) => unknown;

const address = (at: number): string => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
const mac = (at: number): string =>
  `02:00:${at
    .toString(16)
    .padStart(8, '0')
    .replace(/(..)(?=.)/g, '$1:')}`;
const id = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

const DISK: Entry = (at) => ({
  id: `/dev/disk/by-id/wwn-${at}`,
  name: `sd${at}`,
  drive_type: 'SSD',
  size_bytes: 480_000_000_000,
  installation_eligibility: { not_eligible_reasons: ['Disk is removable'] },
});
const NIC: Entry = (at) => ({
  name: `ens${at}`,
  mac_address: mac(at),
  ipv4_addresses: [`${address(at)}/8`],
  ipv6_addresses: [`fd00::${(at % 65_536).toString(16)}/64`],
});
const ROUTE: Entry = (at) => ({ destination: address(at), family: 2, gateway: address(at + 1), interface: `ens${at}` });

const INVENTORY = {
  hostname: 'node-1',
  cpu: { architecture: 'x86_64', count: 8, flags: ['vmx'] },
  memory: { physical_bytes: 34_359_738_368, usable_bytes: 33_000_000_000 },
  disks: [DISK(0)],
  interfaces: [NIC(0)],
  routes: [{ destination: '0.0.0.0', family: 2, gateway: '10.0.0.1', interface: 'ens0' }],
  system_vendor: { manufacturer: 'Red Hat', product_name: 'KVM', virtual: true },
};

const link: Entry = (at) => ({
  outgoing_nic: 'ens0',
  remote_ip_address: address(at),
  remote_mac: mac(at),
  successful: true,
  average_rtt_ms: at,
  packet_loss_percentage: 1,
});

/** One list of a step output that grows: the type of the step, the name of the list, its entry, and the output around it. */
const LISTS: readonly (readonly [string, string, Entry, (entries: readonly unknown[]) => unknown])[] = [
  ['inventory', 'disks', DISK, (disks) => ({ ...INVENTORY, disks })],
  ['inventory', 'interfaces', NIC, (interfaces) => ({ ...INVENTORY, interfaces })],
  ['inventory', 'routes', ROUTE, (routes) => ({ ...INVENTORY, routes })],
  ['inventory', 'GPUs', (at) => ({ vendor_id: `${at}`, address: `${at}` }), (gpus) => ({ ...INVENTORY, gpus })],
  ['inventory', 'CPU flags', (at) => `f${at}`, (flags) => ({ ...INVENTORY, cpu: { ...INVENTORY.cpu, flags } })],
  [
    'inventory',
    'addresses of one interface',
    (at) => `${address(at)}/8`,
    (all) => ({ ...INVENTORY, interfaces: [{ ...(NIC(0) as object), ipv4_addresses: all }] }),
  ],
  ['connectivity-check', 'remote hosts', (at) => ({ host_id: id(at), l3_connectivity: [link(at)] }), hostsOf],
  [
    'connectivity-check',
    'remote hosts with several links',
    (at) => ({ host_id: id(at), l3_connectivity: [link(at), link(at), link(at), link(at), link(at)] }),
    hostsOf,
  ],
  ['connectivity-check', 'L2 links', link, (links) => hostsOf([{ host_id: id(0), l2_connectivity: links }])],
  ['connectivity-check', 'L3 links', link, (links) => hostsOf([{ host_id: id(0), l3_connectivity: links }])],
  [
    'free-network-addresses',
    'networks',
    (at) => ({ network: `${address(at)}/30`, free_addresses: [address(at)] }),
    identity,
  ],
  ['free-network-addresses', 'addresses', address, (all) => [{ network: '10.0.0.0/8', free_addresses: all }]],
  [
    'domain-resolution',
    'resolutions',
    (at) => ({ domain_name: `d${at}.a`, ipv4_addresses: [address(at)] }),
    (resolutions) => ({ resolutions }),
  ],
  [
    'container-image-availability',
    'images',
    (at) => ({ name: `a/b:${at}`, result: 'success', time: 1 }),
    (images) => ({ images }),
  ],
  [
    'ntp-synchronizer',
    'sources',
    (at) => ({ source_name: `n${at}`, source_state: 'synced' }),
    (all) => ({ ntp_sources: all }),
  ],
  [
    'tang-connectivity-check',
    'responses',
    (at) => ({ tang_url: `http://${at}`, payload: 'a', signatures: [] }),
    (all) => ({ is_success: true, tang_server_response: all }),
  ],
  ['verify-vips', 'VIPs', (at) => ({ vip: address(at), vip_type: 'api', verification: 'succeeded' }), identity],
];

function hostsOf(entries: readonly unknown[]): unknown {
  return { remote_hosts: entries };
}
function identity(entries: readonly unknown[]): unknown {
  return entries;
}

/** Bodies of replies to steps at the size limit, with the list that fills them. */
export function* largeReplies(): Generator<readonly [string, string]> {
  for (const [type, list, entry, output] of LISTS) {
    const wide = JSON.stringify(JSON.stringify(entry(1_000_000))).length;
    const count = Math.floor((BODY_MAX_BYTES - 4_096) / wide);
    const text = JSON.stringify(output(Array.from({ length: count }, (_, at) => entry(at))));
    yield [
      `${type} with ${count} ${list}`,
      JSON.stringify({ step_type: type, step_id: `${type}-1`, exit_code: 0, output: text }),
    ];
  }
}

/** Bodies of preflight requests: many hosts, and one host with much. */
export function* largePreflights(): Generator<readonly [string, string]> {
  const cluster = { name: 'one', openshift_version: '4.18', base_dns_domain: 'example.com' };
  const body = (hosts: readonly unknown[]): string => JSON.stringify({ cluster, hosts });
  const host = (at: number): unknown => ({
    host_id: id(at),
    inventory: JSON.stringify({ ...INVENTORY, hostname: `node-${at}`, interfaces: [NIC(at)] }),
  });
  const fitting = Math.floor((BODY_MAX_BYTES - 4_096) / (JSON.stringify(host(100_000)).length + 1));
  for (const count of [fitting, 250])
    yield [`${count} hosts`, body(Array.from({ length: count }, (_, at) => host(at)))];
  yield ['two hosts with one id', body([host(1), host(1)])];
  const wide = JSON.stringify(JSON.stringify(DISK(100_000))).length;
  const disks = Array.from({ length: Math.floor((BODY_MAX_BYTES - 8_192) / wide) }, (_, at) => DISK(at));
  yield [`one host with ${disks.length} disks`, body([{ inventory: JSON.stringify({ ...INVENTORY, disks }) }])];
}
