import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runProgram, temporaryDirectory, threadFromSource } from '@muster/testing';

const hasNamespaces = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/opt']).status === 0;

const run = async (args: readonly string[], environment: { readonly [name: string]: string } = {}) => {
  const program = runProgram(join(__dirname, 'main.ts'), args, environment);
  const { code, errors } = await program.ended();
  return { code, errors, lines: program.lines };
};

describe('the command line', () => {
  it('shows its commands on request', async () => {
    const { code, lines } = await run(['--help']);
    expect(code).toBe(0);
    expect(lines.join('\n')).toMatch(/^Usage: [^]*registration[^]*doctor[^]*store <command>/);
  }, 60_000);

  it('refuses an unknown command with the commands that exist', async () => {
    const { code, errors } = await run(['nothing']);
    expect(code).toBe(2);
    expect(errors).toMatch(/^muster: Command 'nothing' is unknown\.\nUsage: /);
  }, 60_000);

  it.each([
    ['gateway', 'events'],
    ['doctor', '--verbose'],
  ])(
    'refuses what follows %s',
    async (...args) => {
      const { code, errors } = await run(args);
      expect(code).toBe(2);
      expect(errors).toMatch(
        new RegExp(`^muster: Command '${args[0]}' takes no arguments, but '${args[1]}' follows it\\.`),
      );
    },
    60_000,
  );

  it('writes each line of a failed start as JSON with LOG_FORMAT=json', async () => {
    const { code, errors } = await run([], { LOG_FORMAT: 'json', IMAGE_PORT: 'wrong', REST_PORT: 'wrong' });
    expect(code).toBe(2);
    const entries = errors.trim().split('\n');
    expect(entries.map((entry): unknown => JSON.parse(entry))).toMatchObject([
      { level: 'error', message: expect.stringContaining('REST_PORT="wrong" is not valid.') },
      { level: 'error', message: expect.stringContaining('IMAGE_PORT="wrong" is not valid.') },
      { level: 'error', message: '2 settings are not usable: correct all of them and start again.' },
    ]);
  }, 60_000);

  it('reports wrong values before anything that follows from their defaults', async () => {
    const { code, errors, lines } = await run([], { SERVICE_BASE_URL: 'wrong', REST_PORT: 'wrong' });
    expect(code).toBe(2);
    expect(errors).toMatch(/^muster: Setting \w+="wrong" is not valid\./);
    expect(lines).toEqual([]);
  }, 60_000);

  it('reports a variable that is not a setting', async () => {
    const { lines } = await run(['doctor'], { MUSTER_DATA_DIRECTROY: '/var/lib/muster' });
    expect(lines[0]).toBe(
      'warning: settings: The environment sets MUSTER_DATA_DIRECTROY, which is not a setting. See docs/reference/settings.md.',
    );
  }, 60_000);

  it.each([
    ['ignition', true],
    ['registration', false],
  ])(
    'reports the missing address of the API when %s runs alone: %s',
    async (service, isReported) => {
      const directory = temporaryDirectory();
      // The start ends, because there is no server of the bus.
      const environment = { NATS_URL: 'nats://127.0.0.1:1', MUSTER_DATA_DIRECTORY: directory.path };
      const { code, errors, lines } = await run([service], { ...environment, MUSTER_START_WAIT: '1s' });
      directory.remove();
      expect(code).toBe(5);
      const all = [...lines, errors].join('\n');
      expect(all.includes('SERVICE_BASE_URL is not set: hosts receive the address 127.0.0.1')).toBe(isReported);
    },
    60_000,
  );

  it.each([
    ['registration', 'DISABLED_STEPS', 'tang'],
    ['validation', 'DISABLED_HOST_VALIDATIONS', 'has-min-cpu'],
  ])(
    'reports an unknown id when %s runs alone with %s',
    async (service, name, id) => {
      const directory = temporaryDirectory();
      // The start ends, because there is no server of the bus.
      const environment = { NATS_URL: 'nats://127.0.0.1:1', MUSTER_DATA_DIRECTORY: directory.path, [name]: id };
      const { errors, lines } = await run([service], { ...environment, MUSTER_START_WAIT: '1s' });
      directory.remove();
      expect([...lines, errors].join('\n')).toContain(`${name} contains ${id}, which does not exist`);
    },
    60_000,
  );

  it.each([['doctor'], ['image']])(
    'uses the executables of the repository for %s when they were built',
    async (command) => {
      const isBuilt = existsSync(join(__dirname, '../../../dist/muster-host/index.json'));
      // The wrong setting ends the program before it opens anything.
      const { code, errors } = await run([command], { MUSTER_HOST_BINARY: 'in-image', IMAGE_PORT: 'wrong' });
      expect(code).toBe(2);
      expect(errors).toContain('IMAGE_PORT="wrong"');
      expect(errors.includes('MUSTER_HOST_BINARIES is missing')).toBe(!isBuilt);
    },
    60_000,
  );
});

