import {
  diskSpeedCheck,
  imageAvailability,
  install,
  inventory,
  lacksCoreosImage,
  logsGather,
  stopInstallation,
} from './installation-steps';
import { disk, documentOf, hardware, nic, other, stepContext } from './step-sample.fixture.spec';

type Changes = NonNullable<Parameters<typeof stepContext>[0]>;
const DAY2 = { kind: 'AddToExistingClusterHost', effectiveRole: 'worker' };
const command = (changes: Changes = {}) => documentOf(install(stepContext(changes))) as Record<string, unknown>;

describe('inventory step', () => {
  it.each([
    [{}, ['h1']],
    [{ inventoryBytesMax: 1_000, inventoryDiskBytesMin: 5 }, ['h1', '--output-max-size=1000', '--disk-min-size=5']],
  ])('with settings %j has arguments %j', (settings, args) => {
    expect(inventory(stepContext({ settings }))).toEqual(args);
  });
});

describe('disk speed check', () => {
  it('measures the installation disk with the timeout in seconds', () => {
    expect(diskSpeedCheck(stepContext())).toEqual(['{"path":"/dev/disk/by-id/wwn-1"}', '480.00']);
  });

  it.each<[string, Changes]>([
    ['there is no disk', { host: { installationDiskId: '' } }],
    ['it was measured', { host: { measuredDisks: ['/dev/disk/by-id/wwn-1'] } }],
    ['partitions are kept', { host: { installerArgs: '["--save-partlabel","data"]' } }],
    ['the system runs from it', { hardware: { bootDeviceType: 'persistent' } }],
  ])('is not sent when %s', (_case, changes) => {
    expect(diskSpeedCheck(stepContext(changes))).toBeUndefined();
  });
});

describe('image availability check', () => {
  const RELEASE = 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64';

  it('contains the images that were not checked yet', () => {
    expect(documentOf(imageAvailability(stepContext()))).toEqual({
      images: [RELEASE, 'quay.io/mco:2', 'quay.io/must-gather:2', 'quay.io/installer:2'],
      timeout: 960,
    });
    const host = { checkedImages: [RELEASE, 'quay.io/mco:2', 'quay.io/must-gather:2'] };
    expect(documentOf(imageAvailability(stepContext({ host })))).toMatchObject({ images: ['quay.io/installer:2'] });
  });

  it('is not sent when all images were checked', () => {
    const checkedImages = [RELEASE, 'quay.io/mco:2', 'quay.io/must-gather:2', 'quay.io/installer:2'];
    expect(imageAvailability(stepContext({ host: { checkedImages } }))).toBeUndefined();
  });
});

describe('install step of a host that runs from its disk', () => {
  const persistent = { bootDeviceType: 'persistent' };
  const unknown = { images: { coreos: '' }, hardware: persistent };
  const osImageUrl = 'quay.io/coreos:joined';

  it('names the operating system image of the release', () => {
    expect(command({ hardware: persistent })).toMatchObject({ coreos_image: 'quay.io/coreos:2' });
    expect(command({ hardware: persistent, host: { ...DAY2, osImageUrl } })).toMatchObject({
      coreos_image: 'quay.io/coreos:2',
    });
  });

  it('names that of the cluster that the host joins when the release is not known', () => {
    expect(command({ ...unknown, host: { ...DAY2, osImageUrl } })).toMatchObject({ coreos_image: osImageUrl });
  });

  it.each<[string, Changes]>([
    ['on day 1', { ...unknown, host: { osImageUrl } }],
    ['on day 2', { ...unknown, host: DAY2 }],
  ])('is not sent without an image, because the installer would write the disk, %s', (_case, changes) => {
    expect(install(stepContext(changes))).toBeUndefined();
    expect(lacksCoreosImage(stepContext(changes))).toBe(true);
  });

  it.each(['', 'ephemeral'])('has no such image when the boot device is %j', (bootDeviceType) => {
    for (const coreos of ['', 'quay.io/coreos:2']) {
      const changes = { images: { coreos }, hardware: { bootDeviceType } };
      expect(command(changes)).not.toHaveProperty('coreos_image');
      expect(command(changes)).toHaveProperty('boot_device');
      expect(lacksCoreosImage(stepContext(changes))).toBe(false);
    }
  });
});

describe('install step', () => {
  it('contains all arguments of the installer and omits empty ones', () => {
    expect(command()).toEqual({
      cluster_id: 'c1',
      infra_env_id: 'i1',
      host_id: 'h1',
      role: 'master',
      boot_device: '/dev/disk/by-id/wwn-1',
      controller_image: 'quay.io/controller:2',
      installer_image: 'quay.io/installer:2',
      control_plane_count: 3,
      enable_skip_mco_reboot: true,
      notify_num_reboots: true,
      mco_image: 'quay.io/mco:2',
      must_gather_image: 'quay.io/must-gather:2',
      openshift_version: '4.18.3',
      installer_args: '["--append-karg","ip=52-54-00-aa-00-01:dhcp"]',
      service_ips: null,
    });
  });

  it.each<[string, Changes, object]>([
    ['the bootstrap host', { host: { isBootstrap: true } }, { role: 'bootstrap' }],
    ['a late-bound day-2 host', { host: { ...DAY2, effectiveRole: 'auto-assign' } }, { role: 'worker' }],
    ['a monitored cluster version', { cluster: { waitsForClusterVersion: true } }, { check_cvo: true }],
    [
      'kept partitions',
      { host: { installerArgs: '["--save-partindex","4"]' } },
      { skip_installation_disk_cleanup: true },
    ],
  ])('sets the expected members for %s', (_case, changes, expected) => {
    expect(command(changes)).toMatchObject(expected);
  });

  it.each<[string, Changes]>([
    ['an old release', { cluster: { openshiftVersion: '4.14.9' } }],
    ['s390x', { hardware: { cpuArchitecture: 's390x' } }],
    ['a mapped disk', { host: { installationDiskPath: '/dev/dm-0' } }],
    ['a disabled setting', { settings: { skipMcoReboot: false } }],
  ])('does not skip the reboot of the machine-config operator with %s', (_case, changes) => {
    expect(command(changes)).not.toHaveProperty('enable_skip_mco_reboot');
  });

  it('omits members of day-1 hosts on day 2', () => {
    const day2 = command({ host: DAY2 });
    for (const member of ['mco_image', 'must_gather_image', 'openshift_version'])
      expect(day2).not.toHaveProperty(member);
  });

  it.each<[string, Changes]>([
    ['there is no disk', { host: { installationDiskId: '' } }],
    ['there is no cluster', { cluster: null }],
    ['its arguments are not JSON', { host: { installerArgs: '{' } }],
    ['its arguments are not a list', { host: { installerArgs: '{}' } }],
    [
      'the network of a day-1 host is unknown',
      { cluster: { machineNetworks: [] }, others: [other({ isBootstrap: true, hardware: undefined })] },
    ],
  ])('is not sent when %s', (_case, changes) => {
    expect(install(stepContext(changes))).toBeUndefined();
  });
});

