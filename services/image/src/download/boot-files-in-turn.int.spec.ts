import { type IncomingMessage, request } from 'node:http';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';

const image = `/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`;
/** More bytes than the socket buffers of both sides contain. */
const TAIL_BYTES = 32 * 1024 * 1024;

describe('requests of booting machines while the number of concurrent downloads is at its limit', () => {
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
    const slow = request(`${stage.url}${image}`);
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
  const untilFree = (): Promise<void> =>
    eventually('the download slot is free', async () => {
      const { status } = await fetch(`${stage.url}${image}`, { method: 'HEAD' });
      return status === 200;
    });
  const paths = [
    '/boot-artifacts/kernel?version=4.20',
    '/boot-artifacts/rootfs?version=4.20',
    `/images/${INFRA_ENV_ID}/pxe-initrd?version=4.20`,
  ];

  it('wait as ranges of an image that a management controller reads while its machine boots', async () => {
    const slow = await occupy();
    const range = fetch(`${stage.url}${image}`, { headers: { range: 'bytes=2048-4095' } });
    const first = await Promise.race([range, get(image)]);
    expect(first.status).toBe(503);
    expect(await first.text()).toContain('MAX_CONCURRENT_REQUESTS');
    slow.destroy();
    const answer = await range;
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([206, 2048]);
    await untilFree();
  });

  it('wait for their turn, because firmware and ramdisks do not repeat a refused request', async () => {
    const slow = await occupy();
    const gone = new AbortController();
    const aborted = get('/boot-artifacts/kernel?version=4.20', gone.signal).catch(() => 'aborted');
    const answers = paths.map((path) =>
      get(path).then(async (answer) => [answer.status, await answer.text()] as const),
    );
    const first = await Promise.race([...answers, get(image)]);
    expect(first).toMatchObject({ status: 503 });
    gone.abort();
    expect(await aborted).toBe('aborted');
    slow.destroy();
    const received = await Promise.all(answers);
    expect(received.map(([status]) => status)).toEqual([200, 200, 200]);
    expect(received[1]?.[1]).toContain('root file system of x86_64');
    await untilFree();
  });
});
