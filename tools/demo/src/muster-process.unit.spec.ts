import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorSettings, SETTINGS, SettingsReader, timeoutSettings } from '@muster/nest-kit';
import { keysOf } from '@muster/schema';
import { temporaryDirectory } from '@muster/testing';
import { lockDemoDirectory, MusterProcess, nodeOptionsOf, ServiceProcess } from './muster-process';

describe('the options of Node', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  const programOf = (name: string, start: string): string => {
    const tree = join(directory.path, name);
    mkdirSync(join(tree, 'services', 'muster', 'dist'), { recursive: true });
    writeFileSync(join(tree, 'nx.json'), '{}');
    writeFileSync(join(tree, 'package.json'), JSON.stringify({ scripts: { start } }));
    return join(tree, 'services', 'muster', 'dist', 'main.js');
  };

  it.each([
    ['npm run build && exec node --a=1 --b services/muster/dist/main.js', ['--a=1', '--b']],
    ['npm run build && exec node services/muster/dist/main.js', []],
  ])('are those of the tree of the program: %s', (start, options) => {
    expect(nodeOptionsOf(programOf(`tree-${options.length}`, start))).toEqual(options);
  });

  it('are an error without a tree', () => {
    expect(() => nodeOptionsOf(join(directory.path, 'main.js'))).toThrow('no folder above it has a nx.json');
  });
});

describe('the directory of a demo', () => {
  const folder = temporaryDirectory();
  afterAll(() => folder.remove());

  it('is refused while another demo uses it', () => {
    const directory = join(folder.path, 'demo');
    const first = lockDemoDirectory(directory);
    expect(() => lockDemoDirectory(directory)).toThrow(
      `Another demo runs in the directory ${directory}. Wait until it has ended, or set MUSTER_DEMO_DIRECTORY to another directory.`,
    );
    first.release();
    lockDemoDirectory(directory).release();
  });

  it('is refused when it has data that no demo wrote, because a demo deletes the data', () => {
    const directory = join(folder.path, 'other');
    mkdirSync(join(directory, 'data'), { recursive: true });
    writeFileSync(join(directory, 'data', 'file'), '');
    expect(() => lockDemoDirectory(directory)).toThrow(
      `No demo wrote ${join(directory, 'data')}, and a demo would delete it. Move it away, or set MUSTER_DEMO_DIRECTORY to another directory.`,
    );
    expect(readdirSync(directory)).toEqual(['data']);
    const ofDemo = join(folder.path, 'again');
    lockDemoDirectory(ofDemo).release();
    mkdirSync(join(ofDemo, 'data'));
    lockDemoDirectory(ofDemo).release();
  });

  it.each(['file', 'proc'])('is refused when it cannot be created: %s', (name) => {
    const file = name === 'proc' ? '/proc' : join(folder.path, name);
    if (name === 'file') writeFileSync(file, '');
    expect(() => lockDemoDirectory(join(file, 'demo'))).toThrow(
      /^The directory of the demo .*\/demo is not writable: E.* or set MUSTER_DEMO_DIRECTORY to another directory\.$/,
    );
  });
});

describe('the settings of a process of Muster', () => {
  const given = process.env;
  afterEach(() => (process.env = given));

  const prepare = async (environment?: Record<string, string>): Promise<NodeJS.ProcessEnv> =>
    (await MusterProcess.prepare({ dataDirectory: '/data', environment })).environment;

  it('are not those that the shell has for real machines', async () => {
    const derived = [...timeoutSettings(String), ...operatorSettings()].map(({ name }) => name);
    const shell = [...keysOf(SETTINGS), 'PORT', 'RHCOS_VERSIONS', ...derived].map((name) => [name, 'of the shell']);
    process.env = { ...given, ...Object.fromEntries(shell) };
    const environment = await prepare();
    const settings = new SettingsReader(environment);
    const own = ['MUSTER_DATA_DIRECTORY', 'OS_IMAGES_FETCH', 'SERVICE_BASE_URL', 'IMAGE_SERVICE_BASE_URL'];
    const listening = ['REST_HOST', 'REST_PORT', 'IMAGE_HOST', 'IMAGE_PORT'];
    expect(
      keysOf(SETTINGS)
        .filter((name) => settings.isSet(name))
        .sort(),
    ).toEqual([...own, ...listening].sort());
    expect(derived.filter((name) => settings.raw(name))).toEqual([]);
    expect(Object.values(environment)).not.toContain('of the shell');
    expect(settings.get('MUSTER_SIMULATED_IMAGE')).toBe(true);
  });

  it('are not the proxies of the shell', async () => {
    const proxies = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'].flatMap((name) => [
      name,
      name.toUpperCase(),
    ]);
    process.env = { ...given, ...Object.fromEntries(proxies.map((name) => [name, 'of the shell'])) };
    expect(Object.values(await prepare())).not.toContain('of the shell');
  });

  it('are only those of its constructor when it runs one service', () => {
    process.env = { ...given, EVENTSTORE_URL: 'of the shell', http_proxy: 'of the shell', OF_THE_SYSTEM: 'kept' };
    const { environment } = new ServiceProcess('gateway', { NATS_URL: 'nats://127.0.0.1:1' });
    expect(environment).toMatchObject({ NATS_URL: 'nats://127.0.0.1:1', OF_THE_SYSTEM: 'kept', PATH: given.PATH });
    expect(Object.values(environment)).not.toContain('of the shell');
  });

  it('are those of its options', async () => {
    process.env = { ...given, NATS_URL: 'nats://of-the-shell' };
    expect(await prepare({ NATS_URL: 'nats://127.0.0.1:1' })).toMatchObject({ NATS_URL: 'nats://127.0.0.1:1' });
  });

  it('leave the other variables as they are', async () => {
    process.env = { ...given, OF_THE_SYSTEM: 'kept' };
    expect(await prepare()).toMatchObject({ OF_THE_SYSTEM: 'kept', PATH: given.PATH });
  });
});
