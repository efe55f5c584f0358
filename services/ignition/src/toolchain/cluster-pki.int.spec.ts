import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { type ClusterPki, createClusterPki } from './cluster-pki';

const isInstalled = spawnSync('openssl', ['version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: openssl is not installed)';
const whenPresent = isInstalled ? describe : describe.skip;

let pki: ClusterPki;
beforeAll(async () => {
  pki = await createClusterPki({
    domain: 'demo.example.com',
    addresses: ['192.0.2.100', '2001:db8::1'],
    startedAt: new Date().toISOString(),
  });
});

describe('the certificates of a new cluster', () => {
  it('name the API as nodes and people call it', () => {
    const server = new X509Certificate(pki.apiServer.certificatePem);
    for (const host of ['api.demo.example.com', 'api-int.demo.example.com', 'localhost'])
      expect(server.checkHost(host)).toBe(host);
    for (const address of ['192.0.2.100', '2001:db8::1', '127.0.0.1']) expect(server.checkIP(address)).toBe(address);
    expect(server.checkHost('other.example.com')).toBeUndefined();
  });

  it('make the administrator a system administrator', () => {
    expect(new X509Certificate(pki.admin.certificatePem).subject.split('\n')).toEqual([
      'O=system:masters',
      'CN=system:admin',
    ]);
  });

  it('are valid already on hosts whose clock is somewhat behind', () => {
    const root = new X509Certificate(pki.rootCa.certificatePem);
    expect(Date.parse(root.validFrom)).toBeLessThan(Date.now() - 50 * 60_000);
    expect(Date.parse(root.validTo)).toBeGreaterThan(Date.now() + 9 * 365 * 24 * 3_600_000);
  });

  it('let an administrator and the API shake hands over TLS', async () => {
    const { rootCa, apiServer, admin } = pki;
    const server = createServer({
      key: apiServer.privateKeyPem,
      cert: apiServer.certificatePem,
      ca: rootCa.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const caller = new Promise<string>((resolve, reject) => {
      server.once('secureConnection', (socket) => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.end();
      });
      server.once('tlsClientError', reject);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const client = connect({
      port,
      host: '127.0.0.1',
      servername: 'api.demo.example.com',
      ca: rootCa.certificatePem,
      key: admin.privateKeyPem,
      cert: admin.certificatePem,
    });
    try {
      await new Promise<void>((resolve, reject) => {
        client.once('secureConnect', resolve);
        client.once('error', reject);
      });
      expect(client.authorized).toBe(true);
      expect(await caller).toBe('system:admin');
    } finally {
      client.destroy();
      server.close();
    }
  });
});

whenPresent(`openssl${missing}`, () => {
  let directory: TemporaryDirectory;
  beforeAll(() => {
    directory = temporaryDirectory();
  });
  afterAll(() => directory.remove());

  const verify = (purpose: string, pem: string, authority: string) => {
    const [root, leaf] = [join(directory.path, 'root.pem'), join(directory.path, 'leaf.pem')];
    writeFileSync(root, authority);
    writeFileSync(leaf, pem);
    return spawnSync('openssl', ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', root, leaf]).status;
  };

  it.each([
    ['admin', 'sslclient'],
    ['apiServer', 'sslserver'],
  ] as const)('verifies the certificate of %s as %s, and not the other way round', (name, purpose) => {
    const pem = pki[name].certificatePem;
    expect(verify(purpose, pem, pki.rootCa.certificatePem)).toBe(0);
    expect(verify(purpose === 'sslclient' ? 'sslserver' : 'sslclient', pem, pki.rootCa.certificatePem)).not.toBe(0);
  });

  it('does not verify it under another authority', async () => {
    const other = await createClusterPki({ domain: 'x.y', addresses: [], startedAt: new Date().toISOString() });
    expect(verify('sslclient', pki.admin.certificatePem, other.rootCa.certificatePem)).not.toBe(0);
  });
});
