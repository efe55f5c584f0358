import { type IncomingMessage, request } from 'node:http';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';

/** More bytes than the socket buffers of both sides contain. */
const TAIL_BYTES = 32 * 1024 * 1024;

describe('boot files while the number of concurrent downloads is at its limit', () => {
  let nats: NatsServer;
  let stage: ImageStage;
  beforeAll(async () => {
    nats = await startNatsServer();
    stage = await openImageStage(nats.url, { MAX_CONCURRENT_REQUESTS: '1' }, TAIL_BYTES, [
      { file: coreOsIso('x86_64'), openshift_version: '4.20', cpu_architecture: 'x86_64', version: '420' },
    ]);
  });
  afterAll(async () => {
    await stage.close();
    await nats.stop();
  });

  /** Starts a download that takes the only slot until it is destroyed. */
  const occupy = async () => {
    const slow = request(`${stage.url}/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      slow.once('response', resolve);
      slow.once('error', reject);
      slow.end();
    });
    expect(response.statusCode).toBe(200);
    response.on('error', () => undefined).pause();
    return slow;
  };
  const get = (path: string, signal?: AbortSignal): Promise<Response> => fetch(`${stage.url}${path}`, { signal });
  const paths = [
    '/boot-artifacts/kernel?version=4.20',
    '/boot-artifacts/rootfs?version=4.20',
    `/images/${INFRA_ENV_ID}/pxe-initrd?version=4.20`,
  ];

  it('wait for their turn, because firmware and ramdisks do not repeat a refused request', async () => {
    const slow = await occupy();
    const gone = new AbortController();
    const aborted = get('/boot-artifacts/kernel?version=4.20', gone.signal).catch(() => 'aborted');
    const answers = paths.map((path) =>
      get(path).then(async (answer) => [answer.status, await answer.text()] as const),
    );
    const first = await Promise.race([...answers, get(`/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`)]);
    expect(first).toMatchObject({ status: 503 });
    gone.abort();
    expect(await aborted).toBe('aborted');
    slow.destroy();
    const received = await Promise.all(answers);
    expect(received.map(([status]) => status)).toEqual([200, 200, 200]);
    expect(received[1]?.[1]).toContain('root file system of x86_64');
    const image = `${stage.url}/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`;
    const isFree = async (): Promise<boolean> => (await fetch(image, { method: 'HEAD' })).status === 200;
    await eventually('the download slot is free', isFree);
  });
});
