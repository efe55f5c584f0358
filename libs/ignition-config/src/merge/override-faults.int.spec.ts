import { spawnSync } from 'node:child_process';
import { ignitionOverrideProblem } from './ignition-override';

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

const unit = (contents: string) => ({ ignition: V, systemd: { units: [{ name: 'a.service', contents }] } });
const dropin = (contents: string) => ({
  ignition: V,
  systemd: { units: [{ name: 'a.service', dropins: [{ name: 'a.conf', contents }] }] },
});

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
  partition({ label: 'x', guid: '', typeGuid: '0FC63DAF-8483-4772-8E79-3D69D8477DE4' }, { number: 2 }),
];

describe('an override with a fault that the boot of a host would find', () => {
  it.each(REFUSED)(`in %s is refused as by Ignition: %j${missing}`, (place, config) => {
    const text = JSON.stringify(config);
    expect(ignitionOverrideProblem(text)?.reason).toContain(place);
    if (isInstalled) expect(isValid(text)).toBe(false);
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
