import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Platform, readServiceBaseUrl, SettingsReader } from '@muster/nest-kit';
import { embeddedSettings, temporaryDirectory } from '@muster/testing';
import { type RunningMuster, startEmbedded } from './embedded';
import { freePort } from './nats-process';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('all services in one process', () => {
  const directory = temporaryDirectory();
  const hooks = createHook({});
  const prototypes: object[] = [AsyncLocalStorage.prototype, Object.getPrototypeOf(hooks) as object];
  // Each of these turns on the promise hooks of the process.
  const enabling = prototypes.flatMap((prototype) =>
    ['run', 'enterWith', 'enable']
      .filter((name) => name in prototype)
      .map((name) => jest.spyOn(prototype as Record<string, () => unknown>, name)),
  );
  // jest itself runs each hook and test in such a scope, so only the calls within one count.
  const withoutHooks = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    enabling.forEach((spy) => spy.mockClear());
    const result = await work();
    expect(enabling.map(({ mock }) => mock.calls.length)).toEqual(enabling.map(() => 0));
    return result;
  };
  let muster: RunningMuster;
  let firstAnswer: Promise<Response> | undefined;
  const answerWhenReachable = async ({ environment, reachableSinceMs }: Platform): Promise<Response> => {
    for (let beforeMs = Date.now(); !(reachableSinceMs && reachableSinceMs() < beforeMs); beforeMs = Date.now())
      await sleep(1);
    return fetch(`http://127.0.0.1:${environment.REST_PORT}/health`);
  };
  beforeAll(async () => {
    const empty = { AGENT_NATS_URL: '', NATS_TRUST_FILE: '', NATS_CA_FILE: '', ENABLE_SINGLE_NODE_DNSMASQ: '' };
    const settings = {
      ...embeddedSettings(directory.path),
      ...empty,
      NATS_TLS: 'on',
      MUSTER_SAVE_INTERVAL_SECONDS: '1',
    };
    const starting = (): Promise<RunningMuster> =>
      startEmbedded(settings, SILENT, (platform) => {
        firstAnswer = answerWhenReachable(platform);
        return platform;
      });
    muster = await withoutHooks(starting);
  });
  afterAll(async () => {
    await muster.close();
    directory.remove();
  });

  const endpointOf = (name: string): string =>
    muster.services.find((service) => service.name === name)?.endpoints[0] ?? '';

  const registerInfraEnv = (): Promise<Response> =>
    fetch(`${endpointOf('gateway')}/api/assisted-install/v2/infra-envs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'one',
        openshift_version: '4.18',
        pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}',
      }),
    });

  it('announce the ports that were selected for REST_PORT=0 and IMAGE_PORT=0 to hosts', async () => {
    expect(readServiceBaseUrl(new SettingsReader(muster.platform.environment))).toBe(endpointOf('gateway'));
    const { download_url: link } = (await (await registerInfraEnv()).json()) as { download_url: string };
    expect(new URL(link).origin).toBe(endpointOf('image'));
  });

  it('count the time of hosts from when the REST API answers', async () => {
    expect((await firstAnswer)?.status).toBe(200);
  });

  it('keep what the start computed for settings that are empty', () => {
    const files = join(directory.path, 'nats');
    expect(muster.platform.environment).toMatchObject({
      AGENT_NATS_URL: expect.stringMatching(/^nats:\/\/127\.0\.0\.1:/),
      NATS_TRUST_FILE: join(files, 'trust.json'),
      NATS_CA_FILE: expect.stringContaining(files),
      ENABLE_SINGLE_NODE_DNSMASQ: 'true',
    });
  });

  it('enable no async hook, in which every promise of the process would take part', async () => {
    expect((await withoutHooks(registerInfraEnv)).status).toBe(201);
    const inScope = (): Promise<void> => new AsyncLocalStorage().run('value', () => Promise.resolve());
    await expect(withoutHooks(inScope)).rejects.toThrow();
    await expect(withoutHooks(() => Promise.resolve(hooks.enable().disable()))).rejects.toThrow();
  });

  it('save their states at the interval of MUSTER_SAVE_INTERVAL_SECONDS, not after the default of two minutes', async () => {
    const bytesWritten = (): number => statSync(join(directory.path, 'state-muster-1.sqlite-wal')).size;
    const before = bytesWritten();
    await registerInfraEnv();
    while (bytesWritten() === before) await sleep(100);
    expect(bytesWritten()).toBeGreaterThan(before);
  }, 30_000);
});

describe('a bus whose last port is now that of the REST API', () => {
  it('uses another port', async () => {
    const directory = temporaryDirectory();
    const port = String(await freePort('127.0.0.1'));
    mkdirSync(join(directory.path, 'nats'));
    writeFileSync(join(directory.path, 'nats', 'port'), port);
    const muster = await startEmbedded({ ...embeddedSettings(directory.path), REST_PORT: port }, SILENT);
    expect(muster.services.at(-1)?.endpoints).toEqual([`http://127.0.0.1:${port}`]);
    await muster.close();
    directory.remove();
  }, 60_000);
});
