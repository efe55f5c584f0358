import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretsContract, temporaryDirectory } from '@muster/testing';
import { KeptKeys } from './kept-keys';
import { filesystemSealedStorage, filesystemSecrets, sealedSecrets } from './secrets';

const locations = () => {
  const directory = temporaryDirectory();
  const options = {
    directory: join(directory.path, 'secrets'),
    masterKeyFile: join(directory.path, 'keys', 'master.key'),
  };
  return { directory, options };
};

secretsContract('filesystemSecrets', async () => {
  const { directory, options } = locations();
  return {
    secrets: await filesystemSecrets(options),
    reopen: () => filesystemSecrets(options),
    close: async () => directory.remove(),
  };
});

describe('filesystemSecrets', () => {
  const { directory, options } = locations();
  afterAll(() => directory.remove());

  const filesBelow = (path: string): string[] =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it('stores no value, scope or name in plain text, in files readable by the owner only', async () => {
    const secrets = await filesystemSecrets(options);
    await secrets.seal('canary-scope', 'canary-name', Buffer.from('canary-value'));
    const files = filesBelow(directory.path);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      expect(`${file}${readFileSync(file, 'latin1')}`).not.toMatch(/canary/);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it('keeps an older value on a file system without links', async () => {
    const { directory: other, options: there } = locations();
    const refused = Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
    const link = jest.spyOn(fs, 'link').mockRejectedValue(refused);
    const secrets = await filesystemSecrets(there);
    await secrets.seal('scope', 'first', Buffer.from('1'));
    for (const text of ['older', 'newer']) await secrets.seal('scope', 'key', Buffer.from(text), { keepsOlder: true });
    expect((await secrets.open('scope', 'key'))?.toString()).toBe('older');
    expect(link).toHaveBeenCalledTimes(3);
    link.mockRestore();
    other.remove();
  });

  it('fails when the directory of the master key cannot be created', async () => {
    const masterKeyFile = '/proc/muster/keys/master.key';
    await expect(filesystemSecrets({ ...options, masterKeyFile })).rejects.toThrow(
      /^The master key \/proc\/muster\/keys\/master\.key cannot be created: ENOENT.* set MUSTER_MASTER_KEY_FILE\.$/,
    );
  });

  it('does not open values that were changed or moved to another name or scope', async () => {
    const secrets = await filesystemSecrets(options);
    const sealedFiles = async (scope: string, name: string): Promise<string> => {
      const before = new Set(filesBelow(options.directory));
      await secrets.seal(scope, name, Buffer.from(`${scope} ${name}`));
      return filesBelow(options.directory).filter((file) => !before.has(file) && !file.endsWith('/key'))[0] ?? '';
    };
    const [one, two, elsewhere] = [
      await sealedFiles('s1', 'one'),
      await sealedFiles('s1', 'two'),
      await sealedFiles('s2', 'one'),
    ];
    const sealed = readFileSync(one);
    for (const at of [0, 1, 13, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(one, changed);
      await expect(secrets.open('s1', 'one')).rejects.toThrow(/a secret cannot be opened/);
    }
    writeFileSync(one, sealed.subarray(0, 10));
    await expect(secrets.open('s1', 'one')).rejects.toThrow(/a secret cannot be opened/);
    writeFileSync(one, sealed);
    expect((await secrets.open('s1', 'one'))?.toString()).toBe('s1 one');
    writeFileSync(two, sealed);
    await expect(secrets.open('s1', 'two')).rejects.toThrow(/a secret cannot be opened/);
    writeFileSync(elsewhere, sealed);
    await expect(secrets.open('s2', 'one')).rejects.toThrow(/a secret cannot be opened/);
  });

  it('leaves no file of a destroyed scope', async () => {
    const { directory: own, options: ownOptions } = locations();
    const secrets = await filesystemSecrets(ownOptions);
    await secrets.seal('scope', 'one', Buffer.from('x'));
    await secrets.seal('scope', 'two', Buffer.from('x'));
    await secrets.shred('scope');
    expect(filesBelow(ownOptions.directory)).toEqual([]);
    own.remove();
  });

  it('opens nothing with another master key', async () => {
    const secrets = await filesystemSecrets(options);
    await secrets.seal('scope', 'name', Buffer.from('x'));
    const otherKey = await filesystemSecrets({ ...options, masterKeyFile: join(directory.path, 'other.key') });
    await expect(otherKey.open('scope', 'name')).rejects.toThrow(/another master key/);
  });

  it('refuses a master key of another length or that others may read', async () => {
    const masterKeyFile = join(directory.path, 'bad.key');
    writeFileSync(masterKeyFile, randomBytes(31), { mode: 0o600 });
    await expect(filesystemSecrets({ ...options, masterKeyFile })).rejects.toThrow(/has 31 bytes instead of 32/);
    writeFileSync(masterKeyFile, randomBytes(32));
    chmodSync(masterKeyFile, 0o640);
    await expect(filesystemSecrets({ ...options, masterKeyFile })).rejects.toThrow(/chmod 600/);
  });

  it('names a master key that cannot be read, such as a directory that a container runtime made in its place', async () => {
    const masterKeyFile = join(directory.path, 'mounted.key');
    mkdirSync(masterKeyFile);
    await expect(filesystemSecrets({ ...options, masterKeyFile })).rejects.toThrow(
      /^The master key .*mounted\.key cannot be read: EISDIR.* Check its path and permissions, or set MUSTER_MASTER_KEY_FILE\.$/,
    );
  });

  it('creates one master key when several processes start concurrently', async () => {
    const { directory: own, options: ownOptions } = locations();
    const vaults = await Promise.all(Array.from({ length: 5 }, () => filesystemSecrets(ownOptions)));
    await vaults[0]?.seal('scope', 'name', Buffer.from('shared'));
    for (const vault of vaults) expect((await vault.open('scope', 'name'))?.toString()).toBe('shared');
    own.remove();
  });

  it('keeps all values when several services seal the first value of a scope concurrently', async () => {
    const { directory: own, options: ownOptions } = locations();
    const services = await Promise.all(Array.from({ length: 8 }, () => filesystemSecrets(ownOptions)));
    for (const scope of ['one', 'two', 'three', 'four', 'five']) {
      await Promise.all(services.map((service, at) => service.seal(scope, `of ${at}`, Buffer.from(`value ${at}`))));
      const opened = await Promise.all(services.map((_, at) => services[0]?.open(scope, `of ${at}`)));
      expect(opened.map(String)).toEqual(services.map((_, at) => `value ${at}`));
    }
    own.remove();
  });

  it('leaves no other file in a scope when a value cannot be replaced', async () => {
    const { directory: own, options: ownOptions } = locations();
    const storage = await filesystemSealedStorage(ownOptions.directory);
    const [key, scope] = [Buffer.from('key'), join(ownOptions.directory, 'scopes', 'scope')];
    await storage.create('scope', new Map([['key', key]]));
    // A directory is not replaced by a file.
    mkdirSync(join(scope, 'value'));
    const replaced = storage.replace('scope', 'value', Buffer.from('new'), { name: 'key', bytes: key });
    await expect(replaced).rejects.toThrow(/EISDIR/);
    expect(filesBelow(ownOptions.directory)).toEqual([join(scope, 'key')]);
    own.remove();
  });

  it('seals values while another process destroys their scope', async () => {
    const { directory: own, options: ownOptions } = locations();
    const [secrets, other] = [await filesystemSecrets(ownOptions), await filesystemSecrets(ownOptions)];
    for (let n = 0; n < 100; n += 1) {
      await secrets.seal('scope', 'first', Buffer.from('1'));
      await Promise.all([secrets.seal('scope', 'second', Buffer.from('2')), other.shred('scope')]);
    }
    own.remove();
  });

  it('reads no key of a new scope, and the key of another scope once', async () => {
    const { directory: own, options: ownOptions } = locations();
    const reads: string[] = [];
    const open = () =>
      sealedSecrets({
        masterKeyFile: ownOptions.masterKeyFile,
        openStorage: async () => {
          const storage = await filesystemSealedStorage(ownOptions.directory);
          const read: typeof storage.read = (scope, name) => {
            reads.push(name);
            return storage.read(scope, name);
          };
          return { ...storage, read };
        },
      });
    const secrets = await open();
    await secrets.seal('scope', 'one', Buffer.from('1'), { isNewScope: true });
    await secrets.seal('scope', 'two', Buffer.from('2'));
    expect(reads).toEqual([]);
    const another = await open();
    for (const name of ['one', 'two', 'one']) await another.open('scope', name);
    await another.seal('scope', 'three', Buffer.from('3'));
    expect(reads.filter((name) => name === 'key')).toHaveLength(1);
    expect(reads).toHaveLength(4);
    own.remove();
  });

  it('keeps the keys of the scopes that were used last', () => {
    const keys = new KeptKeys();
    const key = { key: Buffer.alloc(1), wrapped: Buffer.alloc(1) };
    for (let n = 0; n < 1_500; n += 1) keys.keep(`s${n}`, key);
    expect(['s499', 's500', 's1499'].map((scope) => keys.get(scope) !== undefined)).toEqual([false, true, true]);
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
    expect(keys.get('s1499')).toBeUndefined();
    later.mockRestore();
  });
});
