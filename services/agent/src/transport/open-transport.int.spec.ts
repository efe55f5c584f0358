import { readFileSync } from 'node:fs';
import {
  connectNatsRequests,
  createHostKey,
  createNatsTrust,
  makeBusCertificate,
  mintHostCredentials,
  mintServiceCredentials,
  type NatsRequests,
  natsServerConfig,
} from '@muster/adapter-nats';
import { agentSubject, anyAgentSubject } from '@muster/contracts';
import { eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { HOST_ID, INFRA_ENV_ID, quickTimer } from '../agent/agent.fixture.spec';
import type { HttpTransport } from './http-transport';
import { connectNats } from './nats-transport';
import { withBus } from './open-transport';
import { type Transport, TransportRefused } from './transport.port';

const never = new AbortController().signal;
const IDENTITY = { macAddresses: [], systemSerial: '', bootId: '' } as unknown as Parameters<Transport['register']>[1];
const LIFETIME_MS = 60_000;

describe.each([false, true])('the bus transport, TLS: %s', (usesTls) => {
  const directory = temporaryDirectory();
  let caPem: string | undefined;
  const trust = createNatsTrust();
  let server: NatsServer;
  let service: NatsRequests;
  let now = Date.now();
  let issued: string[] = [];
  let polls: string[] = [];
  let isRefused = false;
  let isSilent = false;

  const http: HttpTransport = {
    register: async (agentVersion) => ({ agentVersion }),
    nextSteps: async () => (polls.push('http'), { steps: [], nextInstructionSeconds: 60, postStepAction: 'continue' }),
    reply: async () => undefined,
    listen: () => () => undefined,
    close: async () => undefined,
    busCredentials: async (publicKey) => {
      if (isRefused) throw new TransportRefused(501, 'The bus does not accept connections of hosts.');
      issued.push(publicKey);
      if (isSilent) return new Promise(() => undefined);
      const ids = { infraEnvId: INFRA_ENV_ID, hostId: HOST_ID };
      return mintHostCredentials(trust, { ...ids, publicKey, nowMs: Date.now(), lifetimeMs: LIFETIME_MS });
    },
  };
  const reasons: string[] = [];
  const open = (): Transport =>
    withBus(http, {
      url: server.url,
      caPem,
      infraEnvId: INFRA_ENV_ID,
      hostId: HOST_ID,
      timer: quickTimer,
      nowMs: () => now,
      connectNats,
      createKey: createHostKey,
      onFallback: (reason) => void reasons.push(reason),
    });

  beforeAll(async () => {
    const nowMs = Date.now();
    const tls = usesTls ? await makeBusCertificate(directory.path, { hosts: ['127.0.0.1'], nowMs }) : undefined;
    caPem = tls && readFileSync(tls.caFile, 'utf8');
    server = await startNatsServer({ config: natsServerConfig(trust, { nowMs, tls }) });
    service = await connectNatsRequests({
      servers: server.url,
      name: 'service',
      credentials: mintServiceCredentials(trust, { name: 'service', nowMs }),
      caPem,
    });
    service.subscribe(anyAgentSubject('next_steps'), async () => {
      polls.push('bus');
      return { ok: { instructions: [], nextInstructionSeconds: 60, postStepAction: 'continue' } };
    });
    await service.flush();
  });
  beforeEach(() => {
    [issued, polls, isRefused, isSilent, now] = [[], [], false, false, Date.now()];
  });
  afterAll(async () => {
    await service.close();
    await server.stop();
    directory.remove();
  });

  it('polls over the bus once the host is registered, and receives its wake-ups', async () => {
    const transport = open();
    let nudges = 0;
    transport.listen(() => (nudges += 1));
    await transport.register('v', IDENTITY, never);
    await transport.nextSteps('v', 1, never);
    expect(polls).toEqual(['bus']);
    service.publish(agentSubject(INFRA_ENV_ID, HOST_ID, 'nudge'), { reason: 'work' });
    await eventually('the wake-up arrives', () => nudges === 1);
    await transport.close();
  });

  it.each([
    ['equals', 0],
    ['is behind', -1],
    ['is ahead of', 1],
  ])(
    'renews its credentials for the same key after half of their lifetime when its clock %s that of the service',
    async (_, sign) => {
      now += sign * 100 * LIFETIME_MS;
      const transport = open();
      await transport.register('v', IDENTITY, never);
      await transport.nextSteps('v', 1, never);
      expect(issued).toHaveLength(1);
      now += LIFETIME_MS / 2 + 1_000;
      await transport.nextSteps('v', 1, never);
      expect(issued).toEqual([issued[0], issued[0]]);
      await transport.close();
    },
  );

  it('polls over the bus while a renewal is not answered, and requests no second one meanwhile', async () => {
    const transport = open();
    await transport.register('v', IDENTITY, never);
    now += LIFETIME_MS / 2 + 1_000;
    isSilent = true;
    for (const _ of [1, 2]) await transport.nextSteps('v', 1, never);
    expect(polls).toEqual(['bus', 'bus']);
    expect(issued).toHaveLength(2);
    await transport.close();
  });

  it('uses HTTP when it does not trust the certificate of the bus', async () => {
    const trusted = caPem;
    const other = temporaryDirectory();
    caPem = readFileSync((await makeBusCertificate(other.path, { hosts: ['127.0.0.1'], nowMs: now })).caFile, 'utf8');
    const transport = open();
    caPem = trusted;
    other.remove();
    await transport.register('v', IDENTITY, never);
    await transport.nextSteps('v', 1, never);
    expect(polls).toEqual(['http']);
    expect(reasons.at(-1)).toContain('No NATS server answers');
    await transport.close();
  });

  it('uses HTTP when the service issues no credentials', async () => {
    isRefused = true;
    const transport = open();
    await transport.register('v', IDENTITY, never);
    await transport.nextSteps('v', 1, never);
    expect(polls).toEqual(['http']);
    expect(reasons.at(-1)).toContain('does not accept connections of hosts');
    await transport.close();
  });
});
