import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';

const DEV = 'only-dev';
/** A user id without an account. Set-up runs as root in containers, and root may write everywhere. */
const OTHER_UID = 65_534;

describe('tools/setup.mjs', () => {
  jest.setTimeout(120_000);
  const folder = temporaryDirectory();
  const setup = join(folder.path, 'tools', 'setup.mjs');

  beforeAll(() => {
    cpSync(join(__dirname, 'setup.mjs'), setup);
    cpSync(join(__dirname, 'vm'), join(folder.path, 'tools', 'vm'), { recursive: true });
    const devDependencies = { [DEV]: `file:${DEV}` };
    const packages = {
      '': { name: 'tree', devDependencies },
      [`node_modules/${DEV}`]: { resolved: DEV, link: true },
      [DEV]: { version: '1.0.0', dev: true },
    };
    mkdirSync(join(folder.path, DEV));
    const files = {
      'package.json': { name: 'tree', devDependencies },
      'package-lock.json': { name: 'tree', lockfileVersion: 3, requires: true, packages },
      [`${DEV}/package.json`]: { name: DEV, version: '1.0.0' },
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder.path, name), JSON.stringify(content));
  });
  afterAll(() => folder.remove());

  /** With settings that make the programs of the distribution unnecessary. */
  const run = (environment: { readonly [name: string]: string }, options: readonly string[] = [], user = {}) =>
    spawnSync(process.execPath, [...options, setup], {
      ...user,
      encoding: 'utf8',
      env: { ...process.env, NATS_URL: 'nats://127.0.0.1:4222', OS_IMAGES: '[]', ...environment },
    });

  it('installs the packages of the build also with NODE_ENV=production', () => {
    const { status, stderr } = run({ NODE_ENV: 'production' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(existsSync(join(folder.path, 'node_modules', DEV))).toBe(true);
  });

  it.each(['18.20.8', '20.18.3', '21.7.3', '22.11.0'])('refuses Node %s, which cannot load the packages', (version) => {
    const versions = join(folder.path, 'versions.cjs');
    const of = `{ value: { ...process.versions, node: '${version}' } }`;
    writeFileSync(versions, `Object.defineProperty(process, 'versions', ${of});`);
    const { status, stderr } = run({}, ['--require', versions]);
    expect(stderr).toBe(
      `setup: Node ${version} cannot run Muster. Supported: 20.19 and later releases of 20, 22.12 and later. Install one of them, and run this again.\n`,
    );
    expect(status).toBe(1);
  });

  it('refuses a tree in which the user may not write', () => {
    const user = process.getuid?.() === 0 ? { uid: OTHER_UID, gid: OTHER_UID } : {};
    chmodSync(folder.path, 0o555);
    const { status, stderr } = run({}, [], user);
    chmodSync(folder.path, 0o755);
    expect(stderr).toBe(
      `setup: ${folder.path} is not writable for this user, and the set-up and the build write to it. Change the owner of the tree and of everything in it, or run this as its owner.\n`,
    );
    expect(status).toBe(1);
  });
});
