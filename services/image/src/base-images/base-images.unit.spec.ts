import type { Requests } from '@muster/ports';
import type { ProblemCode } from '@muster/problems';
import type { ImageConfig } from '../config';
import { BaseImages } from './base-images';
import type { ImageSources } from './image-sources';

const DIRECTORIES = { store: { directory: '/srv/muster/base-images' }, imageDirectory: '/srv/images/' };

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
    const images = new BaseImages(
      { ...DIRECTORIES, osImages: [entry] } as unknown as ImageConfig,
      sources,
      {} as Requests,
    );
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

describe('a refusal because of a base image that cannot be opened', () => {
  it('does not contain the directories of this machine, because boot artifacts are public', async () => {
    const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'x.iso', version: '418' };
    for (const [path, shown] of [
      ['/srv/images/x.iso', 'IMAGE_DIRECTORY/x.iso'],
      ['/srv/muster/base-images/x.iso', 'DATA_DIR/x.iso'],
    ]) {
      const error = Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
      const open = () => Promise.reject(error);
      const hold = async () => ({ key: 'x.iso', open, forget: () => undefined, release: () => undefined });
      const config = { ...DIRECTORIES, osImages: [entry] } as unknown as ImageConfig;
      const images = new BaseImages(config, { hold } as unknown as ImageSources, {} as Requests);
      await expect(images.find('4.18', 'x86_64')).rejects.toThrow(`ENOENT: no such file or directory, open '${shown}'`);
    }
  });
});

describe('the list of base images', () => {
  it('has the reason of a failed download without the directory of this machine', () => {
    const entry = { openshift_version: '4.18', cpu_architecture: 'x86_64', url: 'https://a.lan/x.iso', version: '418' };
    const reason = "ENOSPC: no space left on device, open '/srv/muster/base-images/x.iso.partial'";
    const sources = { state: () => ({ kind: 'failed', reason, retryAtMs: 0 }) } as unknown as ImageSources;
    const config = { ...DIRECTORIES, osImages: [entry] } as unknown as ImageConfig;
    expect(new BaseImages(config, sources, {} as Requests).list()).toMatchObject([
      { state: 'failed', reason: "ENOSPC: no space left on device, open 'DATA_DIR/x.iso.partial'" },
    ]);
  });
});
