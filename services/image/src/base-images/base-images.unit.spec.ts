import type { Requests } from '@muster/ports';
import type { ProblemCode } from '@muster/problems';
import type { ImageConfig } from '../config';
import { BaseImages } from './base-images';
import type { ImageSources } from './image-sources';

describe('a stored base image that cannot be opened', () => {
  /** Returns how often the image was forgotten, after which it is downloaded again. */
  async function forgottenAfter(code: string, refusal: ProblemCode): Promise<number> {
    let forgotten = 0;
    const sources = {
      hold: async () => ({
        key: 'stored.iso',
        open: () => Promise.reject(Object.assign(new Error(code), { code })),
        forget: () => (forgotten += 1),
        release: () => undefined,
      }),
    } as unknown as ImageSources;
    const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'https://a.lan/x.iso', version: '418' };
    const images = new BaseImages({ osImages: [entry] } as unknown as ImageConfig, sources, {} as Requests);
    const reason: unknown = expect.stringContaining(`cannot be used: ${code}`);
    for (let request = 0; request < 2; request += 1)
      await expect(images.find('4.18', 'x86_64')).rejects.toMatchObject({ refusal: { code: refusal, reason } });
    return forgotten;
  }

  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])('for lack of resources (%s) is kept', async (code) => {
    expect(await forgottenAfter(code, 'busy')).toBe(0);
  });

  it.each(['ENOENT', 'EIO'])('because it is missing or damaged (%s) is downloaded again', async (code) => {
    expect(await forgottenAfter(code, 'internal')).toBe(2);
  });
});

describe('the list of base images', () => {
  it('has the reason of a failed download without the directory of this machine', () => {
    const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'https://a.lan/x.iso', version: '418' };
    const reason = "ENOSPC: no space left on device, open '/srv/muster/base-images/x.iso.partial'";
    const sources = { state: () => ({ kind: 'failed', reason, retryAtMs: 0 }) } as unknown as ImageSources;
    const config = { osImages: [entry], store: { directory: '/srv/muster/base-images' } } as unknown as ImageConfig;
    expect(new BaseImages(config, sources, {} as Requests).list()).toMatchObject([
      { state: 'failed', reason: "ENOSPC: no space left on device, open 'DATA_DIR/x.iso.partial'" },
    ]);
  });
});
