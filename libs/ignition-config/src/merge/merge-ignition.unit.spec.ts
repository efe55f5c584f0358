import type { IgnitionConfig } from '../config/ignition-config';
import { mergeIgnition, mergeOverride } from './merge-ignition';

const base: IgnitionConfig = {
  ignition: { version: '3.1.0' },
  passwd: { users: [{ name: 'core', groups: ['sudo'], passwordHash: '!', sshAuthorizedKeys: ['ssh-rsa A'] }] },
  storage: { files: [{ path: '/etc/motd', mode: 420, contents: { source: 'data:,hello' } }, { path: '/etc/kept' }] },
  systemd: { units: [{ name: 'agent.service', enabled: true, contents: '[Unit]' }] },
};
const merge = (child: object): IgnitionConfig =>
  mergeIgnition(base, { ignition: { version: '3.1.0' }, ...child } as IgnitionConfig);

describe('an override of a rendered config', () => {
  const version = { version: '3.1.0' };
  const merged = (override: object, config = base) =>
    mergeOverride(config, { ignition: version, ...override }, 'the override');

  it.each([
    ['a link above a file', { storage: { links: [{ path: '/etc', target: '/x' }] } }, /\/etc\/\w+: the path is below/],
    [
      'a file of a unit',
      { storage: { files: [{ path: '/etc/systemd/system/agent.service' }] } },
      /\/etc\/systemd\/system\/agent\.service: systemd\.units contains this file too/,
    ],
  ])('is refused for %s', (_case, override, reason) => {
    expect(merged(override)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'invalid-input', subject: 'the override', reason: expect.stringMatching(reason) as string },
    });
  });

  it('is merged when the config itself has such entries', () => {
    const own = { ...base, storage: { files: [{ path: '/etc/systemd/system/agent.service' }] } };
    expect(merged({ storage: { files: [{ path: '/etc/new' }] } }, own)).toMatchObject({
      config: { storage: { files: [{}, { path: '/etc/new' }] } },
    });
  });
});

describe('an override with a version of the specification', () => {
  it.each([
    ['3.4.0', '4.12.9', 'OpenShift 4.12.9 reads version 3.3.0 and earlier ones of the specification, not 3.4.0.'],
    ['3.4.0', '4.11', 'OpenShift 4.11 reads version 3.3.0'],
    ['3.3.0', '4.8.2', 'OpenShift 4.8.2 reads version 3.2.0'],
    ['3.4.0', '4.13.0-rc.1', undefined],
    ['3.3.0', '4.9', undefined],
    ['3.2.0', '4.8.2', undefined],
    ['3.4.0', '', undefined],
    ['3.4.0', '4.12.0-0.okd-2023-04-16-041331', undefined],
  ])('%s is read by the system of OpenShift %s, except: %s', (version, openshiftVersion, reason) => {
    const merged = mergeOverride(base, { ignition: { version } }, 'the override', openshiftVersion);
    expect(merged).toMatchObject(
      reason === undefined
        ? { kind: 'parsed', config: { ignition: { version } } }
        : { kind: 'refused', refusal: { subject: 'the override', reason: expect.stringContaining(reason) as string } },
    );
  });
});

