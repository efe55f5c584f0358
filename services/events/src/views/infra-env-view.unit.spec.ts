import { COLLECTIONS } from '@muster/assisted-api';
import {
  type TestEvent,
  INFRA_ENV_ID,
  infraEnvRegistered,
  onImage,
  onInfraEnv,
  viewsAfter,
} from './view-events.fixture.spec';

describe('the document of an infra-env', () => {
  const sizeAfter = async (...more: readonly TestEvent[]): Promise<unknown> => {
    const { documents } = await viewsAfter(infraEnvRegistered(), ...more);
    return documents.get(`${COLLECTIONS.infraEnvs}/${INFRA_ENV_ID}`)?.['size_bytes'];
  };
  const downloaded = (imageType: string, bytes: number) => onImage('ImageFirstDownloaded', { imageType, bytes });

  it('contains the size of its image after a download, until a setting changes the image', async () => {
    expect(await sizeAfter()).toBeUndefined();
    expect(await sizeAfter(downloaded('full-iso', 1_000))).toBe(1_000);
    const revised = onInfraEnv('InfraEnvSettingsRevised', { changes: { openshiftVersion: '4.19' } as never });
    expect(await sizeAfter(downloaded('full-iso', 1_000), revised)).toBeUndefined();
    const completed = onImage('ImageDownloadCompleted', { imageType: 'full-iso', bytes: 3_000 });
    expect(await sizeAfter(downloaded('full-iso', 1_000), revised, completed)).toBe(3_000);
  });

  it('ignores images of another type', async () => {
    expect(await sizeAfter(downloaded('minimal-iso', 1_000))).toBeUndefined();
    const completed = onImage('ImageDownloadCompleted', { imageType: 'full-iso', bytes: 2_000 });
    expect(await sizeAfter(downloaded('minimal-iso', 1_000), completed)).toBe(2_000);
  });

  it('contains the digest of its trust bundle, and the text only for events of an earlier release', async () => {
    const revised = (changes: object) => onInfraEnv('InfraEnvSettingsRevised', { changes: changes as never });
    const bundleAfter = async (...more: readonly TestEvent[]): Promise<unknown> => {
      const { documents } = await viewsAfter(infraEnvRegistered(), ...more);
      const { _trust_bundle_digest: digest, additional_trust_bundle: text } =
        documents.get(`${COLLECTIONS.infraEnvs}/${INFRA_ENV_ID}`) ?? {};
      return { digest, text };
    };
    const former = revised({ additionalTrustBundle: 'PEM' });
    const replaced = revised({ additionalTrustBundle: '', trustBundle: { digest: 'sha256:1', bytes: 2 } });
    expect(await bundleAfter(former)).toEqual({ digest: undefined, text: 'PEM' });
    expect(await bundleAfter(former, replaced)).toEqual({ digest: 'sha256:1', text: undefined });
    const removed = revised({ trustBundle: { digest: '', bytes: 0 } });
    expect(await bundleAfter(former, replaced, removed)).toEqual({ digest: undefined, text: undefined });
  });
});
