import { readServiceBaseUrl, SettingsReader } from '@muster/nest-kit';
import { temporaryDirectory } from '@muster/testing';
import { startEmbedded } from './embedded';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('all services in one process', () => {
  it('announce the ports that were selected for REST_PORT=0 and IMAGE_PORT=0 to hosts', async () => {
    const directory = temporaryDirectory();
    const muster = await startEmbedded(
      {
        MUSTER_DATA_DIRECTORY: directory.path,
        MUSTER_SIMULATED_IMAGE: 'false',
        REST_HOST: '127.0.0.1',
        REST_PORT: '0',
        IMAGE_HOST: '127.0.0.1',
        IMAGE_PORT: '0',
      },
      SILENT,
    );
    try {
      const endpointOf = (name: string): string =>
        muster.services.find((service) => service.name === name)?.endpoints[0] ?? '';
      const api = endpointOf('gateway');
      expect(readServiceBaseUrl(new SettingsReader(muster.platform.environment))).toBe(api);
      const answer = await fetch(`${api}/api/assisted-install/v2/infra-envs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          name: 'one',
          openshift_version: '4.18',
          pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}',
        }),
      });
      const { download_url: link } = (await answer.json()) as { download_url: string };
      expect(new URL(link).origin).toBe(endpointOf('image'));
    } finally {
      await muster.close();
      directory.remove();
    }
  });
});
