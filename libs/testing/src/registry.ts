import 'reflect-metadata';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, webcrypto } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { portOf } from '@muster/nest-kit';
import * as x509 from '@peculiar/x509';
import bcrypt from 'bcryptjs';

const PROGRAM = 'docker-registry';
/** The account of the registry in the form that HTTP basic authentication and pull secrets require. */
export const REGISTRY_CREDENTIALS = Buffer.from('user:password').toString('base64');
export const hasRegistry = (): boolean => spawnSync(PROGRAM, ['--version']).error === undefined;

/** A simulated fault of a request. */
export type Disturbance =
  | { readonly status: number; readonly headers?: { readonly [name: string]: string } }
  /** The connection ends after this many bytes of the body. */
  | { readonly cutAfterBytes: number }
  /** The connection stays open and nothing follows this number of bytes of the body. */
  | { readonly stallsAfterBytes: number }
  /** Changes the last byte of the body. */
  | { readonly isFlipped: true };

/** Starts `docker-registry` (Debian) with TLS and one account, `user` with the password `password`. */
export interface TestRegistry {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  readonly caPem: string;
  /** `<method> <path>[ <range>]` of each request since the last `splice`. */
  readonly requests: string[];
  /** Simulates faults of requests. Undefined: the registry answers. */
  disturb: (path: string) => Disturbance | undefined;
  /** Pushes an image and returns its digest. A text `link:<target>` is a symbolic link. */
  pushImage(repository: string, layers: readonly Files[], options?: PushOptions): Promise<string>;
  putManifest(repository: string, version: string, document: object, type: string): Promise<void>;
  stop(): Promise<void>;
}

type Files = { readonly [path: string]: string | Buffer };

interface PushOptions {
  readonly tag?: string;
  readonly compress?: (archive: Buffer) => Buffer;
  /** In the form `amd64`, which is the default. */
  readonly architecture?: string;
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const LAYER = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
const CONFIG = 'application/vnd.docker.container.image.v1+json';
/** The name in the certificate. */
const ADDRESS = { host: '127.0.0.1' };

export async function startTestRegistry(): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'test-registry-'));
  // A file: another process could take a free port before the program listens on it.
  const socketPath = join(folder, 'socket');
  const { certPem, keyPem } = await selfSigned();
  writeConfig(folder, socketPath, certPem, keyPem);
  const server = spawn(PROGRAM, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' });
  const requests: string[] = [];
  const registry: { disturb: TestRegistry['disturb'] } = { disturb: () => undefined };
  const front = createHttpsServer({ cert: certPem, key: keyPem }, (asked, answer) => {
    const { headers, method, url = '' } = asked;
    requests.push(`${method} ${url}${headers.range ? ` ${headers.range}` : ''}`);
    forward({ asked, answer, socketPath, ca: certPem, disturbance: registry.disturb(url) });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${portOf(front)}`;
  await untilAnswers(socketPath, certPem, server);

  const send = (method: string, path: string, headers: IncomingHttpHeaders, body: Buffer) =>
    write(certPem, method, new URL(path, `https://${host}`), headers, body);
  const pushBlob = async (repository: string, blob: Buffer): Promise<string> => {
    const digest = digestOf(blob);
    const { location } = await send('POST', `/v2/${repository}/blobs/uploads/`, {}, Buffer.alloc(0));
    const url = new URL(location, `https://${host}`);
    url.searchParams.set('digest', digest);
    await send('PUT', url.pathname + url.search, { 'content-type': 'application/octet-stream' }, blob);
    return digest;
  };
  const putManifest: TestRegistry['putManifest'] = async (repository, version, document, type) => {
    const body = Buffer.from(JSON.stringify(document));
    await send('PUT', `/v2/${repository}/manifests/${version}`, { 'content-type': type }, body);
  };
  return Object.assign(registry, {
    host,
    caPem: certPem,
    requests,
    putManifest,
    pushImage: async (
      repository: string,
      layers: readonly Files[],
      { architecture = 'amd64', compress = gzipSync, tag }: PushOptions = {},
    ) => {
      const pushed = [];
      for (const files of layers) {
        const blob = compress(tarOf(folder, files));
        pushed.push({ mediaType: LAYER, digest: await pushBlob(repository, blob), size: blob.length });
      }
      const config = Buffer.from(JSON.stringify({ architecture, os: 'linux' }));
      const manifest = {
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: { mediaType: CONFIG, digest: await pushBlob(repository, config), size: config.length },
        layers: pushed,
      };
      const digest = digestOf(Buffer.from(JSON.stringify(manifest)));
      for (const version of [digest, ...(tag ? [tag] : [])]) await putManifest(repository, version, manifest, MANIFEST);
      return digest;
    },
    stop: async () => {
      server.kill('SIGKILL');
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Forwarding {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  readonly socketPath: string;
  readonly ca: string;
  readonly disturbance: Disturbance | undefined;
}

/** Forwards a request to the registry, and returns its answer with the simulated fault. */
function forward({ answer, asked, ca, disturbance, socketPath }: Forwarding): void {
  if (disturbance && 'status' in disturbance) {
    asked.resume();
    answer.writeHead(disturbance.status, disturbance.headers).end('disturbed');
    return;
  }
  const { headers, method, url: path } = asked;
  const passed = request({ ...ADDRESS, socketPath, ca, method, path, headers, agent: false }, (found) => {
    answer.writeHead(found.statusCode ?? 0, found.headers);
    if (!disturbance) return void found.pipe(answer);
    const chunks: Buffer[] = [];
    found.on('data', (chunk: Buffer) => chunks.push(chunk));
    found.once('end', () => {
      const body = Buffer.concat(chunks);
      if ('isFlipped' in disturbance) {
        body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
        answer.end(body);
      } else if ('stallsAfterBytes' in disturbance) answer.write(body.subarray(0, disturbance.stallsAfterBytes));
      else answer.write(body.subarray(0, disturbance.cutAfterBytes), () => answer.socket?.end());
    });
  });
  passed.once('error', () => answer.destroy());
  asked.pipe(passed);
}

function writeConfig(folder: string, socketPath: string, certPem: string, keyPem: string): void {
  writeFileSync(join(folder, 'cert.pem'), certPem);
  writeFileSync(join(folder, 'key.pem'), keyPem);
  writeFileSync(join(folder, 'htpasswd'), `user:${bcrypt.hashSync('password', 4).replace('$2b$', '$2y$')}\n`);
  const config = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'storage') } },
    http: {
      net: 'unix',
      addr: socketPath,
      tls: { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') },
    },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } },
  };
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(config));
}

