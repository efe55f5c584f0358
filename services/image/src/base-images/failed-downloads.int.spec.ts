import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { BUILD, type ImageStage, openImageStage } from '../image-stage.fixture.spec';
import { type FileServer, startFileServer } from '../remote/file-server.fixture.spec';

const FIVE_MINUTES_MS = 300_000;
const BASE = coreOsIso('x86_64');

describe('a failed download of a base image', () => {
  let nats: NatsServer;
  let stage: ImageStage;
  let server: FileServer;
  /** Ends the interval of five minutes. */
  let passFiveMinutes: () => void;
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  beforeEach(async () => {
    server = await startFileServer();
    let passedMs = 0;
    const works: (() => void)[] = [];
    const { setInterval: realInterval } = globalThis;
    const realNow = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
    jest.spyOn(globalThis, 'setInterval').mockImplementation((work, ms) => {
      if (ms === FIVE_MINUTES_MS) works.push(work);
      return realInterval(work, ms);
    });
    passFiveMinutes = () => {
      passedMs += FIVE_MINUTES_MS;
      for (const work of works) work();
    };
  });
  afterEach(async () => {
    await stage.close();
    await server.close();
    jest.restoreAllMocks();
  });
  afterAll(() => nats.stop());

  const open = async (OS_IMAGES_FETCH: string): Promise<void> => {
    const image = (openshift_version: string, version: string) => ({
      openshift_version,
      cpu_architecture: 'x86_64',
      url: `${server.url}?${version}`,
      version,
    });
    stage = await openImageStage(nats.url, {
      OS_IMAGES: JSON.stringify([image('4.18', BUILD), image('4.17', '417')]),
      OS_IMAGES_FETCH,
      OS_IMAGES_ROOTFS_BYTES_MIN: '1000',
      OS_IMAGES_KERNEL_BYTES_MIN: '1',
    });
  };
  const states = async (): Promise<readonly string[]> => {
    const list: unknown = await (await fetch(`${stage.url}/base-images`)).json();
    return (list as readonly { readonly state: string }[]).map(({ state }) => state);
  };
  const become = (...expected: readonly string[]): Promise<unknown> =>
    eventually(`the images are ${expected.join()}`, async () => (await states()).join() === expected.join());

  it('at the start is repeated until it succeeds, without a request', async () => {
    server.serve(BASE, { status: 503 });
    await open('eager');
    await become('failed', 'failed');
    const { length } = server.ranges;
    passFiveMinutes();
    await eventually('both are repeated', () => server.ranges.length === 2 * length);
    await become('failed', 'failed');
    server.serve(BASE);
    passFiveMinutes();
    await become('ready', 'ready');
  });

  it('of an infra-env is repeated, and no other image is downloaded', async () => {
    server.serve(BASE, { status: 503 });
    await open('lazy');
    await stage.givenInfraEnv({ openshiftVersion: '4.17', cpuArchitecture: 'x86_64', imageType: 'full-iso' });
    await become('absent', 'failed');
    server.serve(BASE);
    passFiveMinutes();
    await become('absent', 'ready');
    passFiveMinutes();
    await become('absent', 'ready');
  });
});
