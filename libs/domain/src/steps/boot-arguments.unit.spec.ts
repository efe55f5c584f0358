import { install } from './installation-steps';
import { disk, documentOf, hardware, nic, other, stepContext } from './step-sample.fixture.spec';

type Changes = NonNullable<Parameters<typeof stepContext>[0]>;
const DAY2 = { kind: 'AddToExistingClusterHost', effectiveRole: 'worker' };
const command = (changes: Changes = {}) => documentOf(install(stepContext(changes))) as Record<string, unknown>;
const installerArgs = (changes: Changes): unknown => {
  const args = command(changes)?.['installer_args'];
  return args === undefined ? [] : JSON.parse(String(args));
};
const kargs = (...args: string[]) => args.flatMap((argument) => ['--append-karg', argument]);

describe('network arguments for the first boot', () => {
  const MAC = '52-54-00-aa-00-01';
  const nics = (...list: ReturnType<typeof nic>[]) => ({ hardware: { nics: list } });

  it.each<[string, Changes, readonly string[]]>([
    ['IPv4', {}, [`ip=${MAC}:dhcp`]],
    [
      'IPv6',
      {
        cluster: { machineNetworks: ['fd00:1::/64'] },
        ...nics(nic({ ipv4Addresses: [], ipv6Addresses: ['fd00:1::11/64', 'fe80::1/64'] })),
      },
      [`ip=${MAC}:dhcp6`],
    ],
    [
      'both families',
      {
        cluster: { machineNetworks: ['192.0.2.0/24', 'fd00:1::/64'] },
        ...nics(nic({ ipv6Addresses: ['fd00:1::11/64'] })),
      },
      [`ip=${MAC}:dhcp,dhcp6`],
    ],
    [
      'an IPv6 link-local address and an IPv4 address',
      nics(nic({ ipv6Addresses: ['fe80::1/64'] })),
      [`ip=${MAC}:dhcp`],
    ],
    [
      'NICs of other networks of either family',
      nics(
        nic({ macAddress: 'aa:00:00:00:00:01', ipv4Addresses: ['198.51.100.1/24'], ipv6Addresses: ['fd00:9::1/64'] }),
        nic(),
        nic({ macAddress: 'aa:00:00:00:00:02', ipv4Addresses: [] }),
      ),
      [`ip=${MAC}:dhcp`],
    ],
    [
      'an IPv6 NIC outside an IPv6 machine network',
      {
        cluster: { machineNetworks: ['fd00:1::/64'] },
        ...nics(
          nic({ macAddress: 'aa:00:00:00:00:01', ipv4Addresses: [], ipv6Addresses: ['fd00:2::1/64'] }),
          nic({ ipv4Addresses: [], ipv6Addresses: ['fd00:1:0:0:8000::11/64'] }),
        ),
      },
      [`ip=${MAC}:dhcp6`],
    ],
    [
      'a host in the second of two networks with user-managed networking',
      { cluster: { machineNetworks: ['198.51.100.0/24', '192.0.2.0/24'] } },
      [`ip=${MAC}:dhcp`],
    ],
    ['NICs with a MAC address only', nics(nic({ macAddress: '' }), nic()), [`ip=${MAC}:dhcp`]],
    ['a host that is in none of the networks', { cluster: { machineNetworks: ['198.51.100.0/24'] } }, []],
    [
      'no machine network, so that the network of the bootstrap host is used',
      {
        cluster: { machineNetworks: [] },
        others: [other({ isBootstrap: true, hardware: hardware({ nics: [nic({ ipv6Addresses: ['fd00::5/64'] })] }) })],
        ...nics(nic(), nic({ macAddress: 'aa:00:00:00:00:01', ipv4Addresses: ['198.51.100.1/24'] })),
      },
      [`ip=${MAC}:dhcp`],
    ],
    [
      'the bootstrap host without a machine network',
      { cluster: { machineNetworks: [] }, host: { isBootstrap: true } },
      [`ip=${MAC}:dhcp`],
    ],
  ])('use DHCP for %s', (_case, changes, expected) => {
    expect(installerArgs(changes)).toEqual(kargs(...expected));
  });

  it.each<[string, Changes, readonly string[]]>([
    ['copied with a static network configuration', { infraEnv: { hasStaticNetwork: true } }, ['--copy-network']],
    [
      'copied once',
      { infraEnv: { hasStaticNetwork: true }, host: { installerArgs: '["--copy-network"]' } },
      ['--copy-network'],
    ],
    ['copied by the short flag of a user', { host: { installerArgs: '["-n"]' } }, ['-n']],
    [
      'copied once by the short flag of a user',
      { infraEnv: { hasStaticNetwork: true }, host: { installerArgs: '["-n"]' } },
      ['-n'],
    ],
    [
      'as set by the user',
      { host: { installerArgs: '["--append-karg","ip=eth0:dhcp"]' } },
      ['--append-karg', 'ip=eth0:dhcp'],
    ],
    [
      'added to arguments of the user',
      { host: { installerArgs: '["--append-karg","zip=1"]' } },
      ['--append-karg', 'zip=1', '--append-karg', `ip=${MAC}:dhcp`],
    ],
    ['absent on day 2 without a known network', { host: DAY2, cluster: { machineNetworks: [] }, others: [] }, []],
  ])('are %s', (_case, changes, expected) => {
    expect(installerArgs(changes)).toEqual(expected);
  });
});

