import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, createSign, createVerify, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { AUTHORITIES, type CertificateRow, CERTIFICATES, type PkiInput, serverNames } from './certificates.table';
import { bundleOf, type ClusterPki, createClusterPki, pkiFiles } from './cluster-pki';

const isInstalled = spawnSync('openssl', ['version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: openssl is not installed)';
const whenPresent = isInstalled ? describe : describe.skip;

const INPUT: PkiInput = {
  domain: 'demo.example.com',
  addresses: ['192.0.2.100', '2001:db8::1'],
  serviceNetworks: ['172.30.0.0/16', 'fd02::/112'],
  startedAt: new Date().toISOString(),
};
const ROWS: readonly CertificateRow[] = CERTIFICATES;
const SERVERS = ROWS.flatMap((row) => (row.server ? [{ ...row, server: row.server }] : []));
const pairOf = (pki: ClusterPki, name: string) => pki.pairs[name as keyof ClusterPki['pairs']];

let pki: ClusterPki;
beforeAll(async () => {
  pki = await createClusterPki(INPUT);
});

describe('the certificates of a new cluster', () => {
  it.each(SERVERS)('name $name as its clients do', ({ name, server }) => {
    const certificate = new X509Certificate(pairOf(pki, name).certificatePem);
    for (const { type, value } of serverNames(server, INPUT))
      expect(type === 'dns' ? certificate.checkHost(value) : certificate.checkIP(value)).toBe(value);
    expect(certificate.checkHost('other.example.com')).toBeUndefined();
  });

  it('contain the first address of each service network as the address of the API within the cluster', () => {
    const server = new X509Certificate(pki.pairs['kube-apiserver-service-network-server'].certificatePem);
    expect([server.checkIP('172.30.0.1'), server.checkIP('fd02::1')]).toEqual(['172.30.0.1', 'fd02::1']);
  });

  it('give the administrator the group of system administrators, and new machines the group that may request node certificates', () => {
    const subject = (name: string) => new X509Certificate(pairOf(pki, name).certificatePem).subject.split('\n');
    expect(subject('admin-kubeconfig-client')).toEqual(['O=system:masters', 'CN=system:admin']);
    expect(subject('kubelet-client')).toEqual([
      'O=system:serviceaccounts:openshift-machine-config-operator',
      'O=system:serviceaccounts',
      'CN=system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
    ]);
  });

  it('are valid one hour earlier, for slow clocks of hosts, and as long as the table states', () => {
    for (const { name, years } of [...AUTHORITIES, ...ROWS]) {
      const { validFrom, validTo } = new X509Certificate(pairOf(pki, name).certificatePem);
      expect(Date.parse(validFrom)).toBeLessThan(Date.now() - 50 * 60_000);
      expect(Math.round((Date.parse(validTo) - Date.parse(validFrom)) / (365 * 86_400_000))).toBe(years);
    }
  });

  it('include keys for the tokens of service accounts', () => {
    for (const { privateKeyPem, publicKeyPem } of Object.values(pki.accounts)) {
      const signature = createSign('sha256').update('token').sign(createPrivateKey(privateKeyPem));
      expect(createVerify('sha256').update('token').verify(createPublicKey(publicKeyPem), signature)).toBe(true);
    }
  });

  it('are in files that are not empty, with each key beside its certificate', () => {
    const files = pkiFiles(pki);
    expect([...files.values()].every((text) => text.startsWith('-----BEGIN '))).toBe(true);
    for (const name of Object.keys(pki.pairs)) {
      const certificate = new X509Certificate(files.get(`${name}.crt`) ?? '');
      expect(certificate.checkPrivateKey(createPrivateKey(files.get(`${name}.key`) ?? ''))).toBe(true);
    }
  });
});

/** Resolves with the client name that the server received. Rejects when either side does not trust the other. */
async function shakeHands(row: (typeof SERVERS)[number], authority: string): Promise<string> {
  const { certificatePem, privateKeyPem } = pairOf(pki, row.name);
  const admin = pki.pairs['admin-kubeconfig-client'];
  const server = createServer({
    key: privateKeyPem,
    cert: certificatePem,
    ca: bundleOf(pki, 'kube-apiserver-complete-client-ca-bundle'),
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
  caller.catch(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const servername = serverNames(row.server, INPUT).find(({ type }) => type === 'dns')?.value;
  const client = connect({
    port,
    host: '127.0.0.1',
    servername,
    ca: authority,
    key: admin.privateKeyPem,
    cert: admin.certificatePem,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('secureConnect', resolve);
      client.once('error', reject);
    });
    return await caller;
  } finally {
    client.destroy();
    server.close();
  }
}

describe('a TLS handshake', () => {
  it.each(SERVERS)('succeeds between the administrator and $name', async (row) => {
    expect(await shakeHands(row, pairOf(pki, row.authority).certificatePem)).toBe('system:admin');
  });

  it('fails with a server of another authority', async () => {
    const [row] = SERVERS;
    const other = pairOf(pki, 'aggregator-signer').certificatePem;
    await expect(row ? shakeHands(row, other) : undefined).rejects.toThrow(/certificate/);
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
    return spawnSync('openssl', ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', root, leaf]).status === 0;
  };

  it.each(AUTHORITIES.map(({ name }) => name))('verifies the authority %s', (name) => {
    const { certificatePem } = pki.pairs[name];
    expect(verify('any', certificatePem, certificatePem)).toBe(true);
  });

  it.each(ROWS)('verifies $name for its purpose only', (row) => {
    const pem = pairOf(pki, row.name).certificatePem;
    const authority = pairOf(pki, row.authority).certificatePem;
    expect(verify('sslclient', pem, authority)).toBe(row.isClient);
    expect(verify('sslserver', pem, authority)).toBe(row.server !== undefined);
  });

  it('does not verify the certificates under the authorities of another cluster', async () => {
    const other = await createClusterPki(INPUT);
    for (const { name, authority, isClient } of ROWS) {
      const purpose = isClient ? 'sslclient' : 'sslserver';
      expect(verify(purpose, pairOf(pki, name).certificatePem, pairOf(other, authority).certificatePem)).toBe(false);
    }
  });
});
