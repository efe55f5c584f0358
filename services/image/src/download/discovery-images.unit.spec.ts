import { bufferByteSource, createMinimalIso, RANGE_CHUNK_BYTES, readBootIsoLayout } from '@muster/boot-image';
import type { BaseImage } from '../base-images/base-image';
import type { BaseImages } from '../base-images/base-images';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { DiscoveryImages, type ImageRequest } from './discovery-images';
import type { InImageExecutable } from './in-image-executable';
import type { InfraEnvContent, InfraEnvContents } from './infra-env-content';

const REQUEST: ImageRequest = {
  infraEnvId: '11111111-1111-4111-8111-111111111111',
  type: 'full-iso',
  version: '4.20',
  architecture: 'x86_64',
  baseUrl: 'http://one.example.com',
};

async function baseImage(): Promise<BaseImage> {
  const source = bufferByteSource(coreOsIso('x86_64'));
  const layout = await readBootIsoLayout(source);
  const entry = { openshift_version: '4.20', cpu_architecture: 'x86_64', url: 'file:///base.iso', version: '420' };
  const minimal = (rootfsUrl: string) => createMinimalIso(source, layout, rootfsUrl);
  return { entry, source, layout, digest: 'd', modifiedMs: 0, minimal };
}

const contentOf = (config: string): InfraEnvContent => ({
  config: Buffer.from(config),
  appendKargs: ['one=1'],
  networkRamdisk: new Uint8Array(),
  modifiedMs: 0,
  changedMs: 0,
});

/** The image service with the parts that the spec sets. */
async function stageOf() {
  const parts = { base: await baseImage(), content: contentOf('{"a":1}') };
  const images = new DiscoveryImages(
    { find: async () => ({ image: parts.base, release: () => undefined }) } as unknown as BaseImages,
    { of: async () => parts.content } as unknown as InfraEnvContents,
    { archiveFor: async () => undefined, addTo: async (image: BaseImage) => image } as unknown as InImageExecutable,
  );
  return { parts, make: (other: Partial<ImageRequest> = {}) => images.make({ ...REQUEST, ...other }) };
}

describe('the image of an infra-env', () => {
  it('is made once for all requests with the same content', async () => {
    const { make } = await stageOf();
    const [first, second] = [await make(), await make()];
    expect(second.source).toBe(first.source);
    expect(second.etag).toBe(first.etag);
  });

  it('has its first bytes in memory', async () => {
    const { parts, make } = await stageOf();
    const read = jest.spyOn(parts.base.source, 'read');
    const { source, size } = await make();
    read.mockClear();
    const begin = await source.read(0, RANGE_CHUNK_BYTES);
    expect(read).not.toHaveBeenCalled();
    const whole = await source.read(0, size);
    expect(read).toHaveBeenCalled();
    expect(Buffer.from(begin)).toEqual(Buffer.from(whole.subarray(0, RANGE_CHUNK_BYTES)));
  });

  it('is made again for new content', async () => {
    const { parts, make } = await stageOf();
    const first = await make();
    parts.content = contentOf('{"a":2}');
    const second = await make();
    expect(second.source).not.toBe(first.source);
    expect(second.etag).not.toBe(first.etag);
  });

  it('is made again for another base image and another URL of the root file system', async () => {
    const { parts, make } = await stageOf();
    const first = await make();
    parts.base = { ...(await baseImage()), digest: 'e' };
    const second = await make();
    expect(second.etag).not.toBe(first.etag);
    const minimal = await make({ type: 'minimal-iso' });
    const elsewhere = await make({ type: 'minimal-iso', baseUrl: 'http://two.example.com' });
    expect(new Set([second.etag, minimal.etag, elsewhere.etag]).size).toBe(3);
  });
});
