import { spawnSync } from 'node:child_process';
import { ignitionOverrideProblem } from './merge-ignition';

const isInstalled = spawnSync('ignition-validate', ['--version']).error === undefined;
const missing = isInstalled ? '' : ' (not compared: the Debian package ignition is not installed)';
const isValid = (text: string): boolean => spawnSync('ignition-validate', ['-'], { input: text }).status === 0;

const V = { version: '3.2.0' };
const storage = (members: object) => ({ ignition: V, storage: members });
const file = (members: object) => storage({ files: [{ path: '/a', ...members }] });
const headers = (...httpHeaders: object[]) => ({
  ignition: { ...V, config: { merge: [{ source: 'http://a', httpHeaders }] } },
});
const proxy = (members: object) => ({ ignition: { ...V, proxy: members } });
const luks = (members: object) => storage({ luks: [{ name: 'a', device: '/dev/a', ...members }] });
const raid = (members: object) => storage({ raid: [{ name: 'a', level: 'raid1', devices: ['/dev/a'], ...members }] });
const partition = (...partitions: object[]) => storage({ disks: [{ device: '/dev/sda', partitions }] });

const numbered = (...partitions: object[]) => partition(...partitions.map((one, at) => ({ number: at + 1, ...one })));
const links = (...entries: object[]) => ({ links: entries.map((one) => ({ path: '/a', target: '/b', ...one })) });
const filesystem = (members: object) => storage({ filesystems: [{ device: '/dev/sda1', ...members }] });
const clevis = (members: object, version = '3.3.0') => ({ ...luks({ clevis: members }), ignition: { version } });
const contents = (members: object) => file({ contents: members });
const kernelArguments = (members: object) => ({ ignition: { version: '3.3.0' }, kernelArguments: members });
const HASH = { hash: `sha256-${'a'.repeat(64)}` };
const HEADERS = [{ name: 'A', value: 'x' }];

const unit = (contents: string) => ({ ignition: V, systemd: { units: [{ name: 'a.service', contents }] } });
const dropin = (contents: string) => ({
  ignition: V,
  systemd: { units: [{ name: 'a.service', dropins: [{ name: 'a.conf', contents }] }] },
});

const unitFiles = (list: string, name: string) => ({
  storage: { [list]: [{ path: `/etc/systemd/system/${name}`, target: '/x' }] },
});
const newer = (source: string) => ({ ...contents({ source }), ignition: { version: '3.4.0' } });

