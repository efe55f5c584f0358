import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@muster/testing';
import { type GrpcStore, startGrpcStore } from '@muster/testing/grpc-store';
import { MusterProcess } from './muster-process';

const V2 = '/api/assisted-install/v2';
const CLUSTER = {
  name: 'one',
  openshift_version: '4.18',
  base_dns_domain: 'example.com',
  pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}',
};

describe('Muster on an EventStoreDB server that is not available', () => {
  jest.setTimeout(180_000);
  const directory = temporaryDirectory();
  let runs = 0;
  let store: GrpcStore;
  let muster: MusterProcess;
  beforeEach(async () => {
    store = await startGrpcStore();
    runs += 1;
    muster = await MusterProcess.prepare({
      dataDirectory: join(directory.path, String(runs)),
      environment: { EVENTSTORE_URL: store.url, MUSTER_SIMULATED_IMAGE: 'false' },
    });
  });
  afterEach(async () => {
    await muster.kill();
    await store.close();
  });
  afterAll(() => directory.remove());

  const createCluster = (): Promise<Response> =>
    fetch(`${muster.restUrl}${V2}/clusters`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(CLUSTER),
    });
  const linesWith = (part: string): readonly string[] =>
    muster.output.split('\n').filter((line) => line.includes(part));
  const notReady = async (): Promise<string> => {
    const answer = await fetch(`${muster.restUrl}/ready`);
    return answer.status === 503 ? answer.text() : '';
  };

  it('waits for the store at start and says so', async () => {
    await store.refuse();
    const starting = muster.start();
    await eventually('the wait is reported', () => linesWith('waiting for the server of EVENTSTORE_URL').length > 0);
    await store.recover();
    await starting;
    expect((await createCluster()).status).toBe(201);
  });

  it('ends at SIGTERM while it waits for the store at start', async () => {
    await store.refuse();
    const starting = muster.start().catch((error: Error) => error.message);
    await eventually('the wait is reported', () => linesWith('waiting for the server of EVENTSTORE_URL').length > 0);
    await muster.stop();
    expect(await starting).toContain('ended before it was ready');
    expect(linesWith('stopping took longer')).toEqual([]);
  });

  it.each([
    ['refuses connections', (): Promise<void> => store.refuse()],
    ['is frozen', async (): Promise<void> => store.freeze()],
  ])('reports the outage once, and ends at SIGTERM, when the store %s', async (_, fail) => {
    await muster.start();
    expect((await createCluster()).status).toBe(201);
    await fail();
    const refused = await createCluster();
    expect([refused.status, refused.headers.get('retry-after') !== null]).toEqual([503, true]);
    await eventually('the store is named', async () => (await notReady()).includes('EVENTSTORE_URL'));
    expect(linesWith('available')).toEqual([expect.stringContaining('(EVENTSTORE_URL) is not available')]);
    // A command is in progress when the process ends.
    const ended = createCluster().catch(() => undefined);
    await muster.stop();
    await ended;
    expect(linesWith('stopping took longer')).toEqual([]);
    expect(muster.output).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });

  it('continues when the store is back, and reports how many commands failed', async () => {
    await muster.start();
    await store.refuse();
    expect((await createCluster()).status).toBe(503);
    await store.recover();
    await eventually('the return is reported', () => linesWith('is available again').length > 0);
    expect(linesWith('is available again')[0]).toMatch(
      /\(EVENTSTORE_URL\) is available again after \d+ s; [1-9]\d* commands? failed/,
    );
    await eventually('a command succeeds', async () => (await createCluster()).status === 201);
    expect(linesWith('is not available')).toHaveLength(1);
  });
});
