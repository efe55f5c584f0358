import { join } from 'node:path';
import {
  eventually,
  type NatsServer,
  needsServer,
  startNatsServer,
  startTcpProxy,
  type TcpProxy,
  temporaryDirectory,
} from '@muster/testing';
import { freePort, SERVICES, type StartableService } from '@muster/service-muster';
import { MusterProcess, ServiceProcess } from './muster-process';

jest.setTimeout(240_000);

const V2 = '/api/assisted-install/v2';
const CLUSTER = {
  name: 'one',
  openshift_version: '4.18',
  base_dns_domain: 'example.com',
  pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}',
};
type Setting = 'MONGODB_URL' | 'MINIO_URL';

const createCluster = (restUrl: string): Promise<Response> =>
  fetch(`${restUrl}${V2}/clusters`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(CLUSTER),
  });
/** Logs are bodies in the object store. */
const uploadLogs = async (restUrl: string): Promise<Response> => {
  const { id } = (await (await createCluster(restUrl)).json()) as { readonly id: string };
  const body = new FormData();
  body.set('upfile', new Blob([id]), 'logs.tar.gz');
  return fetch(`${restUrl}${V2}/clusters/${id}/logs?logs_type=controller`, { method: 'POST', body });
};
const listClusters = (restUrl: string): Promise<Response> => fetch(`${restUrl}${V2}/clusters`);
/** The parts that the readiness report names; empty when the process is ready. */
const notReady = async (restUrl: string): Promise<string> => {
  const answer = await fetch(`${restUrl}/ready`);
  return answer.status === 503 ? answer.text() : '';
};
const linesWith = (muster: MusterProcess | ServiceProcess, part: string): readonly string[] =>
  muster.output.split('\n').filter((line) => line.includes(part));

/** Waits without a limit of its own: a start takes long on a busy machine. */
const until = async (happened: () => boolean): Promise<void> => {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 50));
};

/** Starts a proxy in front of the server of the URL. Returns the URL with the address of the proxy. */
async function proxied(url: string): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const server = new URL(url);
  const proxy = await startTcpProxy(Number(server.port));
  server.port = String(proxy.port);
  return { proxy, url: server.href };
}

function serverAway(setting: Setting, url: string, uses: (restUrl: string) => Promise<Response>): void {
  const directory = temporaryDirectory();
  let runs = 0;
  let proxy: TcpProxy;
  let muster: MusterProcess;
  beforeEach(async () => {
    const server = await proxied(url);
    ({ proxy } = server);
    runs += 1;
    muster = await MusterProcess.prepare({
      dataDirectory: join(directory.path, String(runs)),
      environment: { [setting]: server.url, MUSTER_SIMULATED_IMAGE: 'false' },
    });
  });
  afterEach(async () => {
    await muster.kill();
    await proxy.close();
  });
  afterAll(() => directory.remove());

  it.each([
    ['refuses connections', (): Promise<void> => proxy.refuse()],
    ['is frozen', async (): Promise<void> => proxy.freeze()],
  ])('answers 503 while the server %s, and continues without a restart', async (_, fail) => {
    await muster.start();
    expect((await uses(muster.restUrl)).ok).toBe(true);
    await fail();
    const refused = await uses(muster.restUrl);
    const body: unknown = await refused.json();
    expect([refused.status, refused.headers.get('retry-after') !== null]).toEqual([503, true]);
    expect(body).toMatchObject({ reason: expect.stringMatching(/ at 127\.0\.0\.1:\d+ is not available: /) });
    await eventually('the server is named', async () => (await notReady(muster.restUrl)).includes(setting));
    expect(linesWith(muster, 'available')).toEqual([expect.stringContaining(`(${setting}) is not available: `)]);
    await proxy.recover();
    await eventually('the process is ready', async () => (await notReady(muster.restUrl)) === '');
    await eventually('a request succeeds', async () => (await uses(muster.restUrl)).ok);
    expect(linesWith(muster, 'available')).toEqual([
      expect.stringContaining(`(${setting}) is not available: `),
      expect.stringMatching(/is available again after \d+ s; \d+ commands? failed meanwhile/),
    ]);
    expect(muster.output).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });

  it('survives connections that are reset', async () => {
    await muster.start();
    expect((await uses(muster.restUrl)).ok).toBe(true);
    proxy.reset();
    await eventually('a request succeeds', async () => (await uses(muster.restUrl)).ok);
    await eventually('the process is ready', async () => (await notReady(muster.restUrl)) === '');
  });

  it.each([
    ['refuses connections', (): Promise<void> => proxy.refuse()],
    ['is frozen', async (): Promise<void> => proxy.freeze()],
  ])('ends at SIGTERM within its limit while the server %s', async (_, fail) => {
    await muster.start();
    expect((await uses(muster.restUrl)).ok).toBe(true);
    await fail();
    // A request is in progress when the process ends.
    const ended = uses(muster.restUrl).catch(() => undefined);
    await muster.stop();
    await ended;
    expect(linesWith(muster, 'stopping took longer')).toEqual([]);
  });

  it('waits for the server at start and says so', async () => {
    await proxy.refuse();
    const starting = muster.start();
    const isReported = (): boolean => linesWith(muster, `waiting for the server of ${setting}`).length > 0;
    await Promise.race([starting, until(isReported)]);
    expect(isReported()).toBe(true);
    await proxy.recover();
    await starting;
    expect((await uses(muster.restUrl)).ok).toBe(true);
  });
}