const REFUSED: readonly (readonly [string, object])[] = [
  ['storage.files[0].path', storage({ files: [{ path: '/a//b' }] })],
  ['storage.files[0].path', storage({ files: [{ path: '/a/./b' }] })],
  ['storage.directories[0].path', storage({ directories: [{ path: '/a/' }] })],
  ['storage.disks[0].device', storage({ disks: [{ device: '/dev//sda' }] })],
  ['storage.files[0].overwrite', file({ overwrite: true })],
  ['storage.files[0].user', file({ user: { id: 1, name: 'x' } })],
  ['storage.links[0].group', storage({ links: [{ path: '/a', target: '/b', group: { id: 0, name: 'x' } }] })],
  ['httpHeaders[0].name', headers({ name: '', value: 'x' })],
  ['httpHeaders[0].value', headers({ name: 'A', value: '' })],
  ['ignition.proxy.httpProxy', proxy({ httpProxy: 'proxy:3128' })],
  ['ignition.proxy.httpsProxy', proxy({ httpProxy: 'http://a', httpsProxy: '' })],
  ['storage.luks[0].device', storage({ luks: [{ name: 'a' }] })],
  ['storage.luks[0].name', luks({ name: 'a/b' })],
  ['clevis.tang[0].thumbprint', luks({ clevis: { tang: [{ url: 'http://t' }] } })],
  ['clevis.tang[0].thumbprint', luks({ clevis: { tang: [{ url: 'http://t', thumbprint: '' }] } })],
  ['storage.raid[0].level', raid({ level: 'raid99' })],
  ['storage.raid[0].devices', raid({ devices: [] })],
  ['partitions[0].guid', partition({ number: 1, guid: 'x' })],
  ['partitions[0]', partition({ sizeMiB: 10 })],
  ['systemd.units[0].contents: line 1', unit('[Unit\nA=b\n')],
  ['systemd.units[0].contents: line 3', unit('[Unit]\nA=b\n[Service] x\n')],
  ['systemd.units[0].contents: line 2', unit('[Unit]\nfoo\n')],
  ['systemd.units[0].contents: line 2', unit(`[Unit]\nA=${'b'.repeat(2_100)}\n`)],
  ['systemd.units[0].dropins[0].contents: line 1', dropin('[Service')],
  ['storage.files[0].path', storage({ ...links({}), files: [{ path: '/a/c/d' }] })],
  ['storage.directories[0].path', storage({ ...links({}), directories: [{ path: '/a/c' }] })],
  ['storage.links[1].path', storage(links({}, { path: '/a/c' }))],
  ['storage.links[0].target', storage({ ...links({ hard: true }), directories: [{ path: '/b' }] })],
  ['storage.links[0].target', storage({ ...links({ hard: true, target: '../b' }), directories: [{ path: '/b' }] })],
  ['partitions[1]: number 1 occurs', partition({ number: 1 }, { number: 1 })],
  ['partitions[1]: label a occurs', numbered({ label: 'a' }, { label: 'a' })],
  ['partitions[0].label', partition({ label: 'é'.repeat(19) })],
  ['partitions[1]: the partition overlaps', numbered({ startMiB: 1, sizeMiB: 9 }, { startMiB: 9, sizeMiB: 1 })],
  ['partitions[0]: the partition overlaps', numbered({ startMiB: 5, sizeMiB: 0 }, { startMiB: 1, sizeMiB: 9 })],
  [
    'partitions[2]: the partition overlaps',
    numbered(...[9, 1, 2].map((sizeMiB) => ({ startMiB: 10 - sizeMiB, sizeMiB }))),
  ],
  ...[{ label: 'a' }, { sizeMiB: 0 }, { startMiB: 0 }, { guid: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' }].map(
    (one) => ['partitions[0]: shouldExist false', numbered({ shouldExist: false, ...one })] as const,
  ),
  ['storage.disks[0].partitions: when', partition({ number: 1, shouldExist: false }, { label: 'a' })],
  ...Object.entries({ ext4: 17, btrfs: 257, xfs: 13, swap: 16, vfat: 12 }).map(
    ([format, length]) => ['filesystems[0].label', filesystem({ format, label: 'a'.repeat(length) })] as const,
  ),
  ['filesystems[0].label', filesystem({ format: 'vfat', label: 'é'.repeat(6) })],
  ['filesystems[0]: format is required', filesystem({ mountOptions: ['a'] })],
  ['filesystems[0].format', filesystem({ format: 'none' })],
  ...['linear', 'raid0', '0', 'stripe'].map((level) => ['storage.raid[0].spares', raid({ level, spares: 1 })] as const),
  ['storage.raid[0].devices', raid({ devices: ['/dev/a', '/dev/a'] })],
  ['storage.luks[0].label', luks({ label: 'a'.repeat(48) })],
  ['clevis.tang[1]', clevis({ tang: ['x', 'y'].map((thumbprint) => ({ url: 'http://t', thumbprint })) })],
  ['clevis.custom.config', clevis({ custom: { pin: 'tpm2' } })],
  ['clevis.custom.pin', clevis({ custom: { pin: 'foo', config: '{}' } })],
  ['clevis.custom.pin', clevis({ custom: { needsNetwork: true } })],
  ['clevis.custom:', clevis({ custom: { pin: 'sss', config: '{}' }, tpm2: true })],
  ['clevis.custom:', clevis({ custom: {}, tpm2: true }, '3.2.0')],
  ['contents.verification.hash', contents({ verification: HASH })],
  ['contents.httpHeaders', contents({ httpHeaders: HEADERS })],
  ['contents.httpHeaders', contents({ source: 'data:,x', httpHeaders: HEADERS })],
  ['replace.httpHeaders', { ignition: { ...V, config: { replace: { source: 's3://a/b', httpHeaders: HEADERS } } } }],
  ['httpHeaders[1]: name A occurs', headers({ name: 'A', value: 'x' }, { name: 'A', value: 'y' })],
  ['contents.verification.hash', contents({ source: 'data:,', verification: { hash: `SHA256-${'a'.repeat(64)}` } })],
  ...[
    'http://a/%zz',
    'http://%zz',
    'http://a:x/',
    'http://a{b}/',
    'http://[::1/',
    'http://a/\u0001',
    'http://a/#%',
  ].map((source) => ['contents.source', contents({ source })] as const),
  ['contents.source', contents({ source: 's3://b/k?versionId=' })],
  ['contents.source', contents({ source: 'arn:aws:s3:::b/k' })],
  ['contents.source', { ...contents({ source: 'gs://b/k' }), ignition: { version: '3.1.0' } }],
  ['ignition.proxy.httpProxy', proxy({ httpProxy: 'http://a/%zz' })],
  [
    'dropins[1]: name a.conf occurs',
    { ignition: V, systemd: { units: [{ name: 'a.service', dropins: [{ name: 'a.conf' }, { name: 'a.conf' }] }] } },
  ],
  ['kernelArguments.shouldExist[1]', kernelArguments({ shouldExist: ['b', 'a'], shouldNotExist: ['a'] })],
  ['partitions[0].sizeMiB', partition({ number: 1, sizeMiB: 1e20 })],
  ['storage.files[0].path', { ignition: V, Storage: { FILES: [{ Path: 'a' }] } }],
];

const ACCEPTED: readonly object[] = [
  ...[
    '',
    'x',
    '\n  [Unit] \r\nA=b\r\n',
    '[Unit]\n# [x\n; y\nA=[z\n=c\n',
    '[Unit]\nA=a \\\n [b \\\nc\nD=d',
    `[Unit]\nA=${'b'.repeat(2_000)}`,
  ].map(unit),
  dropin('[Service]\nA=b'),
  storage({ files: [{ path: '/' }] }),
  storage({ filesystems: [{ device: '/dev/sda1', format: 'xfs', path: '/x' }] }),
  storage({ directories: [{ path: '/a', overwrite: true, user: { id: 1, name: '' } }] }),
  file({ overwrite: true, contents: { source: '' } }),
  headers({ name: 'A' }, { name: 'B', value: 'x' }),
  proxy({ httpProxy: 'HTTP://a', httpsProxy: 'https://a:1/' }),
  luks({ clevis: { tang: [{ url: 'http://t', thumbprint: 'x' }] } }),
  raid({ level: 'mirror' }),
  storage({ ...links({}), files: [{ path: '/ab' }, { path: '/b/a' }] }),
  storage({ ...links({ path: '/' }), files: [{ path: '/ab' }] }),
  storage({ ...links({ hard: true, target: 'b' }), directories: [{ path: '/b' }] }),
  storage({ ...links({ hard: false }), directories: [{ path: '/b' }] }),
  partition({ number: 0, label: 'a' }, { number: 0, label: 'b' }),
  partition({ label: 'é'.repeat(18) }),
  numbered({ startMiB: 1, sizeMiB: 9 }, { startMiB: 10, sizeMiB: 1 }),
  numbered({ startMiB: 0, sizeMiB: 9 }, { startMiB: 0, sizeMiB: 9 }, { startMiB: 0 }, { sizeMiB: 9 }),
  numbered({ shouldExist: false, guid: '', wipePartitionEntry: true }, { label: 'a' }),
  ...Object.entries({ ext4: 16, btrfs: 256, xfs: 12, swap: 15, vfat: 11 }).map(([format, length]) =>
    filesystem({ format, label: 'a'.repeat(length) }),
  ),
  raid({ level: 'raid0', spares: 0 }),
  raid({ spares: 1, options: ['a', 'a'] }),
  luks({ label: 'a'.repeat(47), keyFile: { source: '' } }),
  clevis({ custom: {}, tpm2: true }),
  clevis({ custom: { pin: 'sss', config: '{}', needsNetwork: true }, threshold: 0, tpm2: false, tang: [] }),
  clevis({ custom: { needsNetwork: true } }, '3.2.0'),
  contents({ source: '', verification: HASH, httpHeaders: [] }),
  contents({ source: 'HTTPS://a', verification: HASH, httpHeaders: HEADERS }),
  ...[
    'http://a/b c?d e#f g',
    'http://u:p@a:1/',
    'http://[::1]:80/',
    'http://é/%c3',
    's3://b/k?versionId=x',
    'gs://b/k',
  ].map((source) => contents({ source })),
  kernelArguments({ shouldExist: ['a', 'b'], shouldNotExist: ['c'] }),
  partition({ label: 'x', guid: '', typeGuid: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' }, { number: 2 }),
];

describe('an override with a fault that the boot of a host would find', () => {
  it.each(REFUSED)(`in %s is refused as by Ignition: %j${missing}`, (place, config) => {
    const text = JSON.stringify(config);
    expect(ignitionOverrideProblem(text)?.reason).toContain(place);
    if (isInstalled) expect(isValid(text)).toBe(false);
  });

  it.each([
    ['storage.files[0].path: systemd.units', { ...unit('[Unit]\n'), ...unitFiles('files', 'a.service') }],
    ['storage.links[0].path: systemd.units', { ...dropin('[Unit]\n'), ...unitFiles('links', 'a.service.d/a.conf') }],
    ['contents.source must be', newer('arn:aws:s3:::b')],
    ['contents.source must be', newer('arn:aws:ec2:::b/k')],
    ['contents.source: the versionId', newer('arn:aws:s3:::b/k?versionId=')],
  ])('in %s is refused as by newer versions of Ignition: %j', (place, config) => {
    expect(ignitionOverrideProblem(JSON.stringify(config))?.reason).toContain(place);
  });

  it.each([
    { ...unit(''), ...unitFiles('files', 'a.service') },
    newer('arn:aws:s3:::b/k?versionId=x'),
    newer('ARN:aws:s3:eu:1:accesspoint/a/object'),
  ])('is not a config like %j, which newer versions of Ignition accept', (config) => {
    expect(ignitionOverrideProblem(JSON.stringify(config))).toBeUndefined();
  });

  it.each([
    { files: [{ path: '/a' }, { path: '/a/b' }] },
    { files: [{ path: '/a' }], directories: [{ path: '/a/b/c' }] },
    { files: [{ path: '/a' }], links: [{ path: '/a/b', target: '/c' }] },
  ])('is refused with entries below a file, which only the boot finds: %j', (members) => {
    const text = JSON.stringify(storage(members));
    expect(ignitionOverrideProblem(text)?.reason).toContain('the path is below the file /a');
  });

  it('is described without the credentials of a proxy', () => {
    const text = JSON.stringify(proxy({ httpProxy: 'http://user:canary#@proxy' }));
    expect(ignitionOverrideProblem(text)?.reason).toMatch(/^(?!.*canary).*ignition\.proxy\.httpProxy/);
  });

  it.each(ACCEPTED)(`is not a config like %j${missing}`, (config) => {
    const text = JSON.stringify(config);
    expect(ignitionOverrideProblem(text)).toBeUndefined();
    if (isInstalled) expect(isValid(text)).toBe(true);
  });
});
