import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { RegistrationService } from '@muster/contracts';
import { callService } from '@muster/nest-kit';
import { eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { type RunningMuster, startAlone } from './embedded';
import { announceGateway } from './outages';
import { type OpenPlatform, openPlatform } from './profile';

describe('an outage of the bus', () => {
  jest.setTimeout(60_000);
  const directory = temporaryDirectory();
  const lines: string[] = [];
  let server: NatsServer;
  let platform: OpenPlatform;
  beforeAll(async () => {
    server = await startNatsServer();
    platform = await openPlatform({
      environment: {},
      dataDirectory: directory.path,
      natsUrl: server.url,
      name: 'test',
      warn: (text) => lines.push(text),
    });
  });
  afterAll(async () => {
    await platform.close();
    await server.stop();
    directory.remove();
  });

  it('follows a warning of the start when the server accepts smaller messages than the child process', () => {
    expect(lines.splice(0)).toEqual([expect.stringContaining('Set max_payload to 8388608')]);
  });

  it('is one line when it begins, and one with the number of failed commands when it ends', async () => {
    const { port } = server;
    const startedAtMs = Date.now();
    expect(platform.reachableSinceMs?.()).toBeLessThan(startedAtMs);
    await server.kill();
    await eventually('the outage is reported', () => lines.length > 0);
    expect(lines).toEqual([expect.stringMatching(/^NATS at .* \(NATS_URL\) is not available: /)]);
    const input = { infraEnvId: 'a', hostId: 'b', publicKey: '' };
    const context = { commandId: 'c', correlationId: 'c', actor: 'test' };
    const command = callService(platform.requests, RegistrationService.method.issueBusCredentials, input, context);
    const reason = `NATS at 127.0.0.1:${port} is not available: the connection broke. Nothing was stored. Try again in a few seconds.`;
    await expect(command).rejects.toMatchObject({ refusal: { code: 'unavailable', reason } });
    server = await startNatsServer({ port });
    await eventually('the end is reported', () => lines.length > 1);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/\(NATS_URL\) is available again after \d+ s; 1 command failed meanwhile$/),
    ]);
    expect(platform.reachableSinceMs?.()).toBeGreaterThan(startedAtMs);
  });

  it('is noticed when the server is frozen, and ends when it continues', async () => {
    lines.length = 0;
    process.kill(server.pid, 'SIGSTOP');
    await eventually('the outage is reported', () => lines.length > 0);
    expect(lines).toEqual([expect.stringMatching(/^NATS at .* \(NATS_URL\) is not available: /)]);
    const bus = platform.probes?.find(({ part }) => part === 'bus');
    expect(await bus?.check()).toMatch(/^NATS at .* \(NATS_URL\) has not been available for \d+ s/);
    process.kill(server.pid, 'SIGCONT');
    await eventually('the end is reported', () => lines.length > 1);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/\(NATS_URL\) is available again after \d+ s; /)]);
    expect(await bus?.check()).toBeUndefined();
  });
});

describe('registration in a process of its own', () => {
  jest.setTimeout(60_000);
  const directory = temporaryDirectory();
  const silent = { log: () => undefined, error: () => undefined, warn: () => undefined };
  let server: NatsServer;
  let bus: NatsRequests;
  let muster: RunningMuster;
  beforeAll(async () => {
    server = await startNatsServer();
    bus = await connectNatsRequests({ servers: server.url, name: 'gateway' });
    const environment = { MUSTER_DATA_DIRECTORY: directory.path, NATS_URL: server.url };
    muster = await startAlone('registration', environment, silent);
  });
  afterAll(async () => {
    await muster.close();
    await bus.close();
    await server.stop();
    directory.remove();
  });

  it('counts the time of hosts from when a gateway announces that it serves them', async () => {
    const reachableSinceMs = (): number => muster.platform.reachableSinceMs?.() ?? -Infinity;
    const beforeMs = Date.now();
    expect(reachableSinceMs()).toBeGreaterThanOrEqual(beforeMs);
    const end = announceGateway(bus);
    await eventually('the gateway is known', () => reachableSinceMs() < Date.now());
    expect(reachableSinceMs()).toBeGreaterThanOrEqual(beforeMs);
    end();
  });
});
