import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectNatsRequests, NatsUnreachable } from '@muster/adapter-nats';
import { SettingsReader } from '@muster/nest-kit';
import { eventually, startNatsServer, temporaryDirectory } from '@muster/testing';
import { busTls, checkBusAccess } from './bus-access';
import { type NatsProcess, startNats } from './nats-process';
import { StartError } from './start-error';

const tlsOf = (environment: { readonly [name: string]: string }) => busTls(new SettingsReader(environment));

describe('a bus whose child process ends', () => {
  const directory = temporaryDirectory();
  const path = process.env.PATH;
  const reports: string[] = [];
  let nats: NatsProcess | undefined;
  const failMark = join(directory.path, 'fail');
  const [blockMark, starts] = [join(directory.path, 'block'), join(directory.path, 'starts')];
  const connected = async (): Promise<boolean> => {
    const { url = '', serviceCredentials: credentials } = nats ?? {};
    const requests = await connectNatsRequests({ servers: url, name: 'test', credentials }).catch(() => undefined);
    await requests?.close();
    return requests !== undefined;
  };
  const pidOf = () => Number(readFileSync(join(directory.path, 'nats-server.pid'), 'utf8'));

  beforeAll(async () => {
    // A program in front of nats-server that fails once for the one mark, and as long as the other mark exists.
    const program = `#!/bin/sh\nrm '${failMark}' 2>/dev/null && exit 127\n[ -e '${blockMark}' ] && echo x >> '${starts}' && echo "[$$] 2026/11/30 08:48:$$ [FTL] port in use" >&2 && exit 1\nPATH=\${PATH#*:} exec nats-server "$@"\n`;
    const programs = join(directory.path, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'nats-server'), program, { mode: 0o700 });
    process.env.PATH = `${programs}:${path}`;
    nats = await startNats({
      directory: directory.path,
      host: '127.0.0.1',
      port: 0,
      onExit: (text) => reports.push(text),
    });
  });
  afterAll(async () => {
    await nats?.stop();
    process.env.PATH = path;
    directory.remove();
  });

  it('is started again, also after a start that failed', async () => {
    expect(await connected()).toBe(true);
    writeFileSync(failMark, '');
    process.kill(pidOf(), 'SIGKILL');
    await eventually('the start has failed', () => reports.length === 2);
    expect(reports[1]).toBe(
      'nats-server is not installed. Install the package nats-server, or set NATS_URL. It is started again.',
    );
    await eventually('the bus runs again', connected);
    expect(existsSync(failMark)).toBe(false);
  });

  it('reports the reason of starts that fail again and again once', async () => {
    writeFileSync(starts, '');
    writeFileSync(blockMark, '');
    process.kill(pidOf(), 'SIGKILL');
    await eventually('several starts have failed', () => readFileSync(starts, 'utf8').length >= 8);
    expect(reports.slice(2)).toEqual([
      expect.stringMatching(/^nats-server ended with code null: .* It is started again\.$/),
      'nats-server ended with code 1: [FTL] port in use. It is started again.',
    ]);
    rmSync(blockMark);
    await eventually('the bus runs again', connected);
  });

  it('stops while no child process runs', async () => {
    process.kill(pidOf(), 'SIGKILL');
    await eventually('the end is reported', () => reports.length === 5);
    await nats?.stop();
    expect(await connected()).toBe(false);
  });
});

describe('a bus whose port another server uses', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is refused although that server admits every client', async () => {
    const { port, pid, stop } = await startNatsServer();
    const start = startNats({ directory: directory.path, host: '127.0.0.1', port, onExit: () => undefined });
    const refusal: unknown = await start.then((nats) => nats.stop()).catch((error: unknown) => error);
    await stop();
    expect(refusal).toBeInstanceOf(StartError);
    expect(refusal).toMatchObject({
      reason: 'dependency',
      message: `The address 127.0.0.1:${port} (NATS_PORT) is in use by process ${pid} (nats-server). Stop it, or change NATS_PORT, or set NATS_URL.`,
    });
  });
});

