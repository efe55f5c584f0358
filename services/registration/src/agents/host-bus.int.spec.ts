import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createHostKey, loadOrCreateNatsTrust } from '@muster/adapter-nats';
import { parseHostKey, RegistrationService } from '@muster/contracts';
import { temporaryDirectory } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('bus credentials of a host', () => {
  const directory = temporaryDirectory();
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => {
    const trustFile = join(directory.path, 'trust.json');
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
