import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MusterProcess } from './muster-process';
import { COMPACT, eventsOf, expectOneHistory } from './one-history.fixture.spec';
import { RestClient } from './rest-client';
import { installCluster, PULL_SECRET } from './scenario';

const TIME_SCALE = 150;
const KILLS = 5;

describe('an installation of three hosts', () => {
  jest.setTimeout(480_000);
  const directories: string[] = [];
  const started: MusterProcess[] = [];
  /** Also ends processes that a failed test left running. */
  afterEach(() => Promise.all(started.splice(0).map((muster) => muster.stop())));
  const newDirectory = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'muster-crash-'));
    directories.push(directory);
    return directory;
  };
  afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

  const install = (muster: MusterProcess, onStatus: (status: string) => void): ReturnType<typeof installCluster> =>
    installCluster(COMPACT, {
      client: new RestClient(muster.restUrl),
      timeScale: TIME_SCALE,
      seed: 'crash',
      outputDirectory: muster.dataDirectory,
      tell: () => undefined,
      onLook: ({ status }) => onStatus(status),
    });

  it('completes without lost or repeated events when the process is killed at random times', async () => {
    const muster = await MusterProcess.prepare({ dataDirectory: newDirectory() });
    started.push(muster);
    await muster.start();
    let isDone = false;
    let acknowledged = 0;
    let kills = 0;
    const lost: string[] = [];

    const killer = (async () => {
      // The kills hit discovery, preparation, installation, and finalizing, each time at another point.
      while (kills < KILLS && !isDone) {
        await new Promise((resolve) => setTimeout(resolve, 1_500 + Math.random() * 3_500));
        if (isDone) return;
        const before = await countOf(muster);
        await muster.kill();
        kills += 1;
        await muster.start();
        const after = await countOf(muster);
        acknowledged = Math.max(acknowledged, before);
        if (after < before) lost.push(`${before} events were readable before kill ${kills}, ${after} after it`);
      }
    })();
    const installed = await install(muster, () => undefined).finally(async () => {
      isDone = true;
      await killer;
    });
    await muster.stop();

    // Fewer kills would not test enough: the installation takes several times as long as the first pauses.
    expect(kills).toBeGreaterThanOrEqual(3);
    expect(acknowledged).toBeGreaterThan(0);
    expect(lost).toEqual([]);
    const events = await eventsOf(muster.dataDirectory);
    expect(events.length).toBeGreaterThanOrEqual(acknowledged);
    expect(installed.firstSeenMs.has('installed')).toBe(true);
    expectOneHistory(events, COMPACT.machines.length);
  });

  it('completes when one message in five is lost on the bus', async () => {
    const muster = await MusterProcess.prepare({
      dataDirectory: newDirectory(),
      environment: { MUSTER_LOSE_MESSAGES_PERCENT: '20', MUSTER_LOSE_MESSAGES_SEED: '7' },
    });
    started.push(muster);
    await muster.start();
    const installed = await install(muster, () => undefined);
    await muster.stop();
    expect(installed.firstSeenMs.has('installed')).toBe(true);
    expectOneHistory(await eventsOf(muster.dataDirectory), COMPACT.machines.length);
  });
});

describe('a write', () => {
  jest.setTimeout(120_000);

  it('is executed once when its answer is lost and the client sends it again', async () => {
    const muster = await MusterProcess.prepare({ dataDirectory: mkdtempSync(join(tmpdir(), 'muster-crash-')) });
    let forwarded = 0;
    /** Forwards requests and drops the first answer. */
    const proxy = createServer((request, response) => {
      void (async () => {
        const body = Buffer.concat(await request.toArray());
        const headers = new Headers({ 'content-type': 'application/json' });
        const key = request.headers['idempotency-key'];
        if (typeof key === 'string') headers.set('idempotency-key', key);
        const answer = await fetch(`${muster.restUrl}${request.url}`, { method: 'POST', headers, body });
        forwarded += 1;
        if (forwarded === 1) response.destroy();
        else response.writeHead(answer.status).end(await answer.text());
      })();
    });
    try {
      await muster.start();
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const { port } = proxy.address() as AddressInfo;
      const created = await new RestClient(`http://127.0.0.1:${port}`).post<{ readonly id: string }>('/clusters', {
        name: 'once',
        openshift_version: '4.18',
        pull_secret: PULL_SECRET,
      });
      expect(forwarded).toBe(2);
      const clusters = await new RestClient(muster.restUrl).get<readonly { readonly id: string }[]>('/clusters');
      expect(clusters.map(({ id }) => id)).toEqual([created.id]);
    } finally {
      proxy.close();
      await muster.stop();
      rmSync(muster.dataDirectory, { recursive: true, force: true });
    }
  });
});

/** The number of events that can be read now. It may not decrease after an acknowledgement. */
async function countOf(muster: MusterProcess): Promise<number> {
  const response = await fetch(`${muster.restUrl}/api/assisted-install/v2/events?limit=0&categories=user`);
  return Number(response.headers.get('event-count') ?? 0);
}