describe('disks to format', () => {
  const disks = [
    disk({ id: '/dev/sda', name: 'sda', bootable: true }),
    disk({
      id: '/dev/sdb',
      name: 'sdb',
      path: '/dev/sdb',
      byPath: '/dev/disk/by-path/pci-2',
      byId: '',
      bootable: true,
    }),
    disk({
      id: '/dev/sdc',
      name: 'sdc',
      path: '/dev/sdc',
      byPath: '/dev/disk/by-path/pci-3',
      byId: '',
      bootable: true,
      driveType: 'LVM',
    }),
    disk({ id: '/dev/sdd', name: 'sdd', path: '/dev/sdd', byPath: '/dev/disk/by-path/pci-4', byId: '' }),
  ];
  const formatted = (host: Changes['host']) =>
    command({ hardware: { disks }, host: { installationDiskId: '/dev/sda', ...host } })?.['disks_to_format'];

  it('are the bootable disks', () => {
    expect(formatted({})).toEqual(['/dev/sda', '/dev/sdb']);
  });

  it.each(['/dev/sdb', '/dev/disk/by-path/pci-2'])('exclude the disk that a user excluded as %s', (name) => {
    expect(formatted({ skipFormattingDisks: [name] })).toEqual(['/dev/sda']);
  });

  it('exclude the disk whose partitions are kept', () => {
    expect(formatted({ installerArgs: '["--save-partlabel","data"]' })).toEqual(['/dev/sdb']);
  });

  it('are absent when there are none', () => {
    expect(command({ hardware: { disks: [disk()] } })).not.toHaveProperty('disks_to_format');
  });
});

describe('proxy of the install step', () => {
  const proxy = (given: object | undefined) => command({ cluster: { proxy: given } })?.['proxy'];
  const ALWAYS = '127.0.0.1,localhost,.svc,.cluster.local,api-int.ocp.example.com';

  it.each([
    [{ httpProxy: 'http://p:3128' }, { http_proxy: 'http://p:3128', no_proxy: ALWAYS }],
    [
      { httpsProxy: 'https://p:3129', noProxy: 'example.org' },
      { https_proxy: 'https://p:3129', no_proxy: `example.org,${ALWAYS}` },
    ],
    [
      { httpProxy: 'http://p:3128', noProxy: '*' },
      { http_proxy: 'http://p:3128', no_proxy: '*' },
    ],
    [{ noProxy: 'example.org' }, undefined],
    [{ httpProxy: '', httpsProxy: '' }, undefined],
    [undefined, undefined],
  ])('for %j is %j', (given, expected) => {
    expect(proxy(given)).toEqual(expected);
  });
});

describe('log collection step', () => {
  const document = { cluster_id: 'c1', host_id: 'h1', infra_env_id: 'i1', bootstrap: false, installer_gather: true };

  it('requests the logs of a host', () => {
    expect(documentOf(logsGather(stepContext()))).toEqual({ ...document, master_ips: null });
  });

  it.each<[string, Changes, readonly string[]]>([
    ['in the machine network', {}, ['192.0.2.12']],
    [
      'all addresses with user-managed networking',
      { cluster: { userManagedNetworking: true } },
      ['192.0.2.12', '10.0.0.2', 'fd00::2'],
    ],
    ['in an IPv6 machine network', { cluster: { machineNetworks: ['fd00::/64'] } }, ['fd00::2']],
  ])(
    'contains the addresses of the other control plane hosts for the bootstrap host: %s',
    (_case, changes, addresses) => {
      const nics = [
        nic({ ipv4Addresses: ['192.0.2.12/24', '10.0.0.2/8'], ipv6Addresses: ['fd00::2/64', 'fe80::2/64'] }),
      ];
      const others = [
        other({ hardware: hardware({ nics }) }),
        other({ hostId: 'h3', role: 'worker' }),
        other({ hostId: 'h4', hardware: undefined }),
      ];
      const context = stepContext({ ...changes, others, host: { isBootstrap: true } });
      expect(documentOf(logsGather(context))).toEqual({ ...document, bootstrap: true, master_ips: addresses });
    },
  );

  it('is not sent after the logs were uploaded', () => {
    expect(logsGather(stepContext({ host: { hasLogs: true } }))).toBeUndefined();
  });

  it('is followed by the step that stops the installer', () => {
    expect(stopInstallation(stepContext())).toEqual([]);
  });
});
