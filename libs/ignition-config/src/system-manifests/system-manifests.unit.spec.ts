import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fromDataUrl } from '../config/ignition-file';
import { systemManifests, type SystemManifestsInput } from './system-manifests';

const input = (changes: Partial<SystemManifestsInput> = {}): SystemManifestsInput => ({
  hasArbiters: false,
  isSingleNode: false,
  areMastersSchedulable: false,
  timeSources: [],
  isOnlyTime: false,
  encryption: { roles: 'none', mode: 'tpmv2', tangServers: [], cipher: 'aes-cbc-essiv:sha256' },
  domain: 'demo.example.com',
  ownNamesAddress: '',
  ...changes,
});
interface MachineConfig {
  readonly spec: {
    readonly kernelArguments?: readonly string[];
    readonly config: {
      readonly storage?: {
        readonly files?: readonly { path: string; contents: { source: string } }[];
        readonly luks?: readonly object[];
      };
    };
  };
}
const names = (changes: Partial<SystemManifestsInput> = {}): readonly string[] =>
  systemManifests(input(changes)).map(({ fileName }) => fileName);
const configOf = (fileName: string, changes: Partial<SystemManifestsInput>): MachineConfig =>
  parse(systemManifests(input(changes)).find((file) => file.fileName === fileName)?.content ?? '') as MachineConfig;
