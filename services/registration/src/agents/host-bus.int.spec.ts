import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectNatsRequests,
  createHostKey,
  type HostKeyPair,
  loadOrCreateNatsTrust,
  type NatsRequests,
  natsServerConfig,
} from '@muster/adapter-nats';
import { parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('bus credentials of a host', () => {
  const directory = temporaryDirectory();
  let running: RunningRegistration;
  let cluster: TestCluster;
  const trustFile = join(directory.path, 'trust.json');
  beforeAll(async () => {
    await loadOrCreateNatsTrust(trustFile);
    running = await RunningRegistration.start({ NATS_TRUST_FILE: trustFile, AGENT_NATS_URL: 'nats://bus:4222' });
    cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
  });
  afterAll(async () => {
    await running.stop();
    directory.remove();
  });

  const issue = (ids: { infraEnvId: string; hostId: string }, publicKey = createHostKey().publicKey) =>
    running.ask(method.issueBusCredentials, { ...ids, publicKey });

  it('are issued to a registered host for a short time', async () => {
    const ids = parseHostKey(await cluster.registerHost());
    const { jwt, inboxPrefix, expiresAt } = await issue(ids);
    expect(inboxPrefix).toBe(`_INBOX.${ids.infraEnvId}.${ids.hostId}`);
    expect(Date.parse(expiresAt) - running.clock.nowMs()).toBe(15 * 60_000);
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      nats: { sub: object };
    };
    expect(claims.nats.sub).toEqual({
      allow: [`agent.v1.${ids.infraEnvId}.${ids.hostId}.nudge`, `${inboxPrefix}.>`],
    });
  });

  it('are signed with the keys of the server while it runs, also when their file is replaced', async () => {
    const ids = parseHostKey(await cluster.registerHost());
    const issuer = async (): Promise<unknown> =>
      (JSON.parse(Buffer.from((await issue(ids)).jwt.split('.')[1] ?? '', 'base64url').toString()) as { iss: string })
        .iss;
    const before = await issuer();
    rmSync(trustFile);
    expect(await issuer()).toBe(before);
    expect(existsSync(trustFile)).toBe(false);
  });

  const revokedKeys = async (): Promise<readonly string[]> => {
    const sealed = await running.platform.secrets.open('service-registration', 'revoked-bus-keys');
    return sealed ? Object.keys(JSON.parse(sealed.toString()) as object) : [];
  };
  const endWithHost = async (ids: { infraEnvId: string; hostId: string }, keys: readonly string[]): Promise<void> => {
    await running.ask(method.deregisterHost, ids);
    await eventually('all keys of the host are revoked', async () => {
      const revoked = await revokedKeys();
      return keys.every((key) => revoked.includes(key));
    });
  };
  const newKeys = (count: number): readonly string[] => Array.from({ length: count }, () => createHostKey().publicKey);

  it('end with the host for every key that was issued at the same time', async () => {
    const ids = parseHostKey(await cluster.registerHost());
    const keys = newKeys(5);
    await Promise.all(keys.map((key) => issue(ids, key)));
    await running.restart();
    await endWithHost(ids, keys);
  });

  it('end with the host for keys that an earlier release stored without a time', async () => {
    const ids = parseHostKey(await cluster.registerHost());
    const keys = newKeys(2);
    const name = `bus-keys.${ids.hostId}`;
    await running.platform.secrets.seal(ids.infraEnvId, name, Buffer.from(JSON.stringify(keys)));
    const added = newKeys(1);
    await issue(ids, added[0]);
    await endWithHost(ids, [...keys, ...added]);
  });

  it('are refused for another key while those of 16 keys may be valid, and renewed for these', async () => {
    const lifetimeMs = 15 * 60_000;
    const ids = parseHostKey(await cluster.registerHost());
    const keys = newKeys(16);
    for (const key of keys) await issue(ids, key);
    const [another = '', renewed = ''] = [...newKeys(1), ...keys];
    const refused = { refusal: { code: 'too-many-requests', subject: 'public_key' } };
    await expect(issue(ids, another)).rejects.toMatchObject(refused);
    for (let renewal = 0; renewal < 7; renewal += 1) {
      running.clock.advance(lifetimeMs / 2);
      await issue(ids, renewed);
    }
    await expect(issue(ids, another)).rejects.toMatchObject(refused);
    running.clock.advance(lifetimeMs / 2);
    await running.restart();
    await issue(ids, another);
    await endWithHost(ids, [renewed, another]);
  });

  it('end with a host whose removal was stored before the service was killed', async () => {
    const key = await cluster.registerHost();
    const publicKey = createHostKey().publicKey;
    await issue(parseHostKey(key), publicKey);
    await running.stopService();
    await running.append(streamIdOf('host', key), { type: 'HostDeregistered', data: {} });
    await running.startService();
    await eventually('the key is revoked', async () => (await revokedKeys()).includes(publicKey));
  });

  it('are not renewed after the host was deregistered', async () => {
    const key = await cluster.registerHost();
    await issue(parseHostKey(key));
    await running.ask(method.deregisterHost, parseHostKey(key));
    await expect(issue(parseHostKey(key))).rejects.toMatchObject({ refusal: { code: 'not-found' } });
  });

  it('are not issued to a host that is not registered, or for an invalid key', async () => {
    const ids = { infraEnvId: cluster.infraEnvId, hostId: randomUUID() };
    await expect(issue(ids)).rejects.toMatchObject({ refusal: { code: 'not-found' } });
    const host = parseHostKey(await cluster.registerHost());
    await expect(issue(host, 'U123')).rejects.toMatchObject({ refusal: { code: 'invalid-input' } });
  });
});

