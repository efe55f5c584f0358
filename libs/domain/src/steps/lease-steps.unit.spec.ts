import { imagesOf, install, installerArguments } from './installation-steps';
import { apiVipConnectivityCheck, dhcpLeaseAllocate, verifyVips } from './network-steps';
import { disk, documentOf, hardware, nic, other, stepContext } from './step-sample.fixture.spec';

const MAC = '52:54:00:aa:00:01';
const OTHER_MAC = '52:54:00:aa:00:05';
const dhcpOn = (mac: string, modes = 'dhcp'): readonly string[] => [
  '--append-karg',
  `ip=${mac.replaceAll(':', '-')}:${modes}`,
];

describe('the step that leases the VIPs', () => {
  const leased = { vipDhcpAllocation: true, apiVips: [], ingressVips: [] };

  it('names the network card in the first machine network', () => {
    const nics = [nic({ name: 'ens9', ipv4Addresses: ['198.51.100.4/24'] }), nic()];
    const cluster = { ...leased, machineNetworks: ['192.0.2.0/24', '198.51.100.0/24'] };
    expect(documentOf(dhcpLeaseAllocate(stepContext({ cluster, hardware: { nics } })))).toEqual({
      interface: 'ens3',
      api_vip_mac: expect.stringMatching(/^00:1a:4a:/),
      ingress_vip_mac: expect.stringMatching(/^00:1a:4a:/),
    });
  });

  it('contains the leases that the cluster has', () => {
    const cluster = { ...leased, vipLeases: { api: 'lease { a; }', ingress: 'lease { i; }' } };
    expect(documentOf(dhcpLeaseAllocate(stepContext({ cluster })))).toMatchObject({
      api_vip_lease: 'lease { a; }',
      ingress_vip_lease: 'lease { i; }',
    });
  });

  it.each([
    ['a user sets the VIPs', { cluster: { vipDhcpAllocation: false } }],
    ['the host has no cluster', { cluster: null }],
    ['the host has no inventory', { cluster: leased, hardware: null }],
    ['the cluster has no machine network', { cluster: { ...leased, machineNetworks: [] } }],
    ['the host is in another network', { cluster: { ...leased, machineNetworks: ['198.51.100.0/24'] } }],
  ])('is not sent when %s', (_case, changes) => {
    expect(dhcpLeaseAllocate(stepContext(changes))).toBeUndefined();
  });
});

describe('the network at first boot', () => {
  const argumentsOf = (changes: Parameters<typeof stepContext>[0]) => installerArguments(stepContext(changes));

  it('is on the network cards in the first machine network that contains the host', () => {
    const nics = [
      nic({ ipv4Addresses: ['203.0.113.4/24'] }),
      nic({ macAddress: OTHER_MAC, ipv4Addresses: ['198.51.100.4/24'] }),
    ];
    const cluster = { machineNetworks: ['192.0.2.0/24', '198.51.100.0/24'] };
    expect(argumentsOf({ cluster, hardware: { nics } })).toEqual(dhcpOn(OTHER_MAC));
  });

  it('is not set for a host that is in no machine network', () => {
    const cluster = { machineNetworks: ['198.51.100.0/24'] };
    expect(argumentsOf({ cluster, host: { isBootstrap: true } })).toEqual([]);
  });

  it('is the IPv4 network of the bootstrap host in a cluster without machine networks', () => {
    const nics = [nic({ ipv4Addresses: [], ipv6Addresses: ['fd00::12/64'] }), nic()];
    const own = [nic({ ipv4Addresses: [], ipv6Addresses: ['fd00::11/64'] }), nic({ macAddress: OTHER_MAC })];
    const bootstrap = other({ isBootstrap: true, hardware: hardware({ nics }) });
    const cluster = { machineNetworks: [] };
    expect(argumentsOf({ cluster, others: [other(), bootstrap], hardware: { nics: own } })).toEqual(dhcpOn(OTHER_MAC));
  });

  it('is the first network of a bootstrap host without IPv4', () => {
    const nics = [nic({ ipv4Addresses: [], ipv6Addresses: ['fd00::12/64'] })];
    const own = [nic({ ipv4Addresses: [], ipv6Addresses: ['fd00::11/64'] })];
    const bootstrap = other({ isBootstrap: true, hardware: hardware({ nics }) });
    const cluster = { machineNetworks: [] };
    expect(argumentsOf({ cluster, others: [bootstrap], hardware: { nics: own } })).toEqual(dhcpOn(MAC, 'dhcp6'));
  });
});

