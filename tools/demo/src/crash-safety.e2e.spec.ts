import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MusterProcess } from './muster-process';
import { COMPACT, countOf, eventsOf, expectOneHistory, killInTurn, KILLS_SEED } from './one-history.fixture.spec';
import { RestClient } from './rest-client';
import { installCluster, PULL_SECRET } from './scenario';

const TIME_SCALE = 150;
/** The kills hit discovery, preparation, installation, and finalizing, each time at another point. */
const KILLS = [1, 2, 3, 4, 5];

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

  it(`completes without lost or repeated events when the process is killed at random times (MUSTER_PROPERTY_SEED=${KILLS_SEED})`, async () => {
    const muster = await MusterProcess.prepare({ dataDirectory: newDirectory() });
    started.push(muster);
    await muster.start();
    let isDone = false;
    let acknowledged = 0;
    const kills: number[] = [];
    const lost: string[] = [];

    const hasEnded = (): boolean => isDone;
    const killer = killInTurn(KILLS, muster.restUrl, hasEnded, async (kill) => {
      const before = await countOf(muster.restUrl);
      await muster.kill();
      kills.push(kill);
      await muster.start();
      const after = await countOf(muster.restUrl);
      acknowledged = Math.max(acknowledged, before);
      if (after < before) lost.push(`${before} events were readable before kill ${kill}, ${after} after it`);
    });
    const installed = await install(muster, () => undefined).finally(async () => {
      isDone = true;
      await killer;
    });
    await muster.stop();

    expect(kills).toEqual(KILLS);
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
