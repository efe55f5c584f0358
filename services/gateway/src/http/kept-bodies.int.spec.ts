import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';
import { JOINED_MAX_BYTES } from './file-answers';

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

const CLUSTER = `${API}/v2/clusters/${CLUSTER_ID}`;
const READS = [CLUSTER, `${CLUSTER}?exclude-hosts=true`, `${API}/v2/clusters`, `${CLUSTER}/hosts`];

describe('a body that is kept', () => {
  let gateway: RunningGateway;
  let position = 0;
  const change = (name: string): Promise<void> => gateway.project(++position, [clusterDocument({ name })]);
  beforeAll(async () => {
    gateway = await startRunningGateway({ ALLOWED_DOMAINS: 'https://console.example.com' });
  });
  beforeEach(() => change('first'));
  afterAll(() => gateway.close());

  // Without the decompression of `fetch`.
  const read = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      request(gateway.url + path, { method, headers, agent: false }, (response) => {
        const { statusCode: status = 0, headers: given } = response;
        buffer(response).then((bytes) => resolve({ status, headers: given, bytes }), reject);
      })
        .on('error', reject)
        .end();
    });
  const tagOf = async (path: string): Promise<string> => String((await read(path)).headers.etag);

  it.each(READS)('is answered with 304 to a client that has it: %s', async (path) => {
    const tag = await tagOf(path);
    for (const given of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await read(path, { 'if-none-match': given });
      expect(answer).toMatchObject({ status: 304, bytes: Buffer.alloc(0), headers: { etag: tag } });
      expect(answer.headers['content-length']).toBeUndefined();
    }
    const other = await read(path, { 'if-none-match': '"other"' });
    expect(other).toMatchObject({ status: 200, headers: { etag: tag, 'cache-control': 'private, no-cache' } });
  });

  it.each(READS)('is answered to HEAD as to GET, without the body: %s', async (path) => {
    const { headers, bytes } = await read(path);
    const whole = await read(path, {}, 'HEAD');
    expect(whole).toMatchObject({ status: 200, bytes: Buffer.alloc(0), headers: { etag: headers.etag } });
    expect(whole.headers['content-length']).toBe(String(bytes.length));
    const known = await read(path, { 'if-none-match': String(headers.etag) }, 'HEAD');
    expect(known).toMatchObject({ status: 304, bytes: Buffer.alloc(0), headers: { etag: headers.etag } });
  });

  it.each(READS.slice(0, 3))('has another tag when a document has changed: %s', async (path) => {
    const tag = await tagOf(path);
    await change('second');
    const answer = await read(path, { 'if-none-match': tag });
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).not.toBe(tag);
    expect(answer.bytes.toString()).toContain('"name":"second"');
  });

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br;q=0.9', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])(
    'is sent compressed to a client that accepts %s once it was read several times',
    async (accepted, encoding, open) => {
      await change('x'.repeat(20_000));
      const plain = await read(CLUSTER);
      let compressed = plain;
      await eventually('the body is compressed', async () => {
        compressed = await read(CLUSTER, { 'accept-encoding': accepted });
        return compressed.headers['content-encoding'] === encoding;
      });
      expect(open(compressed.bytes)).toEqual(plain.bytes);
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(compressed.headers.etag).not.toBe(plain.headers.etag);
      expect((await read(CLUSTER, { 'if-none-match': String(compressed.headers.etag) })).status).toBe(304);
    },
  );

  it('may be a long list. A list above the limit is sent in parts and has no tag', async () => {
    const list = `${API}/v2/clusters`;
    await change('x'.repeat(9 * 1024 * 1024));
    expect((await read(list, { 'if-none-match': await tagOf(list) })).status).toBe(304);
    await change('y'.repeat(JOINED_MAX_BYTES));
    const { headers, bytes } = await read(list);
    expect(headers.etag).toBeUndefined();
    expect(bytes.length).toBe(Number(headers['content-length']));
    expect(JSON.parse(bytes.toString())).toMatchObject([{ name: 'y'.repeat(JOINED_MAX_BYTES) }]);
  });

  it('is sent plain to a client that accepts no encoding, and when it is short', async () => {
    const short = await Promise.all(Array.from({ length: 8 }, () => read(CLUSTER, { 'accept-encoding': 'gzip, br' })));
    await change('x'.repeat(20_000));
    const long = await Promise.all(
      Array.from({ length: 8 }, (_, index) => read(CLUSTER, index % 2 ? { 'accept-encoding': 'gzip;q=0' } : {})),
    );
    expect([...short, ...long].map(({ headers }) => headers['content-encoding'])).not.toContain('gzip');
    for (const { headers, bytes } of [...short, ...long]) expect(bytes.length).toBe(Number(headers['content-length']));
  });

  it('names the headers of the request on which it depends, for caches', async () => {
    const { headers } = await read(CLUSTER, { origin: 'https://console.example.com' });
    expect(headers.vary).toBe('Origin, Accept-Encoding, Authorization');
    expect(headers['access-control-expose-headers']).toContain('ETag');
  });

  it('does not apply to other responses', async () => {
    const { headers } = await read(`${API}/v2/clusters/default-config`, { 'if-none-match': '*' });
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(headers.etag).toBeUndefined();
  });
});
