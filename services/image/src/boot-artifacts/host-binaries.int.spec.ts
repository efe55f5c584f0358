import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import 'reflect-metadata';
import { type ImageStage, openImageStage } from '../image-stage.fixture.spec';

const PROGRAM = Buffer.from('an executable '.repeat(1_000));
const EARLIER = Buffer.from('the executable of an earlier build');
const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const directory = temporaryDirectory();
let nats: NatsServer;
let stage: ImageStage;

beforeAll(async () => {
  const given = (architecture: string, content: Buffer) => {
    const sha256 = digestOf(content);
    const file = `muster-host-${architecture}-${sha256.slice(0, 12)}`;
    writeFileSync(join(directory.path, file), content);
    writeFileSync(join(directory.path, `${file}.gz`), gzipSync(content));
    return { architecture, file, sha256, bytes: content.length };
  };
  const binaries = [given('x86_64', PROGRAM)];
  const earlier = [given('x86_64', EARLIER), given('aarch64', EARLIER)];
  writeFileSync(join(directory.path, 'index.json'), JSON.stringify({ version: '1', binaries, earlier }));
  nats = await startNatsServer();
  stage = await openImageStage(nats.url, { MUSTER_HOST_BINARIES: directory.path });
});
afterAll(async () => {
  await stage.close();
  await nats.stop();
  directory.remove();
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const fetchBinary = (headers: { readonly [name: string]: string } = {}, name = 'x86_64'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    get(`${stage.url}/host-binaries/${name}`, { headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });

describe('the executables for hosts', () => {
  it('are sent unchanged', async () => {
    const { body, headers, status } = await fetchBinary();
    expect(status).toBe(200);
    expect(body.equals(PROGRAM)).toBe(true);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBe('accept-encoding');
  });

  it('are sent compressed with another ETag when the client accepts gzip', async () => {
    const plain = await fetchBinary();
    const { body, headers } = await fetchBinary({ 'accept-encoding': 'deflate, gzip, br' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(body).equals(PROGRAM)).toBe(true);
    expect(headers.etag).not.toBe(plain.headers.etag);
  });

  it('are not compressed where the client refuses gzip', async () => {
    expect((await fetchBinary({ 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
  });

  it('continue an interrupted download', async () => {
    const { body, headers, status } = await fetchBinary({ range: 'bytes=13000-' });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes 13000-${PROGRAM.length - 1}/${PROGRAM.length}`);
    expect(body.equals(PROGRAM.subarray(13_000))).toBe(true);
  });

  it('are not sent again to a client that has them', async () => {
    const { headers } = await fetchBinary();
    expect((await fetchBinary({ 'if-none-match': headers.etag ?? '' })).status).toBe(304);
  });

  it('answer 404 for an architecture without an executable, with the available ones', async () => {
    const { body, status } = await fetchBinary({}, 's390x');
    expect(status).toBe(404);
    expect(body.toString()).toMatch(/No host executable is available for architecture s390x/);
    expect(body.toString()).toContain('x86_64');
  });

  it('answer without compression when there is none to send', async () => {
    const { body, headers, status } = await fetchBinary({ 'accept-encoding': 'gzip' }, 's390x');
    expect(status).toBe(404);
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toMatch(/No host executable is available/);
  });
});

describe('the executable with a digest', () => {
  it.each([
    ['the last build', PROGRAM],
    ['an earlier build', EARLIER],
  ])('is that of %s', async (_, content) => {
    const name = `x86_64?sha256=${digestOf(content)}`;
    expect((await fetchBinary({}, name)).body.equals(content)).toBe(true);
    const { body } = await fetchBinary({ 'accept-encoding': 'gzip' }, name);
    expect(gunzipSync(body).equals(content)).toBe(true);
  });

  it('is also found for an architecture that the last build does not have', async () => {
    expect((await fetchBinary({}, 'aarch64')).status).toBe(404);
    expect((await fetchBinary({}, `aarch64?sha256=${digestOf(EARLIER)}`)).body.equals(EARLIER)).toBe(true);
  });

  it.each(['ab'.repeat(32), '', 'x', `${'ab'.repeat(32)}&sha256=${'ab'.repeat(32)}`])(
    'is refused with the digests that are available when it is %p',
    async (digest) => {
      const { body, status } = await fetchBinary({}, `x86_64?sha256=${digest}`);
      expect(status).toBe(404);
      expect(body.toString()).toMatch(/No host executable for architecture x86_64 has the SHA-256 digest/);
      expect(body.toString()).toContain(digestOf(PROGRAM));
      expect(body.toString()).toContain(digestOf(EARLIER));
    },
  );

  it.each(['identity', 'gzip'])('is refused as unknown after a later build has removed it: %s', async (encoding) => {
    const sha256 = digestOf(EARLIER);
    for (const ending of ['', '.gz'])
      rmSync(join(directory.path, `muster-host-aarch64-${sha256.slice(0, 12)}${ending}`), { force: true });
    const answer = await fetchBinary({ 'accept-encoding': encoding }, `aarch64?sha256=${sha256}`);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.body.toString()).toMatch(/No host executable for architecture aarch64 has the SHA-256 digest/);
  });
});
