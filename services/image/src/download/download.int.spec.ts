import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { bufferByteSource, readBootIsoLayout, readIgnitionConfig } from '@muster/boot-image';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { BUILD, GENERATED_AT, type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';
import { AREA_BYTES } from '../legacy-iso.fixture.spec';

let nats: NatsServer;
let stage: ImageStage;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());
afterEach(() => stage.close());

const open = async (environment = {}, tailBytes?: number): Promise<void> => {
  stage = await openImageStage(nats.url, environment, tailBytes);
};
const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${stage.url}${path}`, init);
const full = (version = '4.18', arch = 'x86_64', id = INFRA_ENV_ID): string =>
  `/byid/${id}/${version}/${arch}/full.iso`;
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const ignitionOf = async (image: Buffer): Promise<string> => {
  const source = bufferByteSource(image);
  return Buffer.from((await readIgnitionConfig(source, (await readBootIsoLayout(source)).ignition)) ?? '').toString();
};
const problem = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { readonly detail: string; readonly allowed?: readonly string[] }),
});

describe('a download', () => {
  beforeEach(() => open());

  it('is the base image with the document in it, otherwise unchanged', async () => {
    const document = JSON.stringify({ ignition: { version: '3.1.0' }, storage: { files: [{ path: '/etc/größe' }] } });
    stage.setIgnition(document);
    const response = await get(full());
    const image = await bytesOf(response);
    expect(response.status).toBe(200);
    expect(image.length).toBe(stage.base.length);
    expect(await ignitionOf(image)).toBe(document);
    const { ignition } = await readBootIsoLayout(bufferByteSource(image));
    stage.base.copy(image, ignition.offset, ignition.offset, ignition.offset + AREA_BYTES);
    expect(image.equals(stage.base)).toBe(true);
  });

  it('answers HEAD with size, tag and date', async () => {
    const [head, whole] = [await get(full(), { method: 'HEAD' }), await get(full())];
    expect((await bytesOf(head)).length).toBe(0);
    await bytesOf(whole);
    for (const { status, headers } of [head, whole]) {
      expect(status).toBe(200);
      expect(headers.get('content-length')).toBe(String(stage.base.length));
      expect(headers.get('accept-ranges')).toBe('bytes');
      expect(headers.get('last-modified')).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${INFRA_ENV_ID}-discovery.iso"`);
      expect(headers.get('etag')).toBe(whole.headers.get('etag'));
    }
  });

  it.each(['4.18', '4.18.3', BUILD, '4.17'])('of version %s exists', async (version) => {
    expect((await get(full(version), { method: 'HEAD' })).status).toBe(200);
  });

  it('has a second URL in the long form', async () => {
    const response = await get(`/images/${INFRA_ENV_ID}?type=full-iso&version=4.18`, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe(String(stage.base.length));
  });

  it('returns the same bytes in ranges and as a whole', async () => {
    const whole = await bytesOf(await get(full()));
    const cuts = [0, 1, 40_000, 100_000, 299_999, 400_001, whole.length];
    const parts: Buffer[] = [];
    for (const [index, start] of cuts.slice(0, -1).entries()) {
      const response = await get(full(), { headers: { range: `bytes=${start}-${(cuts[index + 1] ?? 0) - 1}` } });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(
        `bytes ${start}-${(cuts[index + 1] ?? 0) - 1}/${whole.length}`,
      );
      parts.push(await bytesOf(response));
    }
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  it('returns several ranges in one response', async () => {
    const whole = await bytesOf(await get(full()));
    const response = await get(full(), { headers: { range: 'bytes=0-9, 37000-37009,-5' } });
    const boundary = /boundary=(\S+)$/.exec(response.headers.get('content-type') ?? '')?.[1] ?? 'none';
    const body = (await bytesOf(response)).toString('latin1');
    expect(response.status).toBe(206);
    expect(response.headers.get('content-length')).toBe(String(body.length));
    const parts = body.split(`--${boundary}`).slice(1, -1);
    expect(parts.map((part) => part.slice(part.indexOf('\r\n\r\n') + 4, -2))).toEqual([
      whole.subarray(0, 10).toString('latin1'),
      whole.subarray(37_000, 37_010).toString('latin1'),
      whole.subarray(-5).toString('latin1'),
    ]);
    expect(parts[1]).toContain(`Content-Range: bytes 37000-37009/${whole.length}`);
  });

  it('answers 416 with its size for a range beyond its end', async () => {
    const response = await get(full(), { headers: { range: `bytes=${stage.base.length}-` } });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe(`bytes */${stage.base.length}`);
  });

  it('never contains parts of two documents after it is resumed', async () => {
    const etag = (await get(full(), { method: 'HEAD' })).headers.get('etag') ?? '';
    const headers = { range: 'bytes=300000-', 'if-range': etag };
    expect((await get(full(), { headers })).status).toBe(206);
    stage.setIgnition('{"ignition":{"version":"3.2.0"}}');
    const restarted = await get(full(), { headers });
    expect(restarted.status).toBe(200);
    expect(restarted.headers.get('etag')).not.toBe(etag);
    expect(await ignitionOf(await bytesOf(restarted))).toBe('{"ignition":{"version":"3.2.0"}}');
  });

  it('is rendered once for all ranges until the infra-env changes', async () => {
    await stage.givenKernelArguments('');
    for (const range of ['bytes=0-99', 'bytes=100-199', 'bytes=300000-300099'])
      await bytesOf(await get(full(), { headers: { range } }));
    expect(stage.rendered()).toBe(1);
    const etag = (await get(full(), { method: 'HEAD' })).headers.get('etag');
    stage.setIgnition('{"ignition":{"version":"3.2.0"}}');
    await stage.givenChange();
    const changed = await get(full());
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(await ignitionOf(await bytesOf(changed))).toBe('{"ignition":{"version":"3.2.0"}}');
    expect(stage.rendered()).toBe(2);
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await get(full(), { method: 'HEAD' })).headers.get('etag') ?? '';
    expect((await get(full(), { headers: { 'if-none-match': `"x", ${etag}` } })).status).toBe(304);
    expect((await get(full(), { headers: { 'if-modified-since': new Date(GENERATED_AT).toUTCString() } })).status).toBe(
      304,
    );
    const older = { 'if-modified-since': new Date(Date.parse(GENERATED_AT) - 2_000).toUTCString() };
    expect((await get(full(), { method: 'HEAD', headers: older })).status).toBe(200);
  });

  it('is recorded when the first one starts and when one is complete', async () => {
    await bytesOf(await get(full(), { headers: { range: 'bytes=0-99' } }));
    await eventually('a first download', async () => (await stage.facts()).length === 1);
    await bytesOf(await get(full()));
    await eventually('a completed download', async () => (await stage.facts()).length === 2);
    await bytesOf(await get(full()));
    await get(full(), { method: 'HEAD' });
    const facts = await stage.facts();
    expect(facts.map(({ type, data }) => [type, data])).toEqual([
      [
        'ImageFirstDownloaded',
        {
          infraEnvId: INFRA_ENV_ID,
          imageType: 'full-iso',
          version: '4.18',
          arch: 'x86_64',
          bytes: stage.base.length,
        },
      ],
      [
        'ImageDownloadCompleted',
        {
          infraEnvId: INFRA_ENV_ID,
          imageType: 'full-iso',
          bytes: stage.base.length,
          changedMs: expect.any(Number) as number,
        },
      ],
    ]);
  });
});