describe('merge of Ignition configs', () => {
  it('replaces the members of a file that the child sets, and keeps the others', () => {
    const { storage } = merge({ storage: { files: [{ path: '/etc/motd', contents: { source: 'data:,bye' } }] } });
    expect(storage?.files).toEqual([
      { path: '/etc/motd', mode: 420, contents: { source: 'data:,bye' } },
      { path: '/etc/kept' },
    ]);
  });

  it('appends files with other paths', () => {
    const { storage } = merge({ storage: { files: [{ path: '/etc/new' }] } });
    expect(storage?.files?.map(({ path }) => path)).toEqual(['/etc/motd', '/etc/kept', '/etc/new']);
  });

  it('contains an entry once that the child repeats', () => {
    const merged = merge({
      ignition: { version: '3.1.0', proxy: { httpProxy: 'http://p', noProxy: ['.a', '.b', '.a'] } },
      passwd: {
        users: [
          { name: 'core', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa B', 'ssh-rsa B'] },
          { name: 'other', groups: ['a', 'a'], sshAuthorizedKeys: ['ssh-rsa C', 'ssh-rsa C'] },
        ],
      },
    });
    expect(merged.ignition.proxy?.noProxy).toEqual(['.a', '.b']);
    expect(merged.passwd?.users).toEqual([
      { name: 'core', groups: ['sudo'], passwordHash: '!', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa B'] },
      { name: 'other', groups: ['a'], sshAuthorizedKeys: ['ssh-rsa C'] },
    ]);
  });

  it('removes a header that the child names without a value', () => {
    const source = 'http://a';
    const config = (...httpHeaders: object[]) => ({
      ignition: { version: '3.1.0', config: { merge: [{ source, httpHeaders }] } },
    });
    const parent = config({ name: 'A', value: '1' }, { name: 'B', value: '2' }) as IgnitionConfig;
    const { ignition } = mergeIgnition(parent, config({ name: 'A' }, { name: 'B', value: '3' }) as IgnitionConfig);
    expect(ignition.config?.merge).toEqual([{ source, httpHeaders: [{ name: 'B', value: '3' }] }]);
  });

  it('contains an option to open a LUKS volume once', () => {
    const luks = [{ name: 'a', openOptions: ['--x', '--y', '--x'] }];
    expect(merge({ storage: { luks } })).toMatchObject({ storage: { luks: [{ openOptions: ['--x', '--y'] }] } });
  });

  it('replaces a file by a link', () => {
    const { storage } = merge({ storage: { links: [{ path: '/etc/motd', target: '/dev/null' }] } });
    expect(storage).toEqual({ files: [{ path: '/etc/kept' }], links: [{ path: '/etc/motd', target: '/dev/null' }] });
  });

  it('disables a unit without losing its text, and merges drop-ins by name', () => {
    const { systemd } = merge({
      systemd: { units: [{ name: 'agent.service', enabled: false, dropins: [{ name: 'a.conf', contents: '1' }] }] },
    });
    expect(systemd?.units).toEqual([
      { name: 'agent.service', enabled: false, contents: '[Unit]', dropins: [{ name: 'a.conf', contents: '1' }] },
    ]);
  });

  it('adds SSH keys to a user, each once', () => {
    const { passwd } = merge({ passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa B', 'ssh-rsa A'] }] } });
    expect(passwd?.users).toEqual([
      { name: 'core', groups: ['sudo'], passwordHash: '!', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa B'] },
    ]);
  });

  it('adds sections that the rendered config does not have', () => {
    expect(merge({ kernelArguments: { shouldExist: ['x'] } })).toMatchObject({
      kernelArguments: { shouldExist: ['x'] },
    });
  });

  it.each([
    ['3.4.0', '3.4.0'],
    ['3.0.0', '3.1.0'],
  ])('with an override of %s has version %s', (version, expected) => {
    expect(mergeIgnition(base, { ignition: { version } }).ignition.version).toBe(expected);
  });

  it('does not change its arguments', () => {
    const before = JSON.stringify(base);
    merge({ storage: { files: [{ path: '/etc/motd', mode: 1 }] }, passwd: { users: [{ name: 'x' }] } });
    expect(JSON.stringify(base)).toBe(before);
  });

  it('of a config with itself is the same config', () => {
    expect(mergeIgnition(base, base)).toEqual(base);
  });

  describe('merges members of later versions', () => {
    const of = (parent: object, child: object): object =>
      mergeIgnition(
        { ignition: { version: '3.4.0' }, ...parent } as IgnitionConfig,
        { ignition: { version: '3.4.0' }, ...child } as IgnitionConfig,
      );
    const disk = (...partitions: object[]) => ({ storage: { disks: [{ device: '/dev/sda', partitions }] } });
    const luks = (...tang: object[]) => ({ storage: { luks: [{ name: 'root', options: ['-a'], clevis: { tang } }] } });

    it('identifies partitions by number, and those without number by label', () => {
      const merged = of(
        disk({ number: 1, label: 'a', sizeMiB: 1 }, { label: 'b', sizeMiB: 2 }, { sizeMiB: 9 }),
        disk(
          { number: 1, sizeMiB: 5 },
          { label: 'b', wipePartitionEntry: true },
          { number: 2, label: 'a' },
          { sizeMiB: 8 },
        ),
      );
      expect(merged).toMatchObject(
        disk(
          { number: 1, label: 'a', sizeMiB: 5 },
          { label: 'b', sizeMiB: 2, wipePartitionEntry: true },
          { sizeMiB: 9 },
          { number: 2, label: 'a' },
          { sizeMiB: 8 },
        ),
      );
    });

    it('identifies tang servers by address, and appends options', () => {
      const merged = of(
        luks({ url: 'http://a', thumbprint: '1' }),
        luks({ url: 'http://a', thumbprint: '2' }, { url: 'http://b' }),
      );
      expect(merged).toMatchObject({
        storage: {
          luks: [
            { options: ['-a', '-a'], clevis: { tang: [{ url: 'http://a', thumbprint: '2' }, { url: 'http://b' }] } },
          ],
        },
      });
    });

    it('lists devices of an array once, and directories separately from files', () => {
      const raid = (...devices: string[]) => ({ storage: { raid: [{ name: 'md', devices }] } });
      expect(of(raid('/a', '/b'), raid('/b', '/c'))).toMatchObject(raid('/a', '/b', '/c'));
      const files = { storage: { files: [{ path: '/x' }] } };
      expect(of(files, { storage: { directories: [{ path: '/x' }] } })).toMatchObject({
        storage: { files: [], directories: [{ path: '/x' }] },
      });
    });

    it('removes a kernel argument from the list that the child contradicts', () => {
      const parent = { kernelArguments: { shouldExist: ['a', 'b'], shouldNotExist: ['c'] } };
      const child = { kernelArguments: { shouldExist: ['c', 'b'], shouldNotExist: ['a'] } };
      expect(of(parent, child)).toMatchObject({ kernelArguments: { shouldExist: ['b', 'c'], shouldNotExist: ['a'] } });
    });
  });
});
