import { eventually, startNatsServer, type NatsServer } from '@muster/testing';
import { mintAgentCredentials, mintServiceCredentials, type AgentCredentials } from './credentials';
import { NatsPermissionDenied, NatsUnreachable } from './nats-errors';
import { connectNatsRequests, type NatsRequests } from './requests';
import { natsServerConfig } from './server-config';
import { createNatsTrust } from './trust';

const OWN = '0c0ffee0-0000-4000-8000-000000000001';
const FOREIGN = '0c0ffee0-0000-4000-8000-000000000002';
const HOST = '0c0ffee0-0000-4000-8000-00000000000a';
const PLENTY_MS = 10_000;
const HOUR_MS = 3_600_000;

describe('NATS credentials', () => {
  const trust = createNatsTrust();
  const opened: NatsRequests[] = [];
  const denied: string[] = [];
  let server: NatsServer;
  let service: NatsRequests;
  let ofAgent: AgentCredentials;

  const open = async (credentials?: string, inboxPrefix?: string): Promise<NatsRequests> => {
    const requests = await connectNatsRequests({
      servers: server.url,
      name: 'test',
      credentials,
      inboxPrefix,
      onHandlerError: (subject, error) => {
        if (error instanceof NatsPermissionDenied) denied.push(subject);
      },
      onStatus: (status) => {
        if (status.kind === 'refused' && status.subject !== undefined) denied.push(status.subject);
      },
    });
    opened.push(requests);
    return requests;
  };
  const mint = (infraEnvId: string, nowMs = Date.now()): AgentCredentials =>
    mintAgentCredentials(trust, { infraEnvId, nowMs, lifetimeMs: HOUR_MS });
  const openAgent = ({ credentials, inboxPrefix }: AgentCredentials): Promise<NatsRequests> =>
    open(credentials, inboxPrefix);

  beforeAll(async () => {
    server = await startNatsServer({ config: natsServerConfig(trust, { nowMs: Date.now(), port: -1 }) });
    ofAgent = mint(OWN);
    service = await open(mintServiceCredentials(trust, { name: 'registration', nowMs: Date.now() }));
    service.subscribe('agent.v1.*.*.register', async (message) => message.subject, { queue: 'registration' });
    service.subscribe('registration.v1.register_host', async () => 'done');
    await service.flush();
  });
  beforeEach(() => {
    denied.length = 0;
  });
  afterAll(async () => {
    await Promise.all(opened.map((requests) => requests.close()));
    await server.stop();
  });

  it('let a service use every subject', async () => {
    const other = await open(mintServiceCredentials(trust, { name: 'gateway', nowMs: Date.now() }));
    expect(await other.request('registration.v1.register_host', {}, {}, PLENTY_MS)).toBe('done');
  });

  it('let an agent ask under its own infra-env, and hear the nudges for its host', async () => {
    const agent = await openAgent(ofAgent);
    const subject = `agent.v1.${OWN}.${HOST}.register`;
    expect(await agent.request(subject, {}, {}, PLENTY_MS)).toBe(subject);
    const nudges: unknown[] = [];
    agent.subscribe(`agent.v1.${OWN}.${HOST}.nudge`, (message) => void nudges.push(message.body));
    await agent.flush();
    service.publish(`agent.v1.${OWN}.${HOST}.nudge`, 'work');
    await eventually('the nudge arrives', () => nudges.length === 1);
    expect(denied).toEqual([]);
  });

  it.each([
    ['another infra-env', `agent.v1.${FOREIGN}.${HOST}.register`],
    ['the services', 'registration.v1.register_host'],
    ['the inbox of another infra-env', `_INBOX.${FOREIGN}.x`],
  ])('refuse an agent that asks %s', async (_, subject) => {
    const agent = await openAgent(ofAgent);
    await expect(agent.request(subject, {}, {}, PLENTY_MS)).rejects.toThrow(NatsPermissionDenied);
    await eventually('the refusal is visible', () => denied.includes(subject));
  });

  it.each([
    ['another infra-env', `agent.v1.${FOREIGN}.>`],
    ['all infra-envs', 'agent.v1.*.*.nudge'],
    ['everything', '>'],
    ['facts', 'event.v1.>'],
    ['answers to others', `_INBOX.${FOREIGN}.>`],
  ])('refuse an agent that listens to %s', async (_, subject) => {
    const agent = await openAgent(ofAgent);
    const heard: unknown[] = [];
    agent.subscribe(subject, (message) => void heard.push(message));
    await agent.flush();
    await eventually('the refusal is reported', () => denied.includes(subject));
    service.publish(`agent.v1.${FOREIGN}.${HOST}.nudge`, 'not for you');
    service.publish('event.v1.cluster', 'not for you');
    await service.flush();
    await agent.flush();
    expect(heard).toEqual([]);
  });

  it('refuse an agent that takes its answers elsewhere than in its own inbox', async () => {
    const agent = await open(ofAgent.credentials);
    await expect(agent.request(`agent.v1.${OWN}.${HOST}.register`, {}, {}, 1_000)).rejects.toThrow();
    await eventually('the refusal is visible', () => denied.some((subject) => subject.startsWith('_INBOX.')));
  });

  it('are needed, must be in force, and must come from the same trust', async () => {
    await expect(open()).rejects.toThrow(NatsUnreachable);
    await expect(openAgent(mint(OWN, Date.now() - 2 * HOUR_MS))).rejects.toThrow(/Authorization Violation/i);
    const stranger = mintServiceCredentials(createNatsTrust(), { name: 'stranger', nowMs: Date.now() });
    await expect(open(stranger)).rejects.toThrow(/Authorization Violation/i);
  });

  it.each(['*', '>', '', 'a.b', `${OWN}.>`, OWN.toUpperCase(), `${OWN}\n`])('are not minted for %j', (infraEnvId) => {
    expect(() => mint(infraEnvId)).toThrow(/UUID/);
  });
});