describe('a download that is refused', () => {
  beforeEach(() => open());

  it.each([
    ['an unknown version', full('4.99'), 404, /4\.99/],
    ['an unknown architecture', full('4.18', 's390x'), 404, /s390x/],
    ['an unknown file name', `/byid/${INFRA_ENV_ID}/4.18/x86_64/kernel`, 404, /kernel/],
    [
      'a minimal image of a base image without boot menu',
      `/byid/${INFRA_ENV_ID}/4.18/x86_64/minimal.iso`,
      400,
      /is not a boot menu|has no boot menu/,
    ],
    [
      'a disconnected image that is not in the catalogue',
      `/byid/${INFRA_ENV_ID}/4.18/x86_64/disconnected.iso`,
      404,
      /disconnected-iso/,
    ],
    ['an id that is not a UUID', full('4.18', 'x86_64', '..%2Fx'), 404, /Infra-env/],
    ['a base image that is not an ISO', full('4.16'), 500, /4\.16.*not an ISO/],
    ['a base image that does not exist', full('4.15'), 500, /missing\.iso/],
    ['a base image outside of the directory', full('4.14'), 500, /IMAGE_DIRECTORY/],
    ['a base image that is not downloaded yet', full('4.13'), 503, /rhcos-full-iso-413-x86_64\.iso/],
    ['no type', `/images/${INFRA_ENV_ID}?version=4.18`, 400, /type is missing/],
    ['no version', `/images/${INFRA_ENV_ID}?type=full-iso`, 400, /version is missing/],
    ['two types', `/images/${INFRA_ENV_ID}?type=full-iso&type=minimal-iso&version=4.18`, 400, /type is repeated/],
    ['two versions', `/images/${INFRA_ENV_ID}?type=full-iso&version=4.18&version=4.17`, 400, /version is repeated/],
    [
      'two architectures',
      `/images/${INFRA_ENV_ID}?type=full-iso&version=4.18&arch=arm64&arch=s390x`,
      400,
      /arch is repeated/,
    ],
    [
      'two architectures of a network boot',
      `/images/${INFRA_ENV_ID}/pxe-initrd?version=4.18&arch=arm64&arch=s390x`,
      400,
      /arch is repeated/,
    ],
    [
      'two architectures of a boot file',
      '/boot-artifacts/kernel?version=4.18&arch=arm64&arch=s390x',
      400,
      /arch is repeated/,
    ],
    ['another address', '/nothing', 404, /The path was not found/],
  ])('answers the status and reason for %s', async (_, path, status, detail) => {
    expect(await problem(await get(path))).toMatchObject({ status, detail: expect.stringMatching(detail) as string });
    expect(await stage.facts()).toEqual([]);
  });

  it('lists the available versions', async () => {
    expect((await problem(await get(full('4.99')))).allowed).toContain('4.18/x86_64');
  });

  it('returns the refusal of the ignition service', async () => {
    stage.setIgnition(undefined);
    expect(await problem(await get(full()))).toMatchObject({ status: 404, detail: 'There is no such infra-env.' });
  });

  it('reports by how much a document is too large', async () => {
    const noise = Array.from({ length: 12_000 }, (_, index) =>
      createHash('sha256').update(String(index)).digest('base64'),
    );
    stage.setIgnition(JSON.stringify(noise));
    expect(await problem(await get(full()))).toMatchObject({
      status: 413,
      detail: expect.stringMatching(/\d+ bytes too large/) as string,
    });
  });

  it.each([
    ['[{"operation":"append","value":"a=1"}]', /no area for kernel arguments/],
    ['[{"operation":"delete","value":"a=1"}]', /operation must be one of append/],
    ['{', /must be a JSON document/],
  ])('reports what is wrong with the kernel arguments %s', async (kernelArguments, detail) => {
    await stage.givenKernelArguments(kernelArguments);
    expect(await problem(await get(full()))).toMatchObject({
      status: 400,
      detail: expect.stringMatching(detail) as string,
    });
  });
});