describe('a check that is interrupted', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s does not end as one without errors',
    async (signal) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const asked = once(server, 'request');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.iso`;
      const image = { openshift_version: '4.18', cpu_architecture: 'x86_64', version: '1', url };
      const environment = { OS_IMAGES: JSON.stringify([image]), NO_PROXY: '*', HTTP_PROXY: '' };
      const program = runProgram(join(__dirname, 'main.ts'), ['doctor'], environment);
      await asked;
      process.kill(program.pid, signal);
      const { code } = await program.ended();
      server.closeAllConnections();
      server.close();
      expect(code).toBeNull();
    },
    60_000,
  );
});

describe('a log that cannot be written', () => {
  it.each(['a full disk', 'a reader that ended'])(
    'because of %s does not end a start',
    (cause) => {
      const directory = temporaryDirectory();
      const { entry, execArgv } = threadFromSource(join(__dirname, 'main.ts'));
      const command = [process.execPath, ...execArgv, entry, 'image'];
      const settings = {
        NATS_URL: 'nats://127.0.0.1:1',
        MUSTER_DATA_DIRECTORY: directory.path,
        MUSTER_START_WAIT: '1s',
      };
      // Two warnings at the same time, and one more while the start waits for the server.
      const unknown = { MUSTER_FIRST: '1', MUSTER_SECOND: '1' };
      const script = cause === 'a full disk' ? '"$@" >/dev/full' : '"$@" | true';
      const options = { encoding: 'utf8', env: { ...process.env, ...settings, ...unknown } } as const;
      const { stderr } = spawnSync('sh', ['-c', script, 'sh', ...command], options);
      directory.remove();
      expect(stderr).toMatch(/^muster: The server of NATS_URL was not reachable for 1 s: /);
    },
    60_000,
  );
});

(hasNamespaces ? describe : describe.skip)('a full disk', () => {
  it('is named with its remedy by a command of the store', () => {
    const directory = temporaryDirectory();
    const { entry, execArgv } = threadFromSource(join(__dirname, 'main.ts'));
    const steps = [
      `mount -t tmpfs -o size=64k tmpfs ${directory.path}`,
      `echo events >${directory.path}/events.sqlite`,
      `cat /dev/zero >${directory.path}/other`,
      'exec "$@"',
    ];
    const command = [process.execPath, ...execArgv, entry, 'store', 'verify'];
    const environment = { ...process.env, MUSTER_DATA_DIRECTORY: directory.path };
    const args = ['--mount', 'sh', '-c', steps.join('\n'), 'sh', ...command];
    const { stderr } = spawnSync('unshare', args, { encoding: 'utf8', env: environment });
    directory.remove();
    expect(stderr).toMatch(/^muster: The data directory .* is not writable: .* disk is full\. Free disk space\.$/m);
  }, 60_000);
});