async function untilAnswers(socketPath: string, ca: string, server: ChildProcess): Promise<void> {
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      request({ ...ADDRESS, socketPath, ca, path: '/v2/', agent: false }, (answer) =>
        resolve(answer.resume() !== undefined),
      )
        .once('error', () => resolve(false))
        .end();
    });
  while (!(await answers())) {
    if (server.exitCode !== null) throw new Error(`${PROGRAM} ended with code ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends a request with the account of the registry. */
const write = (ca: string, method: string, url: URL, headers: IncomingHttpHeaders, body: Buffer) =>
  new Promise<{ readonly location: string }>((resolve, reject) => {
    const authorization = `Basic ${REGISTRY_CREDENTIALS}`;
    const options = { method, headers: { authorization, 'content-length': body.length, ...headers }, ca, agent: false };
    request(url, options, (answer) => {
      const { headers: found, statusCode = 0 } = answer.resume();
      if (statusCode >= 300) reject(new Error(`${method} ${url.pathname} was answered with ${statusCode}`));
      answer.once('end', () => resolve({ location: found.location ?? '' }));
    })
      .once('error', reject)
      .end(body);
  });

/** Returns a tar archive of the files. */
function tarOf(folder: string, files: Files): Buffer {
  const tree = mkdtempSync(join(folder, 'tree-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    if (typeof content === 'string' && content.startsWith('link:'))
      execFileSync('ln', ['-s', content.slice(5), join(tree, path)]);
    else writeFileSync(join(tree, path), content, { mode: 0o755 });
  }
  return execFileSync('tar', ['-C', tree, '-cf', '-', '.'], { maxBuffer: 1e9 });
}

/** A certificate for 127.0.0.1 and its key. */
export async function selfSigned(): Promise<{ readonly certPem: string; readonly keyPem: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  x509.cryptoProvider.set(globalThis.crypto);
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