needsServer('MONGODB_URL', 'mongodb://127.0.0.1:27017', 'Muster on a MongoDB server that is not available', (url) => {
  const database = new URL(`muster_away_${process.pid}_${Date.now()}`, url.endsWith('/') ? url : `${url}/`);
  serverAway('MONGODB_URL', database.href, listClusters);
});

needsServer(
  'MINIO_URL',
  'http://key:secret@127.0.0.1:9000/bucket',
  'Muster on an S3 server that is not available',
  (url) => serverAway('MINIO_URL', url, uploadLogs),
);

describe('Muster on a NATS server that is frozen', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('names the bus, and ends at SIGTERM within its limit', async () => {
    const bus = await startNatsServer();
    const muster = await MusterProcess.prepare({
      dataDirectory: directory.path,
      environment: { NATS_URL: bus.url, MUSTER_SIMULATED_IMAGE: 'false' },
    });
    await muster.start();
    process.kill(bus.pid, 'SIGSTOP');
    await eventually('the bus is named', async () => (await notReady(muster.restUrl)).includes('NATS_URL'));
    await eventually('the outage is reported', () => linesWith(muster, 'is not available').length > 0);
    process.kill(bus.pid, 'SIGCONT');
    await eventually('the process is ready', async () => (await notReady(muster.restUrl)) === '');
    expect(linesWith(muster, 'available')).toHaveLength(2);
    // Frozen again, so that the outage is not known yet when the process ends.
    process.kill(bus.pid, 'SIGSTOP');
    await muster.stop();
    expect(linesWith(muster, 'stopping took longer')).toEqual([]);
    process.kill(bus.pid, 'SIGCONT');
    await bus.stop();
  });
});

needsServer('MONGODB_URL', 'mongodb://127.0.0.1:27017', 'each service in its own process', (url) => {
  let runs = 0;
  const directory = temporaryDirectory();
  let nats: NatsServer;
  let bus: TcpProxy;
  let models: TcpProxy;
  let restUrl = '';
  let processes: readonly ServiceProcess[] = [];
  beforeEach(async () => {
    nats = await startNatsServer();
    bus = await startTcpProxy(nats.port);
    const mongo = await proxied(url.endsWith('/') ? url : `${url}/`);
    models = mongo.proxy;
    const [restPort, imagePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    restUrl = `http://127.0.0.1:${restPort}`;
    runs += 1;
    const settings = {
      MUSTER_DATA_DIRECTORY: join(directory.path, String(runs)),
      NATS_URL: `nats://127.0.0.1:${bus.port}`,
      MONGODB_URL: new URL(`muster_ends_${process.pid}_${Date.now()}`, mongo.url).href,
      REST_HOST: '127.0.0.1',
      REST_PORT: String(restPort),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(imagePort),
      SERVICE_BASE_URL: restUrl,
      IMAGE_SERVICE_BASE_URL: `http://127.0.0.1:${imagePort}`,
      OS_IMAGES: '[]',
    };
    processes = (Object.keys(SERVICES) as StartableService[]).map((name) => new ServiceProcess(name, settings));
    await Promise.all(processes.map((one) => one.start()));
  });
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await Promise.all([bus.close(), models.close()]);
    await nats.stop();
  });
  afterAll(() => directory.remove());

  it.each([
    ['every server answers', async (): Promise<void> => undefined],
    ['the bus refuses connections', (): Promise<void> => bus.refuse()],
    ['the bus is frozen', async (): Promise<void> => bus.freeze()],
    ['MongoDB refuses connections', (): Promise<void> => models.refuse()],
    ['MongoDB is frozen', async (): Promise<void> => models.freeze()],
  ])('ends at SIGTERM within its limit while %s', async (_, fail) => {
    expect((await createCluster(restUrl)).status).toBe(201);
    await fail();
    const ended = [createCluster(restUrl), listClusters(restUrl)].map((one) => one.catch(() => undefined));
    await Promise.all(processes.map((one) => one.end('SIGTERM')));
    await Promise.all(ended);
    for (const one of processes)
      expect([one.service, linesWith(one, 'stopping took longer')]).toEqual([one.service, []]);
  });
});
