import { webcrypto } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { isAllowedOrigin, portOf } from '@muster/nest-kit';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import * as x509 from '@peculiar/x509';
import 'reflect-metadata';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';
import { createImageServer, isForNetworkBoot, openPlainTransport } from './image-server';

let nats: NatsServer;
let stage: ImageStage | undefined;
const folder = mkdtempSync(join(tmpdir(), 'muster-image-tls-'));
beforeAll(async () => {
  nats = await startNatsServer();
});
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});
afterAll(async () => {
  await nats.stop();
  rmSync(folder, { recursive: true, force: true });
});

const open = async (environment = {}): Promise<ImageStage> => (stage = await openImageStage(nats.url, environment));
const MORE_THAN_SOCKETS_BUFFER = 32 * 1024 * 1024;
const IMAGE = `/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`;

async function writeCertificate(): Promise<{ HTTPS_KEY_FILE: string; HTTPS_CERT_FILE: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  x509.cryptoProvider.set(webcrypto as typeof globalThis.crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    keys,
    signingAlgorithm: algorithm,
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const [HTTPS_KEY_FILE, HTTPS_CERT_FILE] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(HTTPS_KEY_FILE, `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`);
  writeFileSync(HTTPS_CERT_FILE, certificate.toString('pem'));
  return { HTTPS_KEY_FILE, HTTPS_CERT_FILE };
}

const statusOverTls = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    httpsGet(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).once('error', reject);
  });

