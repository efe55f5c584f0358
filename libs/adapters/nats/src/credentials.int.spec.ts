import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { NatsPermissionDenied, NatsUnreachable } from './connection';
import { createHostKey, createNatsTrust, mintHostCredentials, mintServiceCredentials } from './credentials';
import { connectNatsRequests, type NatsRequests, type NatsRequestsOptions } from './requests';
import { natsServerConfig } from './server-config';

const OWN = '0c0ffee0-0000-4000-8000-000000000001';
const FOREIGN = '0c0ffee0-0000-4000-8000-000000000002';
const HOST = '0c0ffee0-0000-4000-8000-00000000000a';
const NEIGHBOUR = '0c0ffee0-0000-4000-8000-00000000000b';
const LONG_TIMEOUT_MS = 10_000;
const HOUR_MS = 3_600_000;

describe('NATS credentials', () => {
  const trust = createNatsTrust();
  const opened: NatsRequests[] = [];
  const denied: string[] = [];
  let server: NatsServer;
  let service: NatsRequests;

  const open = async (access: Pick<NatsRequestsOptions, 'credentials' | 'identity' | 'inboxPrefix'>) => {
    const requests = await connectNatsRequests({
      servers: server.url,
      name: 'test',
      ...access,
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
  const key = createHostKey();
  const mint = (hostId = HOST, nowMs = Date.now()) =>
    mintHostCredentials(trust, { infraEnvId: OWN, hostId, publicKey: key.publicKey, nowMs, lifetimeMs: HOUR_MS });
  const openHost = ({ jwt, inboxPrefix } = mint()): Promise<NatsRequests> =>
    open({ identity: { jwt: () => jwt, seed: key.seed }, inboxPrefix });

  beforeAll(async () => {
    server = await startNatsServer({ config: natsServerConfig(trust, { nowMs: Date.now(), port: -1 }) });
    service = await open({
      credentials: mintServiceCredentials(trust, { name: 'registration', nowMs: Date.now() }),
    });
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

  it('allow a service to use every subject', async () => {
    const other = await open({ credentials: mintServiceCredentials(trust, { name: 'gateway', nowMs: Date.now() }) });
    expect(await other.request('registration.v1.register_host', {}, {}, LONG_TIMEOUT_MS)).toBe('done');
  });

  it('allow a host to send its requests and receive its wake-ups', async () => {
    const agent = await openHost();
    const subject = `agent.v1.${OWN}.${HOST}.register`;
    expect(await agent.request(subject, {}, {}, LONG_TIMEOUT_MS)).toBe(subject);
    const nudges: unknown[] = [];
    agent.subscribe(`agent.v1.${OWN}.${HOST}.nudge`, (message) => void nudges.push(message.body));
    await agent.flush();
    service.publish(`agent.v1.${OWN}.${HOST}.nudge`, 'work');
    await eventually('the wake-up arrives', () => nudges.length === 1);
    expect(denied).toEqual([]);
  });

  it.each([
    ['as a host of another infra-env', `agent.v1.${FOREIGN}.${HOST}.register`],
    ['as another host of its infra-env', `agent.v1.${OWN}.${NEIGHBOUR}.next_steps`],
    ['a wake-up', `agent.v1.${OWN}.${HOST}.nudge`],
    ['to the services', 'registration.v1.register_host'],
    ['into the inbox of another host', `_INBOX.${OWN}.${NEIGHBOUR}.x`],
    ['to the account of the server', '$SYS.REQ.ACCOUNT.A.CLAIMS.UPDATE'],
  ])('refuse a host that publishes %s', async (_, subject) => {
    const agent = await openHost();
    await expect(agent.request(subject, {}, {}, LONG_TIMEOUT_MS)).rejects.toThrow(NatsPermissionDenied);
    await eventually('the refusal is visible', () => denied.includes(subject));
  });

  it.each([
    ['another infra-env', `agent.v1.${FOREIGN}.>`],
    ['its own requests', `agent.v1.${OWN}.${HOST}.next_steps`],
    ['the requests of its infra-env', `agent.v1.${OWN}.*.next_steps`],
    ['the wake-ups of another host', `agent.v1.${OWN}.${NEIGHBOUR}.nudge`],
    ['all infra-envs', 'agent.v1.*.*.nudge'],
    ['everything', '>'],
    ['events', 'event.v1.>'],
    ['the server', '$SYS.>'],
    ['answers to other hosts', `_INBOX.${OWN}.>`],
  ])('refuse a host that subscribes to %s', async (_, subject) => {
    const agent = await openHost();
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

  it.each([`agent.v1.${OWN}.${HOST}.next_steps`, 'agent.v1.*.*.register'])(
    'refuse a host that joins the queue group of the gateway on %s',
    async (subject) => {
      const host = await openHost();
      host.subscribe(subject, async () => 'stolen', { queue: 'gateway' });
      await host.flush();
      await eventually('the refusal is reported', () => denied.includes(subject));
    },
  );

  it('refuse a host that receives answers outside of its inbox', async () => {
    const { jwt } = mint();
    const host = await open({ identity: { jwt: () => jwt, seed: key.seed } });
    await expect(host.request(`agent.v1.${OWN}.${HOST}.register`, {}, {}, 1_000)).rejects.toThrow();
    await eventually('the refusal is visible', () => denied.some((subject) => subject.startsWith('_INBOX.')));
  });

  it('that get a missing permission later receive the messages of a subscription that was refused', async () => {
    const config = (allowed: string): string =>
      `authorization { users: [{ user: u, password: p, permissions: { publish: ">", subscribe: ["_INBOX.>", "${allowed}"] } }] }`;
    const first = await startNatsServer({ config: config('test.v1.other') });
    const servers = first.url.replace('//', '//u:p@');
    const refused: string[] = [];
    const requests = await connectNatsRequests({
      servers,
      name: 'test',
      resubscribeMs: 20,
      onHandlerError: (subject, error) => refused.push(`${subject} ${error instanceof Error ? error.name : ''}`),
    });
    requests.subscribe('test.v1.question', async () => 'answer');
    const ended = requests.subscribe('test.v1.question', async () => 'of an ended subscription');
    await eventually('the refusals are reported', () => refused.length === 2);
    ended.unsubscribe();
    await first.kill();
    await eventually('the disconnection is detected', () => !requests.isConnected());
    const second = await startNatsServer({ port: first.port, config: config('test.v1.question') });
    const asker = await connectNatsRequests({ servers, name: 'asker' });
    let answer: unknown;
    await eventually('the question is answered', async () => {
      answer = await asker.request('test.v1.question', null, {}, LONG_TIMEOUT_MS).catch(() => undefined);
      return answer !== undefined;
    });
    expect(answer).toBe('answer');
    expect(refused).toEqual(Array(2).fill('test.v1.question NatsPermissionDenied'));
    await Promise.all([requests.close(), asker.close()]);
    await second.stop();
  });

  it('without the permission for a publication are reported once for each of the first subjects', async () => {
    const config = 'authorization { users: [{ user: u, password: p, permissions: { publish: "test.v1.last" } }] }';
    const server = await startNatsServer({ config });
    const refused: string[] = [];
    const requests = await connectNatsRequests({
      servers: server.url.replace('//', '//u:p@'),
      name: 'test',
      onHandlerError: (subject, error) => refused.push(`${subject} ${error instanceof Error ? error.name : ''}`),
    });
    let isReceived = false;
    requests.subscribe('test.v1.last', () => void (isReceived = true));
    const many = Array.from({ length: 100 }, (_, number) => `test.v1.change.${number}`);
    for (const subject of [...many, ...many, 'test.v1.last']) requests.publish(subject, {});
    await eventually('everything before was refused', () => isReceived);
    expect(refused).toEqual(many.slice(0, 10).map((subject) => `${subject} NatsPermissionDenied`));
    await requests.close();
    await server.stop();
  });

  it('that are damaged do not end the connection, and the last usable ones are used', async () => {
    const config = natsServerConfig(trust, { nowMs: Date.now() });
    const first = await startNatsServer({ config });
    const whole = mintServiceCredentials(trust, { name: 'service', nowMs: Date.now() });
    const damaged = whole.replace(/^SU.*$/m, 'SUDAMAGED');
    await expect(open({ credentials: damaged })).rejects.toThrow(NatsUnreachable);
    let credentials = whole;
    const requests = await connectNatsRequests({ servers: first.url, name: 'test', credentials: () => credentials });
    credentials = damaged;
    await first.kill();
    await eventually('the disconnection is detected', () => !requests.isConnected());
    const second = await startNatsServer({ port: first.port, config });
    await eventually('it is reconnected', () => requests.isConnected());
    await requests.close();
    await second.stop();
  });

  it('cannot be used without the seed of their key', async () => {
    const { jwt, inboxPrefix } = mint();
    const thief = open({ identity: { jwt: () => jwt, seed: createHostKey().seed }, inboxPrefix });
    await expect(thief).rejects.toThrow(/Authorization Violation/i);
  });

  it('are refused when they are absent, expired, or signed by another operator', async () => {
    await expect(open({})).rejects.toThrow(NatsUnreachable);
    await expect(openHost(mint(HOST, Date.now() - 2 * HOUR_MS))).rejects.toThrow(/Authorization Violation/i);
    const stranger = mintServiceCredentials(createNatsTrust(), { name: 'stranger', nowMs: Date.now() });
    await expect(open({ credentials: stranger })).rejects.toThrow(/Authorization Violation/i);
  });

  it.each(['*', '>', '', 'a.b', `${OWN}.>`, OWN.toUpperCase(), `${OWN}\n`])(
    'are not created for the host id %j',
    (hostId) => {
      expect(() => mint(hostId)).toThrow(/UUID/);
    },
  );
});