/** Returns the text of a file of a single node that resolves the names of its cluster. */
const singleNodeFile = (address: string, path: string): string => {
  const { spec } = configOf('dnsmasq-bootstrap-in-place.yaml', { isSingleNode: true, ownNamesAddress: address });
  const file = spec.config.storage?.files?.find((one) => one.path === path);
  return fromDataUrl(file?.contents.source ?? '') ?? '';
};
/** The settings of chrony without its sources. */
const SETTINGS = [
  'sourcedir /run/chrony-dhcp',
  'driftfile /var/lib/chrony/drift',
  'makestep 1.0 3',
  'rtcsync',
  'logdir /var/log/chrony',
];
const isInstalled = spawnSync('ignition-validate', ['--version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: the Debian package ignition is not installed)';

describe('manifests of the service', () => {
  it('are the same for every cluster without optional settings, in this order', () => {
    expect(names()).toEqual([
      '50-masters-chrony-configuration.yaml',
      '50-workers-chrony-configuration.yaml',
      '50-masters-iscsi-nic-reapply.yaml',
      '50-workers-iscsi-nic-reapply.yaml',
    ]);
    const withArbiters = ['chrony-configuration', 'iscsi-nic-reapply'].flatMap((name) =>
      ['master', 'worker', 'arbiter'].map((role) => `50-${role}s-${name}.yaml`),
    );
    expect(names({ hasArbiters: true })).toEqual(withArbiters);
    expect(systemManifests(input()).every(({ folder }) => folder === 'openshift')).toBe(true);
  });

  it.each([
    [false, ['pool 0.rhel.pool.ntp.org iburst', ...SETTINGS]],
    [true, SETTINGS],
  ])('configure chrony (only with the configured sources: %s)', (isOnlyTime, before) => {
    const timeSources = ['a.example', 'fd00::7', 'a.example'];
    const { spec } = configOf('50-masters-chrony-configuration.yaml', { isOnlyTime, timeSources });
    const [file] = spec.config.storage?.files ?? [];
    expect(file).toMatchObject({ path: '/etc/chrony.conf', mode: 0o644, overwrite: true });
    const lines = [...before, 'server a.example iburst', 'server fd00::7 iburst'];
    expect(fromDataUrl(file?.contents.source ?? '')).toBe(`${lines.join('\n')}\n`);
  });

  it.each([
    ['50-masters-chrony-configuration.yaml', 'master', '50-masters-chrony-configuration'],
    ['50-workers-chrony-configuration.yaml', 'worker', '50-workers-chrony-configuration'],
    ['50-arbiters-chrony-configuration.yaml', 'arbiter', '50-arbiters-chrony-configuration'],
    ['dnsmasq-bootstrap-in-place.yaml', 'master', '50-master-dnsmasq'],
  ])('contain in %s the configuration of each %s', (fileName, role, name) => {
    const changes = { hasArbiters: true, isSingleNode: true, ownNamesAddress: '192.0.2.5' };
    expect(configOf(fileName, changes)).toMatchObject({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { labels: { 'machineconfiguration.openshift.io/role': role }, name },
    });
  });

  it('are in the folder openshift', () => {
    const encryption = { ...input().encryption, roles: 'all' };
    const changes = { areMastersSchedulable: true, isSingleNode: true, ownNamesAddress: '192.0.2.5', encryption };
    const files = systemManifests(input(changes));
    expect(files).toHaveLength(8);
    expect(files.filter(({ folder }) => folder !== 'openshift')).toEqual([]);
  });

  it('allow workloads on the control plane when it is set', () => {
    const file = systemManifests(input({ areMastersSchedulable: true })).find(({ fileName }) =>
      fileName.includes('.patch'),
    );
    expect(file?.fileName).toBe('cluster-scheduler-02-config.yml.patch_ai_set_masters_schedulable');
    expect(parse(file?.content ?? '')).toEqual([{ op: 'replace', path: '/spec/mastersSchedulable', value: true }]);
  });

  it.each([
    ['all', ['99-openshift-master-tpm-encryption.yaml', '99-openshift-worker-tpm-encryption.yaml']],
    ['masters', ['99-openshift-master-tpm-encryption.yaml']],
    ['workers', ['99-openshift-worker-tpm-encryption.yaml']],
    ['arbiters', []],
    ['none', []],
  ])('encrypt the disks of %s', (roles, expected) => {
    const encryption = { ...input().encryption, roles };
    expect(names({ encryption }).filter((name) => name.includes('encryption'))).toEqual(expected);
  });

  it.each([
    ['all', ['master', 'worker', 'arbiter']],
    ['masters,arbiters', ['master', 'arbiter']],
    ['workers,arbiters', ['worker', 'arbiter']],
  ])('encrypt the disks of %s in a cluster with arbiters', (roles, expected) => {
    const encryption = { ...input().encryption, roles };
    const encrypted = names({ encryption, hasArbiters: true }).filter((name) => name.includes('encryption'));
    expect(encrypted).toEqual(expected.map((role) => `99-openshift-${role}-tpm-encryption.yaml`));
  });

  it('encrypt the root file system with the TPM, which needs no network', () => {
    const encryption = { ...input().encryption, roles: 'masters', cipher: 'aes-xts-plain64' };
    expect(configOf('99-openshift-master-tpm-encryption.yaml', { encryption })).toEqual({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { labels: { 'machineconfiguration.openshift.io/role': 'master' }, name: 'master-tpm' },
      spec: {
        config: {
          ignition: { version: '3.2.0' },
          storage: {
            luks: [
              {
                name: 'root',
                label: 'luks-root',
                device: '/dev/disk/by-partlabel/root',
                clevis: { tpm2: true },
                options: ['--cipher', 'aes-xts-plain64'],
                wipeVolume: true,
              },
            ],
            filesystems: [{ device: '/dev/mapper/root', format: 'xfs', wipeFilesystem: true, label: 'root' }],
          },
        },
      },
    });
  });

  it.each(['master', 'worker', 'arbiter'])('start the unit for network disks on each %s', (role) => {
    const name = `50-${role}s-iscsi-nic-reapply`;
    expect(configOf(`${name}.yaml`, { hasArbiters: true })).toMatchObject({
      metadata: { labels: { 'machineconfiguration.openshift.io/role': role }, name },
      spec: { config: { systemd: { units: [{ name: 'iscsi-nic-reapply.service', enabled: true }] } } },
    });
  });

  it('configure the network before a disk with tang encryption is opened', () => {
    const tangServers = [{ url: 'http://tang', thumbprint: 'abc' }];
    const encryption = { ...input().encryption, roles: 'workers', mode: 'tang', tangServers };
    const { spec } = configOf('99-openshift-worker-tang-encryption.yaml', { encryption });
    expect(spec.kernelArguments).toEqual(['rd.neednet=1']);
    expect(spec.config.storage?.luks?.[0]).toMatchObject({
      label: 'luks-root',
      clevis: { tang: tangServers },
      wipeVolume: true,
    });
  });

  it('configure DNS on a single node when no DNS server resolves its names', () => {
    expect(names({ isSingleNode: true, ownNamesAddress: '192.0.2.5' })).toContain('dnsmasq-bootstrap-in-place.yaml');
    expect(names({ isSingleNode: true })).not.toContain('dnsmasq-bootstrap-in-place.yaml');
    expect(names({ ownNamesAddress: '192.0.2.5' })).not.toContain('dnsmasq-bootstrap-in-place.yaml');
  });

  (isInstalled ? it : it.skip)(`contain configs that Ignition accepts${missing}`, () => {
    const encryption = {
      ...input().encryption,
      roles: 'all',
      mode: 'tang',
      tangServers: [{ url: 'http://t', thumbprint: 'x' }],
    };
    const files = systemManifests(
      input({ encryption, isSingleNode: true, ownNamesAddress: '192.0.2.5', timeSources: ['a'] }),
    );
    for (const { fileName, content } of files) {
      const { spec } = parse(content) as MachineConfig;
      const { status, stderr } = spawnSync('ignition-validate', ['-'], {
        input: JSON.stringify(spec.config),
        encoding: 'utf8',
      });
      expect({ fileName, status, stderr }).toEqual({ fileName, status: 0, stderr: '' });
    }
  });
});

describe.each(['192.0.2.5', 'fd00::5'])('a single node with the address %s that resolves its own names', (address) => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'single-node-'));
    mkdirSync(join(folder, 'etc'));
    mkdirSync(join(folder, 'run'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const resolvConf = (): string => join(folder, 'etc/resolv.conf');
  const connect = (text: string): void => writeFileSync(join(folder, 'run/resolv.conf'), text);
  /** Runs the dispatcher script for an event of NetworkManager, with the files in the folder of the test. */
  const dispatch = (event: string): void => {
    const script = singleNodeFile(address, '/etc/NetworkManager/dispatcher.d/forcedns')
      .replaceAll('/run/NetworkManager/', `${folder}/run/`)
      .replaceAll('/etc/resolv.conf', resolvConf());
    const { status, stderr } = spawnSync('bash', ['-s', 'eno1', event], { input: script, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  };

  it('is its first name server, at an address that pods reach', () => {
    connect('# Generated by NetworkManager\nsearch example.com\nnameserver 198.51.100.1\n');
    dispatch('up');
    const expected = `nameserver ${address}\n# Generated by NetworkManager\nsearch example.com\nnameserver 198.51.100.1\n`;
    expect(readFileSync(resolvConf(), 'utf8')).toBe(expected);
    dispatch('dhcp4-change');
    expect(readFileSync(resolvConf(), 'utf8')).toBe(expected);
    expect(readdirSync(join(folder, 'etc'))).toEqual(['resolv.conf']);
  });

  it('gets the name servers of a later connection, and is listed once', () => {
    connect('nameserver 198.51.100.1\n');
    dispatch('up');
    connect(`nameserver ${address}\nnameserver 198.51.100.2\n`);
    dispatch('dns-change');
    expect(readFileSync(resolvConf(), 'utf8')).toBe(`nameserver ${address}\nnameserver 198.51.100.2\n`);
  });

  it('is a name server although its connections have none', () => {
    connect('');
    dispatch('up');
    expect(readFileSync(resolvConf(), 'utf8')).toBe(`nameserver ${address}\n`);
  });

  it.each(['down', 'pre-up', 'hostname'])('changes nothing on the event %s', (event) => {
    connect('nameserver 198.51.100.1\n');
    dispatch(event);
    expect(existsSync(resolvConf())).toBe(false);
  });

  it('keeps its name servers, because NetworkManager does not write them', () => {
    expect(singleNodeFile(address, '/etc/NetworkManager/conf.d/single-node.conf')).toBe(
      '[main]\nrc-manager=unmanaged\n',
    );
  });

  it('answers at that address, and asks the name servers of the connections for other names', () => {
    const lines = singleNodeFile(address, '/etc/dnsmasq.d/single-node.conf').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `address=/apps.demo.example.com/${address}`,
        `address=/api-int.demo.example.com/${address}`,
        `address=/api.demo.example.com/${address}`,
        'listen-address=127.0.0.1',
        `listen-address=${address}`,
        'resolv-file=/run/NetworkManager/resolv.conf',
      ]),
    );
  });
});