it('a single VIP is verified', () => {
  const cluster = { apiVips: ['192.0.2.100'], ingressVips: [] };
  expect(documentOf(verifyVips(stepContext({ cluster })))).toEqual([{ vip: '192.0.2.100', vip_type: 'api' }]);
});

it.each([
  [{ machineConfigPoolName: 'infra', effectiveRole: 'worker' }, 'infra'],
  [{ effectiveRole: 'master' }, 'master'],
  [{ effectiveRole: 'auto-assign' }, 'worker'],
])('a day-2 host with %j downloads the config of the pool %s', (host, pool) => {
  const check = apiVipConnectivityCheck(stepContext({ host: { kind: 'AddToExistingClusterHost', ...host } }));
  expect(documentOf(check)).toMatchObject({ url: `http://api.ocp.example.com:22624/config/${pool}` });
});

describe('the command of the installer', () => {
  const day2 = { kind: 'AddToExistingClusterHost', effectiveRole: 'worker' };

  it('has no arguments for a day-2 host whose network is not known', () => {
    const context = stepContext({ host: day2, cluster: { machineNetworks: [] }, others: [] });
    expect(documentOf(install(context))).toEqual(expect.objectContaining({ role: 'worker', service_ips: null }));
    expect(documentOf(install(context))).not.toHaveProperty('installer_args');
  });

  it('is not sent to a day-1 host whose network is not known', () => {
    expect(install(stepContext({ cluster: { machineNetworks: [] }, others: [] }))).toBeUndefined();
  });
});

describe('the session of an iSCSI disk', () => {
  const onDisks = (...disks: ReturnType<typeof disk>[]) => {
    const nics = [nic(), nic({ macAddress: OTHER_MAC, ipv4Addresses: ['10.8.0.5/24', '10.9.0.5/24'] })];
    return installerArguments(stepContext({ hardware: { disks, nics } }));
  };
  const iscsi = { driveType: 'iSCSI', iscsiHostIpAddress: '10.9.0.5' };

  it('is on the network card that has its address among others', () => {
    const session = ['--append-karg', 'rd.iscsi.firmware=1', ...dhcpOn(OTHER_MAC)];
    expect(onDisks(disk(iscsi))).toEqual([...dhcpOn(MAC), ...session]);
  });

  it('is not that of a multipath disk with other paths', () => {
    const other = disk({
      ...iscsi,
      id: '/dev/disk/by-id/wwn-2',
      byId: '',
      byPath: '',
      name: 'sdb',
      path: '/dev/sdb',
      holders: 'dm-1',
    });
    const multipath = disk({ driveType: 'Multipath', name: 'dm-0' });
    const paths = ['--append-karg', 'rw', '--append-karg', 'rd.multipath=default'];
    expect(onDisks(multipath, other)).toEqual([...dhcpOn(MAC), ...paths]);
  });
});

it('images that are not known are not checked', () => {
  const { cluster, images } = stepContext({ images: { machineConfigOperator: '', installer: 'muster-host:2' } });
  expect(imagesOf({ cluster, images })).toEqual([
    'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
    'quay.io/must-gather:2',
  ]);
  expect(imagesOf({ cluster: undefined, images })).toEqual(['quay.io/must-gather:2']);
});
