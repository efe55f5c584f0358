import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startNatsServer, temporaryDirectory } from '@muster/testing';
import { makeBusCertificate } from './bus-certificate';
import { NatsUnreachable } from './connection';
import { createNatsTrust, mintServiceCredentials } from './credentials';
import { connectNatsRequests, type NatsRequests } from './requests';
import { loadOrCreateNatsTrust, natsServerConfig } from './server-config';

describe('bus with TLS', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  const nowMs = Date.now();
  const trust = createNatsTrust();
  const credentials = mintServiceCredentials(trust, { name: 'test', nowMs });

  it('accepts only clients that trust its certificate authority', async () => {
    const tls = await makeBusCertificate(directory.path, { hosts: ['127.0.0.1', 'bus.example.com'], nowMs });
    const caPem = readFileSync(tls.caFile, 'utf8');
    const server = await startNatsServer({ config: natsServerConfig(trust, { nowMs, tls }) });
    const open = (ca: string | undefined, url = server.url): Promise<NatsRequests> =>
      connectNatsRequests({ servers: url, name: 'test', credentials, caPem: ca });
    try {
      const requests = await open(caPem);
      requests.subscribe('question', async () => ({ answer: 42 }));
      await requests.flush();
      expect(await requests.request('question', {}, {}, 10_000)).toEqual({ answer: 42 });
      await requests.close();
      // The system does not trust this authority.
      await expect(open(undefined)).rejects.toThrow(NatsUnreachable);
      // The same port with a name that is not in the certificate.
      await expect(open(caPem, server.url.replace('127.0.0.1', 'localhost'))).rejects.toThrow(NatsUnreachable);
      const other = temporaryDirectory();
      const foreign = await makeBusCertificate(other.path, { hosts: ['127.0.0.1'], nowMs });
      await expect(open(readFileSync(foreign.caFile, 'utf8'))).rejects.toThrow(NatsUnreachable);
      other.remove();
    } finally {
      await server.stop();
    }
  });

  it('refuses a client without TLS', async () => {
    const tls = await makeBusCertificate(directory.path, { hosts: ['127.0.0.1'], nowMs });
    const server = await startNatsServer({ config: natsServerConfig(trust, { nowMs, tls }) });
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.write('CONNECT {"verbose":false,"tls_required":false}\r\nPING\r\n');
    await once(socket, 'close');
    expect(text).toContain('"tls_required":true');
    expect(text).not.toContain('PONG');
    await server.stop();
  });

  it('keeps its certificate authority when the certificate is created again', async () => {
    const first = readFileSync(join(directory.path, 'bus-ca.pem'), 'utf8');
    const before = readFileSync(join(directory.path, 'bus.pem'), 'utf8');
    const { caFile, certFile, keyFile } = await makeBusCertificate(directory.path, { hosts: ['192.0.2.7'], nowMs });
    expect(readFileSync(caFile, 'utf8')).toBe(first);
    expect(readFileSync(certFile, 'utf8')).not.toBe(before);
    expect(new X509Certificate(readFileSync(certFile)).checkIP('192.0.2.7')).toBe('192.0.2.7');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });
});

describe('files of the certificate authority of the bus', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  const files = ['bus-ca.key', 'bus-ca.pem'].map((name) => join(directory.path, name));
  const make = (nowMs: number): Promise<unknown> => makeBusCertificate(directory.path, { hosts: ['127.0.0.1'], nowMs });
  const nowMs = Date.now();

  it('are not written again', async () => {
    await make(nowMs);
    const written = files.map((file) => statSync(file, { bigint: true }).mtimeNs);
    await make(nowMs);
    expect(files.map((file) => statSync(file, { bigint: true }).mtimeNs)).toEqual(written);
  });

  it('are replaced as a whole', async () => {
    const before = files.map((file) => ({ text: readFileSync(file, 'utf8'), opened: openSync(file, 'r') }));
    await make(nowMs + 6 * 365 * 86_400_000);
    for (const [n, { text, opened }] of before.entries()) {
      expect(readFileSync(opened, 'utf8')).toBe(text);
      expect(readFileSync(files[n] ?? '', 'utf8')).not.toBe(text);
      expect(statSync(files[n] ?? '').mode & 0o777).toBe(0o600);
      closeSync(opened);
    }
    expect(readdirSync(directory.path).sort()).toEqual(['bus-ca.key', 'bus-ca.pem', 'bus.key', 'bus.pem']);
  });

  it.each([
    ['a certificate without content', 'bus-ca.pem', ''],
    ['a damaged certificate', 'bus-ca.pem', '-----BEGIN CERTIFICATE-----'],
    ['a key without content', 'bus-ca.key', ''],
    ['a damaged key', 'bus-ca.key', 'damaged'],
    ['the key of another certificate', 'bus-ca.key', 'bus.key'],
  ])('are named and kept with %s', async (_, name, content) => {
    const file = join(directory.path, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, content === 'bus.key' ? readFileSync(join(directory.path, content)) : content);
    const before = files.map((one) => readFileSync(one, 'utf8'));
    await expect(make(nowMs)).rejects.toThrow(
      `${files[1]} and ${files[0]} are not the certificate authority of the bus and its key: one of them is damaged or was replaced.`,
    );
    expect(files.map((one) => readFileSync(one, 'utf8'))).toEqual(before);
    writeFileSync(file, text);
  });

  it('are valid also after the clock was set back, as is the certificate', async () => {
    const names = ['bus-ca.pem', 'bus.pem'];
    const read = () => names.map((name) => new X509Certificate(readFileSync(join(directory.path, name))));
    // The authority is that of the test above. Its clock was six years ahead.
    await make(nowMs + 6 * 365 * 86_400_000);
    expect(read().map(({ validFrom }) => Date.parse(validFrom) < nowMs - 365 * 86_400_000)).toEqual([true, true]);
  });

  it('stay when one of them cannot be read', async () => {
    const [keyFile = '', caFile = ''] = files;
    const kept = readFileSync(caFile, 'utf8');
    rmSync(keyFile);
    mkdirSync(keyFile);
    await expect(make(nowMs)).rejects.toThrow('EISDIR');
    expect(readFileSync(caFile, 'utf8')).toBe(kept);
  });
});

describe('loadOrCreateNatsTrust', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'nats-trust.json');
  afterAll(() => directory.remove());

  it('creates the keys once, readable by the owner only', async () => {
    const made = await loadOrCreateNatsTrust(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(await loadOrCreateNatsTrust(file)).toEqual(made);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('shows other processes the complete file only', async () => {
    for (let n = 0; n < 10; n += 1) {
      const shared = join(directory.path, `shared-${n}.json`);
      const created = [loadOrCreateNatsTrust(shared), loadOrCreateNatsTrust(shared)];
      while (!existsSync(shared)) await new Promise((resolve) => setImmediate(resolve));
      const shown: unknown = JSON.parse(readFileSync(shared, 'utf8'));
      expect(await Promise.all(created)).toEqual([shown, shown]);
    }
  });

  it.each(['', '{}', 'not json', '{"operatorSeed":"SOABC","accountSeed":"SAABC"}'])(
    'refuses a file with content %j without repeating it',
    async (text) => {
      writeFileSync(file, text);
      await expect(loadOrCreateNatsTrust(file)).rejects.toThrow(/does not contain the NATS keys/);
      await expect(loadOrCreateNatsTrust(file)).rejects.not.toThrow(/ABC/);
    },
  );
});