describe('bus credentials on a server', () => {
  const directory = temporaryDirectory();
  const connections: NatsRequests[] = [];
  let server: NatsServer;
  let running: RunningRegistration;
  let cluster: TestCluster;
  let config = '';
  beforeAll(async () => {
    const trustFile = join(directory.path, 'trust.json');
    config = natsServerConfig(await loadOrCreateNatsTrust(trustFile), { nowMs: Date.now(), port: -1 });
    server = await startNatsServer({ config });
    running = await RunningRegistration.start({ NATS_TRUST_FILE: trustFile, AGENT_NATS_URL: server.url });
    // The server compares the credentials with the time of the machine.
    running.clock.advance(Date.now() - running.clock.nowMs());
    cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
  });
  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await running.stop();
    await server.stop();
    directory.remove();
  });

  const connectHost = async (hostKey: string, pair: HostKeyPair = createHostKey()) => {
    const ids = parseHostKey(hostKey as never);
    const issued = await running.ask(method.issueBusCredentials, { ...ids, publicKey: pair.publicKey });
    const { jwt, inboxPrefix } = issued;
    const refused: string[] = [];
    const options = { servers: server.url, name: 'host', identity: { jwt: () => jwt, seed: pair.seed }, inboxPrefix };
    const connection = await connectNatsRequests({
      ...options,
      onStatus: (status) => void (status.kind === 'refused' && refused.push(status.code)),
    });
    connections.push(connection);
    const isEnded = (): boolean => !connection.isConnected() && refused.length > 0;
    return { pair, options, isEnded, connection };
  };

  it('end immediately with the host', async () => {
    const [key, other] = [await cluster.registerHost(), await cluster.registerHost()];
    const [host, neighbour] = [await connectHost(key), await connectHost(other)];
    await running.ask(method.deregisterHost, parseHostKey(key));
    await eventually('the connection of the host ends', host.isEnded);
    await expect(connectNatsRequests(host.options)).rejects.toThrow(/Authorization Violation/i);
    expect(neighbour.connection.isConnected()).toBe(true);
  });

  it('end immediately with the signing key of the infra-env, and are issued again', async () => {
    const key = await cluster.registerHost();
    const host = await connectHost(key);
    await running.ask(method.rotateSigningKey, { infraEnvId: cluster.infraEnvId });
    await eventually('the connection of the host ends', host.isEnded);
    await expect(connectNatsRequests(host.options)).rejects.toThrow(/Authorization Violation/i);
    expect((await connectHost(key, host.pair)).connection.isConnected()).toBe(true);
  });

  it('stay revoked when the service and the server start again', async () => {
    const [key, removed] = [await cluster.registerHost(), await cluster.registerHost()];
    const [host, ended] = [await connectHost(key), await connectHost(removed)];
    await running.ask(method.deregisterHost, parseHostKey(removed));
    await eventually('the connection of the removed host ends', ended.isEnded);
    await running.stopService();
    const { port } = server;
    await server.stop();
    server = await startNatsServer({ config, port });
    await running.startService();
    await eventually('the keys are revoked again', () =>
      connectNatsRequests(ended.options).then(
        async (connection) => (await connection.close(), false),
        () => true,
      ),
    );
    // The keys that the service issued before its restart are still valid.
    await eventually('the other host is connected', () => host.connection.isConnected());
    await running.ask(method.rotateSigningKey, { infraEnvId: cluster.infraEnvId });
    await eventually('the connection of the host ends', host.isEnded);
    expect(running.log.filter((line) => line.includes('revoke'))).toEqual([]);
  });
});

describe('bus credentials of a host that ended while the server was away', () => {
  const directory = temporaryDirectory();
  let server: NatsServer | undefined;
  let running: RunningRegistration;
  afterAll(async () => {
    await running.stop();
    await server?.stop();
    directory.remove();
  });

  it('end when the server is back', async () => {
    const trustFile = join(directory.path, 'trust.json');
    const config = natsServerConfig(await loadOrCreateNatsTrust(trustFile), { nowMs: Date.now(), port: -1 });
    const first = await startNatsServer({ config });
    const { port, url } = first;
    await first.stop();
    running = await RunningRegistration.start({ NATS_TRUST_FILE: trustFile, AGENT_NATS_URL: url });
    running.clock.advance(Date.now() - running.clock.nowMs());
    const cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    const [ids, other] = [parseHostKey(await cluster.registerHost()), parseHostKey(await cluster.registerHost())];
    const connectAs = async (host: typeof ids): Promise<() => Promise<NatsRequests>> => {
      const { publicKey, seed } = createHostKey();
      const { jwt, inboxPrefix } = await running.ask(method.issueBusCredentials, { ...host, publicKey });
      return () => connectNatsRequests({ servers: url, name: 'host', identity: { jwt: () => jwt, seed }, inboxPrefix });
    };
    const [connect, connectOther] = [await connectAs(ids), await connectAs(other)];
    await running.ask(method.deregisterHost, ids);
    const warnings = (): readonly string[] => running.log.filter((line) => line.includes('does not revoke'));
    await eventually('the failure is reported', () => warnings().length > 0);

    server = await startNatsServer({ config, port });
    await eventually('the credentials are refused', () =>
      connect().then(
        async (connection) => (await connection.close(), false),
        (error: Error) => /Authorization Violation/i.test(error.message),
      ),
    );
    await (await connectOther()).close();
    expect(warnings()).toEqual([expect.stringContaining('No NATS server answers at')]);
  });
});
