import { createHash } from 'node:crypto';
import { temporaryDirectory } from '@muster/testing';
import { MusterProcess } from './muster-process';
import { RestClient } from './rest-client';
import { PULL_SECRET } from './scenario';

describe('a restart', () => {
  jest.setTimeout(120_000);
  const directory = temporaryDirectory();
  let muster: MusterProcess;
  afterAll(async () => {
    await muster.stop();
    directory.remove();
  });

  it('does not change the images of an infra-env', async () => {
    muster = await MusterProcess.prepare({ dataDirectory: directory.path });
    await muster.start();
    const client = new RestClient(muster.restUrl);
    const version = { openshift_version: '4.18', pull_secret: PULL_SECRET };
    const infraEnv = await client.post<{ id: string }>('/infra-envs', { ...version, name: 'restart' });
    const image = async (): Promise<{
      readonly etag: string | null;
      readonly modified: string | null;
      readonly digest: string;
    }> => {
      const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
      const response = await fetch(url);
      const digest = createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
      return { etag: response.headers.get('etag'), modified: response.headers.get('last-modified'), digest };
    };
    const before = await image();
    await muster.stop();
    await muster.start();
    expect(await image()).toEqual(before);
    expect(before.etag).toMatch(/^"/);
  });
});