describe('boot arguments of the installation disk', () => {
  const SAN_NIC = nic({ name: 'ens4', macAddress: 'aa:00:00:00:00:09', ipv4Addresses: ['10.9.0.5/24'] });
  const iscsi = disk({ driveType: 'iSCSI', iscsiHostIpAddress: '10.9.0.5' });
  const on = (...disks: ReturnType<typeof disk>[]): Changes => ({ hardware: { disks, nics: [nic(), SAN_NIC] } });
  const NIC = 'ip=52-54-00-aa-00-01:dhcp';
  const SAN = 'ip=aa-00-00-00-00-09:dhcp';

  it.each<[string, Changes, readonly string[]]>([
    ['multipath', on(disk({ driveType: 'Multipath' })), [NIC, 'rw', 'rd.multipath=default']],
    ['RAID', on(disk({ driveType: 'RAID' })), [NIC, 'rd.md=1', 'rd.auto=1']],
    ['iSCSI', on(iscsi), [NIC, 'rd.iscsi.firmware=1', SAN]],
    [
      'iSCSI behind multipath',
      on(disk({ driveType: 'Multipath', name: 'dm-0' }), {
        ...iscsi,
        id: '/dev/sdb',
        byId: '',
        name: 'sdb',
        path: '/dev/sdb',
        byPath: '',
        holders: 'dm-0',
      }),
      [NIC, 'rw', 'rd.multipath=default', 'rd.iscsi.firmware=1', SAN],
    ],
    [
      'iSCSI over the NIC of the machine network',
      on({ ...iscsi, iscsiHostIpAddress: '192.0.2.11' }),
      [NIC, 'rd.iscsi.firmware=1'],
    ],
    [
      'iSCSI on OCI, where the firmware configures the network',
      { ...on(iscsi), cluster: { externalPlatformName: 'oci' } },
      ['rd.iscsi.firmware=1', SAN],
    ],
  ])('are set for %s', (_case, changes, expected) => {
    expect(installerArgs(changes)).toEqual(kargs(...expected));
  });

  it('are not set twice', () => {
    const given = { host: { installerArgs: '["--append-karg","rd.md=1"]' } };
    expect(installerArgs({ ...on(disk({ driveType: 'RAID' })), ...given })).toEqual(kargs('rd.md=1', NIC, 'rd.auto=1'));
  });
});

describe('boot arguments of an s390x host', () => {
  const DHCP = 'ip=52-54-00-aa-00-01:dhcp';
  const DEVICES = ['rd.neednet=1', 'rd.znet=qeth,0.0.bdd0,layer2=1', 'rd.dasd=0.0.5235'];
  const NETWORK = ['ip=172.23.0.5::172.23.0.1:24:node:encbdd0:none', 'nameserver=172.23.0.1'];
  const booted = (given: readonly string[], changes: Partial<ReturnType<typeof hardware>> = {}): Changes => ({
    hardware: {
      cpuArchitecture: 's390x',
      manufacturer: 'IBM/S390',
      productName: 'z/VM    6.4.0',
      bootArguments: given.join(' '),
      ...changes,
    },
  });

  it('are those of its devices', () => {
    expect(installerArgs(booted(DEVICES))).toEqual(kargs(DHCP, ...DEVICES));
    expect(installerArgs(booted([]))).toEqual(kargs(DHCP));
    const { bootArguments: _, ...older } = booted([]).hardware ?? {};
    expect(installerArgs({ hardware: older })).toEqual(kargs(DHCP));
  });

  it('are those of its network instead of DHCP when it was booted so', () => {
    const own = [...NETWORK, 'ai.ip_cfg_override=1', ...DEVICES];
    expect(installerArgs(booted(own))).toEqual(kargs(...NETWORK, ...DEVICES));
    const disks = [disk({ driveType: 'iSCSI', iscsiHostIpAddress: '10.9.0.5' })];
    const nics = [nic(), nic({ name: 'ens4', ipv4Addresses: ['10.9.0.5/24'] })];
    expect(installerArgs(booted(own, { disks, nics }))).toEqual(kargs('rd.iscsi.firmware=1', ...NETWORK, ...DEVICES));
  });

  it('are added to a static network configuration', () => {
    const context = { ...booted(DEVICES), infraEnv: { hasStaticNetwork: true } };
    expect(installerArgs(context)).toEqual(['--copy-network', ...kargs(...DEVICES)]);
  });

  it.each([
    ['a guest of KVM', { productName: 'KVM/Linux' }],
    ['a machine of another manufacturer', { manufacturer: 'QEMU' }],
  ])('are not those of %s', (_case, changes) => {
    expect(installerArgs(booted(DEVICES, changes))).toEqual(kargs(DHCP));
  });

  it('are not set twice', () => {
    const host = { installerArgs: '["--append-karg","rd.dasd=0.0.5235"]' };
    expect(installerArgs({ ...booted(['rd.dasd=0.0.5235', 'rd.neednet=1']), host })).toEqual(
      kargs('rd.dasd=0.0.5235', DHCP, 'rd.neednet=1'),
    );
  });
});