describe('the endpoints of the image service', () => {
  it.each([IMAGE, '/live', '/none'])('answer %s with headers that restrict browsers', async (path) => {
    const [url = ''] = (await open()).endpoints;
    const { headers } = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${url}${path}`, { agent: false, method: 'HEAD' }, resolve).once('error', reject);
    });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });

  it('refuse a path that cannot be decoded with a problem that does not repeat a token', async () => {
    const [url = ''] = (await open()).endpoints;
    const answer = await fetch(`${url}/bytoken/canary-4711/%zz`);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const problem = await answer.text();
    expect(JSON.parse(problem)).toMatchObject({ type: 'urn:muster:problem:invalid-input', status: 400 });
    expect(problem).not.toContain('canary-4711');
  });

  it('are one with TLS and one without for the files of network boot', async () => {
    const { endpoints } = await open({ ...(await writeCertificate()), HTTP_LISTEN_PORT: '0' });
    const [secure = '', plain = ''] = endpoints;
    expect([secure.slice(0, 8), plain.slice(0, 7)]).toEqual(['https://', 'http://']);
    expect(await statusOverTls(`${secure}${IMAGE}`)).toBe(200);
    const status = async (path: string): Promise<number> => (await fetch(`${plain}${path}`)).status;
    expect(await status(IMAGE)).toBe(404);
    expect(await status(`/images/${INFRA_ENV_ID}?type=full-iso&version=4.18`)).toBe(404);
    // The paths exist, although this base image has neither file.
    expect(await status(`/images/${INFRA_ENV_ID}/pxe-initrd?version=4.18`)).toBe(500);
    expect(await status('/boot-artifacts/kernel')).toBe(400);
    expect(await status('/health')).toBe(200);
  });

  it('are one without TLS when no certificate is configured', async () => {
    const { endpoints } = await open({ HTTP_LISTEN_PORT: '0' });
    expect(endpoints).toHaveLength(1);
    expect((await fetch(`${endpoints[0]}${IMAGE}`, { method: 'HEAD' })).status).toBe(200);
  });

  it.each([
    ['a key without a certificate', { HTTPS_KEY_FILE: join(folder, 'key.pem') }, /HTTPS_CERT_FILE/],
    ['a file that does not exist', { HTTPS_KEY_FILE: '/absent', HTTPS_CERT_FILE: '/absent' }, /HTTPS_KEY_FILE/],
    [
      'headers that are not valid JSON',
      { OS_IMAGES_REQUEST_HEADERS: '{"a":"canary-4711"' },
      /OS_IMAGES_REQUEST_HEADERS.*not shown/,
    ],
    [
      'a digest that is not hexadecimal',
      { OS_IMAGES: '[{"openshift_version":"1","cpu_architecture":"x","url":"u","version":"v","sha256":"x"}]' },
      /sha256/,
    ],
  ])('do not open with %s', async (_, environment, reason) => {
    await writeCertificate();
    const start = open(environment);
    await expect(start).rejects.toThrow(reason);
    await expect(start).rejects.not.toThrow(/canary-4711/);
  });

  it('permit requests of browsers from allowed origins', async () => {
    const { url } = await open({ ALLOWED_DOMAINS: 'https://console.example.com, https://*.lab.example.com' });
    const ask = async (origin: string, method = 'GET') => {
      const headers = { origin, ...(method === 'OPTIONS' && { 'access-control-request-method': 'GET' }) };
      return fetch(`${url}${IMAGE}`, { method, headers });
    };
    const allowed = await ask('https://console.example.com');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://console.example.com',
    ]);
    expect((await ask('https://evil.example.com')).headers.get('access-control-allow-origin')).toBeNull();
    const preflight = (await ask('https://a.lab.example.com', 'OPTIONS')).headers;
    expect([
      preflight.get('access-control-allow-methods'),
      preflight.get('access-control-allow-headers'),
      preflight.get('access-control-max-age'),
    ]).toEqual(['GET, HEAD', 'Authorization, Content-Type', '600']);
  });
});

describe('a client that does not finish its headers', () => {
  const TIMEOUTS = { headersTimeout: 50, requestTimeout: 60_000, connectionsCheckingInterval: 20 };

  const answerOf = (socket: Socket): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.once('close', () => resolve(answer));
      socket.once('error', reject);
      socket.write('GET /live HTTP/1.1\r\nHost: x\r\n');
    });

  it.each([true, false])('is disconnected by the first endpoint, with TLS: %p', async (withTls) => {
    const { HTTPS_KEY_FILE, HTTPS_CERT_FILE } = await writeCertificate();
    const tls = { key: readFileSync(HTTPS_KEY_FILE, 'utf8'), cert: readFileSync(HTTPS_CERT_FILE, 'utf8') };
    const server = createImageServer({ tls: withTls ? tls : undefined }, TIMEOUTS).getInstance();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const port = portOf(server.server);
    const socket = withTls ? connectTls({ port, rejectUnauthorized: false }) : connect(port, '127.0.0.1');
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 408 /);
    await server.close();
  });

  it('is disconnected by the second endpoint', async () => {
    const options = { port: 0, host: '127.0.0.1', isBesideTls: true };
    const server = await openPlainTransport((_request, response) => response.end(), options, TIMEOUTS);
    expect(await answerOf(connect(server.port, '127.0.0.1'))).toMatch(/^HTTP\/1\.1 408 /);
    await server.close();
  });
});

describe('a download while the service stops', () => {
  const startDownload = (url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(url, { agent: false }, (answer) => resolve(answer.pause())).once('error', reject);
    });

  it('completes within the time limit, while new requests are refused', async () => {
    stage = await openImageStage(nats.url, {}, MORE_THAN_SOCKETS_BUFFER);
    const { url, base } = stage;
    const download = await startDownload(`${url}${IMAGE}`);
    const closed = stage.close();
    stage = undefined;
    await eventually('the endpoint is closed', () =>
      fetch(`${url}/health`).then(
        () => false,
        () => true,
      ),
    );
    let bytes = 0;
    for await (const chunk of download) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(base.length);
    await closed;
  });

  it('is aborted at the time limit when the client does not read', async () => {
    stage = await openImageStage(nats.url, {}, MORE_THAN_SOCKETS_BUFFER);
    const download = await startDownload(`${stage.url}${IMAGE}`);
    await stage.close();
    stage = undefined;
    const read = async (): Promise<number> => {
      let bytes = 0;
      for await (const chunk of download) bytes += (chunk as Buffer).length;
      return bytes;
    };
    await expect(read()).rejects.toThrow(/aborted/);
  });
});

describe('an origin', () => {
  it.each([
    ['https://a.example.com', true],
    ['HTTPS://A.EXAMPLE.COM', true],
    ['https://.example.com', true],
    ['https://example.com', false],
    ['http://a.example.com', false],
    ['https://a.example.com.evil.org', false],
    ['', false],
  ])('%j matches https://*.example.com: %s', (origin, expected) => {
    expect(isAllowedOrigin(origin, ['https://*.example.com'])).toBe(expected);
  });
});

describe('the endpoint without TLS beside one with TLS', () => {
  it.each([
    ['/boot-artifacts/rootfs?version=1', true],
    [`/images/${INFRA_ENV_ID}/pxe-initrd?arch=x86_64`, true],
    [`/images/${INFRA_ENV_ID}/s390x-initrd-addrsize`, false],
    [`/images/${INFRA_ENV_ID}?x=/pxe-initrd`, false],
    [`/images/${INFRA_ENV_ID}#type=full-iso&version=4.18&x=/pxe-initrd`, false],
    ['/byid/pxe-initrd', false],
    ['/', false],
  ])('serves %s: %s', (url, expected) => {
    expect(isForNetworkBoot(url)).toBe(expected);
  });
});
