import {
  createRamdisk,
  openIso,
  NETWORK_AREA_BYTES,
  NETWORK_AREA_PATH,
  bufferByteSource,
  readBootIsoLayout,
  readIgnitionConfig,
  readInitramfs,
  readKargs,
  ignitionConfigOf,
} from '@muster/boot-image';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';
import { coreOsIso } from '../coreos-iso.fixture.spec';

let nats: NatsServer;
let stage: ImageStage;
const BASE_URL = 'http://images.example.com:8888';
const ramdisk = createRamdisk([{ path: '/etc/assisted/network/host0/eth0.nmconnection', mode: 0o600, content: 'x' }]);
beforeAll(async () => {
  nats = await startNatsServer();
  stage = await openImageStage(nats.url, { IMAGE_SERVICE_BASE_URL: BASE_URL }, undefined, [
    { file: coreOsIso('x86_64'), openshift_version: '4.20', cpu_architecture: 'x86_64', version: '420' },
    { file: coreOsIso('s390x'), openshift_version: '4.20', cpu_architecture: 's390x', version: '420z' },
    {
      file: coreOsIso('x86_64', 1),
      openshift_version: '4.20',
      cpu_architecture: 'x86_64',
      version: '420d',
      type: 'disconnected-iso',
    },
  ]);
});
beforeEach(() => stage.setNetworkRamdisk(new Uint8Array()));
afterAll(async () => {
  await stage.close();
  await nats.stop();
});

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${stage.url}${path}`, init);
const bytesOf = async (path: string): Promise<Buffer> => {
  const response = await get(path);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
};
const minimal = `/byid/${INFRA_ENV_ID}/4.20/x86_64/minimal.iso`;
const initrd = `/images/${INFRA_ENV_ID}/pxe-initrd?version=4.20`;

describe('a minimal image', () => {
  it('contains the document, the network and the URL of the root file system, but not the root file system', async () => {
    stage.setNetworkRamdisk(ramdisk);
    const source = bufferByteSource(await bytesOf(minimal));
    const image = await openIso(source);
    expect(await image.find('/images/pxeboot/rootfs.img')).toBeUndefined();
    const layout = await readBootIsoLayout(source);
    expect(Buffer.from((await readIgnitionConfig(source, layout.ignition)) ?? '').toString()).toContain('"3.1.0"');
    if (!layout.kargs) throw new Error('the image has room for kernel arguments');
    expect(await readKargs(source, layout.kargs)).toContain(
      `coreos.live.rootfs_url="${BASE_URL}/boot-artifacts/rootfs?arch=x86_64&version=420"`,
    );
    const network = await image.readFile(NETWORK_AREA_PATH, NETWORK_AREA_BYTES);
    expect(readInitramfs(network).at(-1)?.name).toBe('etc/assisted/network/host0/eth0.nmconnection');
  });

  it('keeps its size and gets another ETag when its network changes', async () => {
    const before = await get(minimal, { method: 'HEAD' });
    stage.setNetworkRamdisk(ramdisk);
    const after = await get(minimal, { method: 'HEAD' });
    expect(after.headers.get('content-length')).toBe(before.headers.get('content-length'));
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const full = await get(minimal.replace('minimal', 'full'), { method: 'HEAD' });
    expect(full.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('is smaller than the full image by the root file system', async () => {
    const rootfs = await bytesOf('/boot-artifacts/rootfs?version=420');
    expect(rootfs.toString()).toContain('root file system of x86_64');
    const sizes = await Promise.all(
      ['full', 'minimal'].map(async (file) => (await bytesOf(minimal.replace('minimal', file))).length),
    );
    expect((sizes[0] ?? 0) - (sizes[1] ?? 0)).toBeGreaterThan(rootfs.length - NETWORK_AREA_BYTES - 100_000);
  });

  it('is refused for s390x', async () => {
    const response = await get(minimal.replace('x86_64', 's390x'));
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('A minimal image cannot be created'),
    ]);
  });
});

describe('a disconnected image', () => {
  it('is made from the base image of that type and named after its architecture', async () => {
    const response = await get(minimal.replace('minimal', 'disconnected'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="agent-ove.x86_64.iso"');
    const source = bufferByteSource(Buffer.from(await response.arrayBuffer()));
    expect((await (await openIso(source)).readFile('/images/pxeboot/vmlinuz', 1_000)).toString()).toContain('1');
  });
});

describe('a network boot', () => {
  it('gets the ramdisk of the base image followed by document and network', async () => {
    stage.setNetworkRamdisk(ramdisk);
    const response = await get(initrd);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${INFRA_ENV_ID}-initrd.img"`);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(readInitramfs(bytes).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'etc/coreos-live-initramfs',
        'config.ign',
        'etc/assisted/network/host0/eth0.nmconnection',
      ]),
    );
    expect(Buffer.from(ignitionConfigOf(bytes) ?? '').toString()).toContain('"3.1.0"');
    const tail = await get(initrd, { headers: { range: 'bytes=-100' } });
    expect(Buffer.from(await tail.arrayBuffer()).equals(bytes.subarray(-100))).toBe(true);
  });

  it('compresses a document once, because all machines of an infra-env boot with it', async () => {
    const id = 'e1e1e1e1-0000-4000-8000-000000000003';
    await stage.givenInfraEnv({}, id);
    const compress = jest.spyOn(jest.requireActual<typeof import('fflate')>('fflate'), 'gzipSync');
    const path = `/images/${id}/pxe-initrd?version=4.20`;
    const [first, second] = [await bytesOf(path), await bytesOf(path)];
    const compressions = compress.mock.calls.length;
    compress.mockRestore();
    expect(first.equals(second)).toBe(true);
    expect(compressions).toBe(1);
  });

  it('gets address and size of the ramdisk on s390x', async () => {
    const whole = await bytesOf(`${initrd}&arch=s390x`);
    const told = await bytesOf(`/images/${INFRA_ENV_ID}/s390x-initrd-addrsize?version=4.20`);
    expect(told.length).toBe(16);
    expect([told.readBigUInt64BE(0), told.readBigUInt64BE(8)]).toEqual([0x0200_0000n, BigInt(whole.length)]);
    expect((await bytesOf('/boot-artifacts/ins-file?version=4.20&arch=s390x')).toString()).toContain('initrd.addrsize');
    expect((await bytesOf('/boot-artifacts/kernel?version=4.20&arch=s390x')).toString()).toContain('kernel of s390x');
  });

  it('gets kernel and root file system of the base image, also in ranges', async () => {
    const response = await get('/boot-artifacts/kernel?version=4.20', { headers: { range: 'bytes=0-5' } });
    expect([response.status, await response.text()]).toEqual([206, 'kernel']);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="vmlinuz"');
  });

  it.each([
    ['/boot-artifacts/initrd?version=4.20', 404, /rootfs/],
    ['/boot-artifacts/toString?version=4.20', 404, /toString/],
    ['/boot-artifacts/kernel', 400, /version is missing/],
    ['/boot-artifacts/kernel?version=4.99', 404, /4\.99/],
    ['/boot-artifacts/ins-file?version=4.20', 400, /s390x/],
    [`/images/${INFRA_ENV_ID}/pxe-initrd`, 400, /version is missing/],
    [`/images/${INFRA_ENV_ID}/pxe-initrd?version=4.99`, 400, /4\.99/],
    [`/images/${INFRA_ENV_ID}/s390x-initrd-addrsize`, 400, /version is missing/],
    [`/images/..%2F..%2Fetc/pxe-initrd?version=4.20`, 404, /Infra-env/],
  ])('is refused for %s with %i', async (path, status, detail) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(detail);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses the method %s', async (method) => {
    const response = await get('/boot-artifacts/kernel?version=4.20', { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('base images', () => {
  it('are listed with their download progress', async () => {
    const list = (await (await get('/base-images')).json()) as readonly Record<string, unknown>[];
    expect(list.find(({ version }) => version === '420d')).toEqual({
      openshift_version: '4.20',
      version: '420d',
      cpu_architecture: 'x86_64',
      type: 'disconnected-iso',
      state: 'ready',
    });
    expect(list.find(({ version }) => version === '413')).toMatchObject({ state: 'absent' });
  });
});