describe('a client that disconnects', () => {
  it('frees its download slot', async () => {
    // More bytes than the socket buffers of both sides contain.
    await open({ MAX_CONCURRENT_REQUESTS: '1' }, 32 * 1024 * 1024);
    const slow = request(`${stage.url}${full()}`);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      slow.once('response', resolve);
      slow.once('error', reject);
      slow.end();
    });
    response.on('error', () => undefined).pause();
    const busy = await get(full());
    expect(busy.headers.get('retry-after')).toBe('5');
    expect(await problem(busy)).toMatchObject({
      status: 503,
      detail: expect.stringMatching(/MAX_CONCURRENT_REQUESTS/) as string,
    });
    slow.destroy();
    await eventually('the download slot is free', async () => (await get(full(), { method: 'HEAD' })).status === 200);
  });
});

describe('the image service', () => {
  it('answers /health with 200', async () => {
    await open();
    for (const path of ['/health', '/live']) expect((await get(path)).status).toBe(200);
  });

  it('counts responses by route, without tokens', async () => {
    await open();
    const canary = `e30.${Buffer.from(JSON.stringify({ sub: INFRA_ENV_ID })).toString('base64url')}.canary`;
    await bytesOf(await get(`/byapikey/${canary}/4.18/x86_64/full.iso`));
    const labels = 'service="",handler="/byapikey/:token",method="GET",code="200"';
    const counted = `assisted_image_service_http_request_duration_seconds_count{${labels}} 1`;
    await eventually('the response is counted', async () => (await (await get('/metrics')).text()).includes(counted));
    const text = await (await get('/metrics')).text();
    expect(text).toContain('assisted_image_service_http_requests_inflight{service="",handler="/byapikey/:token"} 0');
    expect(text).not.toContain('canary');
  });
});