describe('a bus whose files cannot be used', () => {
  const directory = temporaryDirectory();
  const path = process.env.PATH;
  afterEach(() => (process.env.PATH = path));
  afterAll(() => directory.remove());
  const start = (tls?: { readonly own: readonly string[] }) =>
    startNats({ directory: directory.path, host: '127.0.0.1', port: 0, tls, onExit: () => undefined }).then((nats) =>
      nats.stop(),
    );

  it.each([
    ['write', 'no space left on device', 'Free disk space, and start again.'],
    ['open', 'permission denied', 'Change its owner or permissions, and start again.'],
    ['open', 'read-only file system', 'Change its owner or permissions, and start again.'],
  ])('reports that the file of its process id cannot be used: %s: %s', async (call, reason, remedy) => {
    const text = `[FTL] Could not write pidfile: ${call} /data/nats-server.pid: ${reason}`;
    const programs = join(directory.path, 'programs');
    mkdirSync(programs, { recursive: true });
    const program = `#!/bin/sh\necho "[$$] 2026/11/30 08:48:$$ ${text}" >&2\nexit 1\n`;
    writeFileSync(join(programs, 'nats-server'), program, { mode: 0o700 });
    process.env.PATH = `${programs}:${path}`;
    await expect(start()).rejects.toMatchObject({
      reason: 'dataDirectory',
      message: `nats-server ended with code 1: ${text}. ${remedy}`,
    });
  });

  it.each([
    ['/other', 'SIGTERM'],
    ['/', 'SIGKILL'],
  ])('ends a process with the id of its last one only if it uses its files: %s', async (root, signal) => {
    const config = join(root, directory.path, 'nats-server.conf');
    const args = ['-e', 'setInterval(() => undefined, 1_000)', '--', '-c', config];
    const other = spawn(process.execPath, args, { argv0: 'nats-server', stdio: 'ignore' });
    const ended = once(other, 'exit');
    await once(other, 'spawn');
    writeFileSync(join(directory.path, 'nats-server.pid'), String(other.pid));
    await start();
    other.kill('SIGTERM');
    expect(await ended).toEqual([null, signal]);
  });

  it('reports damaged keys with their file', async () => {
    const file = join(directory.path, 'trust.json');
    writeFileSync(file, '{');
    await expect(start()).rejects.toMatchObject({
      reason: 'dataDirectory',
      message: `${file} does not contain the NATS keys of this installation. Restore it, or remove it to create new keys.`,
    });
    rmSync(file);
  });

  it('reports a damaged certificate authority with its files', async () => {
    const [certificate, key] = ['bus-ca.pem', 'bus-ca.key'].map((name) => join(directory.path, name));
    await start({ own: ['127.0.0.1'] });
    writeFileSync(certificate ?? '', 'damaged');
    await expect(start({ own: ['127.0.0.1'] })).rejects.toMatchObject({
      reason: 'dataDirectory',
      message: expect.stringMatching(`^${certificate} and ${key} are not the certificate authority of the bus`),
    });
    rmSync(certificate ?? '');
  });

  it.each(['trust.json', 'bus-ca.pem', 'bus.key', 'nats-server.pid'])(
    'reports that %s is a directory',
    async (name) => {
      const path = join(directory.path, name);
      rmSync(path, { force: true });
      mkdirSync(path);
      await expect(start({ own: ['127.0.0.1'] })).rejects.toMatchObject({
        reason: 'dataDirectory',
        message: `${path} is a directory and must be a file. Move it away, and start again.`,
      });
      rmSync(path, { recursive: true });
    },
  );

  it.each(['99999', '1.5'])('selects another port than %s, which is none', async (port) => {
    writeFileSync(join(directory.path, 'port'), port);
    await expect(start()).resolves.toBeUndefined();
  });
});

