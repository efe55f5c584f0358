import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { createHash, webcrypto } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import bcrypt from 'bcryptjs';

/** The account of the test in the form that HTTP basic authentication requires. */
export const CREDENTIALS = Buffer.from('user:password').toString('base64');

/** Writes `config.yml` of a registry with TLS and one account, `user` with the password `password`. */
export function writeRegistryConfig(folder: string, host: string, certPem: string, keyPem: string): void {
  writeFileSync(join(folder, 'cert.pem'), certPem);
  writeFileSync(join(folder, 'key.pem'), keyPem);
  writeFileSync(join(folder, 'htpasswd'), `user:${bcrypt.hashSync('password', 4).replace('$2b$', '$2y$')}\n`);
  const config = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'storage') } },
    http: { addr: host, tls: { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') } },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } },
  };
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(config));
}

/** Returns a tar archive of the files. A text `link:<target>` becomes a symbolic link. */
export function tarOf(folder: string, files: { readonly [path: string]: string | Buffer }): Buffer {
  const tree = mkdtempSync(join(folder, 'tree-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    if (typeof content === 'string' && content.startsWith('link:'))
      execFileSync('ln', ['-s', content.slice(5), join(tree, path)]);
    else writeFileSync(join(tree, path), content, { mode: 0o755 });
  }
  return execFileSync('tar', ['-C', tree, '-cf', '-', '.'], { maxBuffer: 1e9 });
}

const ZSTD_BLOCK_BYTES_MAX = 128 * 1024;

/** Returns a zstd frame of uncompressed blocks, because Node 20 has no compressor. */
export function zstdFrame(content: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 5);
  const parts: Buffer[] = [header];
  for (let at = 0; at < content.length; at += ZSTD_BLOCK_BYTES_MAX) {
    const block = content.subarray(at, at + ZSTD_BLOCK_BYTES_MAX);
    const isLast = at + block.length === content.length;
    const size = Buffer.alloc(3);
    size.writeUIntLE(block.length * 8 + Number(isLast), 0, 3);
    parts.push(size, block);
  }
  return Buffer.concat(parts);
}

export async function selfSigned(): Promise<{ readonly certPem: string; readonly keyPem: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  x509.cryptoProvider.set(webcrypto as typeof globalThis.crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certPem: certificate.toString('pem'),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
  };
}

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Sends a request with the account of the test and a body. */
export const write = (ca: string, method: string, url: string, headers: { [name: string]: string }, body: Buffer) =>
  new Promise<{ status: number; location: string }>((resolve, reject) => {
    const authorization = `Basic ${CREDENTIALS}`;
    request(url, { method, headers: { authorization, 'content-length': body.length, ...headers }, ca }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '' }));
    })
      .once('error', reject)
      .end(body);
  });

/** Returns the digest of the blob. */
export async function pushBlob(caPem: string, host: string, repository: string, blob: Buffer): Promise<string> {
  const digest = `sha256:${createHash('sha256').update(blob).digest('hex')}`;
  const uploads = `https://${host}/v2/${repository}/blobs/uploads/`;
  const { location } = await write(caPem, 'POST', uploads, {}, Buffer.alloc(0));
  const url = new URL(location, `https://${host}`);
  url.searchParams.set('digest', digest);
  const { status } = await write(caPem, 'PUT', url.href, { 'content-type': 'application/octet-stream' }, blob);
  expect(status).toBe(201);
  return digest;
}

/** A list refers to manifests of the same repository. */
export async function putManifest(
  caPem: string,
  host: string,
  repository: string,
  version: string,
  document: object,
  type: string,
): Promise<void> {
  const url = `https://${host}/v2/${repository}/manifests/${version}`;
  const { status } = await write(caPem, 'PUT', url, { 'content-type': type }, Buffer.from(JSON.stringify(document)));
  expect(status).toBe(201);
}