describe('a bus on an IPv6 address', () => {
  it('has a URL that services and agents can use', async () => {
    const directory = temporaryDirectory();
    const tls = { own: ['::1'] };
    const nats = await startNats({ directory: directory.path, host: '::1', port: 0, tls, onExit: () => undefined });
    expect(new URL(nats.url).hostname).toBe('[::1]');
    const settings = new SettingsReader({ NATS_URL: nats.url });
    expect(() => checkBusAccess(settings, { requiresCredentials: false })).not.toThrow();
    const caPem = readFileSync(nats.caFile ?? '', 'utf8');
    const { url: servers, serviceCredentials: credentials } = nats;
    const requests = await connectNatsRequests({ servers, name: 'test', credentials, caPem });
    expect(requests.isConnected()).toBe(true);
    await requests.close();
    await nats.stop();
    directory.remove();
  });
});

describe('TLS of the bus', () => {
  it('is required on addresses other than loopback unless NATS_TLS is off', () => {
    expect(tlsOf({})).toBeUndefined();
    expect(tlsOf({ NATS_HOST: '127.0.0.1' })).toBeUndefined();
    expect(tlsOf({ NATS_HOST: '0.0.0.0', NATS_TLS: 'off' })).toBeUndefined();
    expect(tlsOf({ NATS_TLS: 'on' })).toEqual({ own: expect.arrayContaining(['127.0.0.1']) });
    expect(tlsOf({ NATS_HOST: '0.0.0.0', AGENT_NATS_URL: 'nats://bus.example.com:4222' })).toEqual({
      own: expect.arrayContaining(['0.0.0.0', '127.0.0.1', 'bus.example.com']),
    });
  });

  it('requires the three files of a certificate together', () => {
    const files = { NATS_CERT_FILE: '/c', NATS_KEY_FILE: '/k', NATS_CA_FILE: '/a' };
    expect(tlsOf(files)).toEqual({ certFile: '/c', keyFile: '/k', caFile: '/a' });
    expect(() => tlsOf({ NATS_CERT_FILE: '/c' })).toThrow('belong together');
    expect(() => tlsOf({ ...files, NATS_TLS: 'off' })).toThrow('NATS_TLS=off');
  });

  it.each([
    ['does not exist', undefined],
    ['is not PEM', 'text'],
  ])('with a certificate that %s fails the start and names the settings', async (_, content) => {
    const directory = temporaryDirectory();
    const [certFile, keyFile, caFile] = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(directory.path, name));
    if (content) for (const file of [certFile, keyFile]) writeFileSync(file ?? '', content);
    const tls = tlsOf({ NATS_CERT_FILE: certFile ?? '', NATS_KEY_FILE: keyFile ?? '', NATS_CA_FILE: caFile ?? '' });
    const options = { directory: directory.path, host: '127.0.0.1', port: 0, tls, onExit: () => undefined };
    await expect(startNats(options)).rejects.toMatchObject({
      reason: 'settings',
      message: expect.stringMatching(
        /^nats-server cannot use its certificate: .+\. Correct NATS_CERT_FILE and NATS_KEY_FILE/,
      ),
    });
    directory.remove();
  });

  describe('of a child process that listens on every address', () => {
    const directory = temporaryDirectory();
    let nats: NatsProcess | undefined;
    afterAll(async () => {
      await nats?.stop();
      directory.remove();
    });

    it('admits services with its certificate authority and refuses connections without TLS', async () => {
      nats = await startNats({
        directory: directory.path,
        host: '0.0.0.0',
        port: 0,
        tls: tlsOf({ NATS_HOST: '0.0.0.0' }),
        onExit: () => undefined,
      });
      const { url, serviceCredentials: credentials, caFile = '' } = nats;
      const caPem = readFileSync(caFile, 'utf8');
      for (const servers of [url, url.replace('0.0.0.0', '127.0.0.1')]) {
        const requests = await connectNatsRequests({ servers, name: 'test', credentials, caPem });
        expect(requests.isConnected()).toBe(true);
        await requests.close();
      }
      await expect(connectNatsRequests({ servers: url, name: 'test', credentials })).rejects.toThrow(NatsUnreachable);
    });
  });
});
