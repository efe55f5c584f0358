import { JSON_MAX_MEMBERS, keepJsonText, MessageTooLarge, RequestTimedOut } from '@muster/ports';
import { eventually, type NatsServer, requestsContract, startNatsServer } from '@muster/testing';
import { connect, headers } from 'nats';
import { type NatsStatus, NatsUnreachable } from './connection';
import { AGENT_BODY_MAX_BYTES, AGENT_HEADERS_MAX_BYTES } from './message-handler';
import { addressesIn, connectNatsRequests, type NatsRequests } from './requests';
import { MAX_MESSAGE_BYTES } from './server-config';

const LONG_TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 50;
const HOUR_MS = 3_600_000;

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

requestsContract('connectNatsRequests', async () => {
  const [here, there] = await Promise.all([
    connectNatsRequests({ servers: server.url, name: 'here' }),
    connectNatsRequests({ servers: server.url, name: 'there' }),
  ]);
  return {
    here,
    there,
    settled: async () => void (await Promise.all([here.flush(), there.flush()])),
    close: async () => void (await Promise.all([here.close(), there.close()])),
  };
});

describe('connectNatsRequests', () => {
  const opened: NatsRequests[] = [];
  const open = async (options: Partial<Parameters<typeof connectNatsRequests>[0]> = {}): Promise<NatsRequests> => {
    const requests = await connectNatsRequests({ servers: server.url, name: 'test', ...options });
    opened.push(requests);
    return requests;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((requests) => requests.close()));
  });

  it('throws with the address when no server answers', async () => {
    const attempt = connectNatsRequests({ servers: '127.0.0.1:1', name: 'test' });
    await expect(attempt).rejects.toThrow(NatsUnreachable);
    await expect(attempt).rejects.toThrow(/No NATS server answers at 127\.0\.0\.1:1/);
  });

  it.each(['first', 'last'])('connects to another server of a list when the %s does not answer', async (silent) => {
    const addresses = [server.url, 'nats://127.0.0.1:1'];
    const requests = await open({ servers: (silent === 'last' ? addresses : addresses.reverse()).join(', ') });
    expect(requests.isConnected()).toBe(true);
  });

  it.each([
    ['a:4222', ['a:4222']],
    ['nats://user:pa,ss@a:4222', ['nats://user:pa,ss@a:4222']],
    ['nats://user:pa,ss@a:4222,b:4222', ['nats://user:pa,ss@a:4222', 'b:4222']],
    ['tls://a,tls://user:pass@b , c', ['tls://a', 'tls://user:pass@b', 'c']],
  ])('reads %s as a list of addresses', (list, expected) => expect(addressesIn(list)).toEqual(expected));

  it.each([
    ['user: "mu@ster", password: "1:2/3"', 'mu%40ster:1%3A2%2F3@'],
    ['token: "a-token"', 'a-token@'],
  ])('logs in with the address of a server with %s', async (authorization, login) => {
    const closed = await startNatsServer({ config: `authorization { ${authorization} }` });
    const requests = await open({ servers: closed.url.replace('//', `//${login}`) });
    expect(requests.isConnected()).toBe(true);
    await requests.close();
    const refused = connectNatsRequests({ servers: closed.url.replace('//', '//secret@'), name: 'test' });
    await expect(refused).rejects.toThrow(
      `The NATS server at ${closed.url} refuses the credentials of this process ('Authorization Violation'); correct them.`,
    );
    await closed.stop();
    const absent = connectNatsRequests({ servers: closed.url.replace('//', '//user:secret@'), name: 'test' });
    await expect(absent).rejects.toThrow(`No NATS server answers at ${closed.url} (`);
  });

  it('reports a failing handler and a message that is not JSON, and continues', async () => {
    const reports: string[] = [];
    const here = await open({ onHandlerError: (subject, error) => reports.push(`${subject}: ${String(error)}`) });
    here.subscribe('test.v1.reports', async (message) => {
      if (message.body === 'break') throw new Error('it broke');
      return 'fine';
    });
    await here.flush();
    const raw = await connect({ servers: server.url });
    raw.publish('test.v1.reports', '{"half":');
    raw.publish('test.v1.reports', new Uint8Array([0x22, 0xff, 0x22]));
    raw.publish('test.v1.reports', '"break"');
    await raw.drain();
    expect(await here.request('test.v1.reports', 'go on', {}, LONG_TIMEOUT_MS)).toBe('fine');
    expect(reports).toEqual([
      'test.v1.reports: Error: A message on test.v1.reports is not JSON.',
      'test.v1.reports: Error: A message on test.v1.reports is not JSON.',
      'test.v1.reports: Error: it broke',
    ]);
  });

  it('answers to inboxes only', async () => {
    const reports: unknown[] = [];
    const here = await open({ onHandlerError: (_, error) => reports.push(error) });
    const stolen: unknown[] = [];
    here.subscribe('test.v1.question', async () => 'answer');
    here.subscribe('test.v1.command', (message) => void stolen.push(message.body));
    await here.flush();
    const raw = await connect({ servers: server.url });
    raw.publish('test.v1.question', 'null', { reply: 'test.v1.command' });
    await raw.drain();
    await eventually('the request is dropped', () => reports.length === 1);
    await here.flush();
    expect(stolen).toEqual([]);
  });

  it('publishes the kept text of a body', async () => {
    const here = await open();
    const seen: unknown[] = [];
    here.subscribe('test.v1.text', ({ body }) => void seen.push(body));
    await here.flush();
    const body = { n: 1 };
    keepJsonText(body, '{"n":2}');
    here.publish('test.v1.text', body);
    await eventually('the message arrives', () => seen.length === 1);
    expect(seen).toEqual([{ n: 2 }]);
  });

  it('throws when a message or an answer is larger than the server accepts', async () => {
    const reports: unknown[] = [];
    const here = await open({ onHandlerError: (_, error) => reports.push(error) });
    const output = 'x'.repeat(2 * 1024 * 1024);
    const limit = 'A message has at most 1048576 bytes (max_payload of the NATS server).';
    const asked = here.request('test.v1.big', { step: { output } }, {}, LONG_TIMEOUT_MS);
    await expect(asked).rejects.toMatchObject({ name: 'MessageTooLarge', isAnswer: false, field: 'output' });
    await expect(asked).rejects.toThrow(
      `The message for test.v1.big has a body of 2097174 bytes. ${limit} Send a smaller one, or increase max_payload in the configuration of the server at NATS_URL. The longest text is output with 2097152 characters.`,
    );
    expect(() => here.publish('test.v1.big', output)).toThrow(MessageTooLarge);
    here.subscribe('test.v1.big', async () => output);
    await here.flush();
    const answered = here.request('test.v1.big', null, {}, LONG_TIMEOUT_MS);
    const text = `The answer to test.v1.big has a body of 2097154 bytes. ${limit} The request was executed. Increase max_payload in the configuration of the server at NATS_URL.`;
    await expect(answered).rejects.toMatchObject({ name: 'MessageTooLarge', isAnswer: true, message: text });
    expect(reports).toEqual([expect.objectContaining({ message: text })]);
  });

  it('accepts nothing after it was closed', async () => {
    const here = await open();
    await here.close();
    await here.close();
    await expect(here.request('test.v1.closed', null, {}, LONG_TIMEOUT_MS)).rejects.toThrow(/closed/);
    expect(() => here.publish('test.v1.closed', null)).not.toThrow();
  });
});

describe('messages of agents', () => {
  const SUBJECT = 'agent.v1.infra-env.host.reply_to_step';
  const bodyOf = (output: string): Buffer => Buffer.from(JSON.stringify({ output }));
  let large: NatsServer;
  beforeAll(async () => {
    large = await startNatsServer({ config: `max_payload: ${MAX_MESSAGE_BYTES}` });
  });
  afterAll(() => large.stop());

  it('are dropped before they are parsed when they would take too long to read', async () => {
    const reports: string[] = [];
    const received: unknown[] = [];
    const service = await connectNatsRequests({
      servers: large.url,
      name: 'test',
      onHandlerError: (_, error) => reports.push(error instanceof Error ? error.message : ''),
    });
    expect(service.maxMessageBytes).toBe(MAX_MESSAGE_BYTES);
    service.subscribe('agent.v1.*.*.reply_to_step', ({ body, headers }) => void received.push([body, headers]));
    await service.flush();
    const agent = await connect({ servers: large.url });
    const many = headers();
    for (let number = 0; number < 500; number += 1) many.set(`name-${number}`, '');
    const parsed = jest.spyOn(JSON, 'parse');
    agent.publish(SUBJECT, Buffer.from('['.repeat(MAX_MESSAGE_BYTES)));
    agent.publish(SUBJECT, Buffer.from('['.repeat(JSON_MAX_MEMBERS + 1)));
    agent.publish(SUBJECT, Buffer.from(`[${'0,'.repeat(JSON_MAX_MEMBERS)}0]`));
    agent.publish(SUBJECT, Buffer.from('{}'), { headers: many });
    await agent.flush();
    await eventually('all are reported', () => reports.length === 4);
    const parsedTexts = parsed.mock.calls.filter(([text]) => text.startsWith('[') || text === '{}');
    parsed.mockRestore();
    expect(parsedTexts).toEqual([]);
    const dropped = `A message on ${SUBJECT} was dropped: its`;
    expect(reports).toEqual([
      `${dropped} body must not have more than ${AGENT_BODY_MAX_BYTES} bytes.`,
      `${dropped} body must not be nested deeper than 32 levels.`,
      `${dropped} body must not have more than 50000 members.`,
      `${dropped} headers must not have more than ${AGENT_HEADERS_MAX_BYTES} bytes.`,
    ]);

    // The largest report, with commas and brackets in its text, and the headers of an agent.
    const body = bodyOf('[,'.repeat(2 * 1024 * 1024));
    expect(body.length).toBeGreaterThan(4 * 1024 * 1024);
    const own = headers();
    own.set('muster-command-id', '7d444840-9dc0-41d1-b245-5ffdce74fad2');
    agent.publish(SUBJECT, body, { headers: own });
    await eventually('the report arrives', () => received.length === 1);
    expect(received).toEqual([[JSON.parse(body.toString()), { 'muster-command-id': own.get('muster-command-id') }]]);
    expect(reports).toHaveLength(4);
    await agent.close();
    await service.close();
  });
});

describe('NATS server that stops and starts again', () => {
  it('is reconnected with all subscriptions. Requests wait for it, publications are dropped', async () => {
    let server = await startNatsServer();
    const { port, url } = server;
    const statuses: NatsStatus['kind'][] = [];
    const here = await connectNatsRequests({ servers: url, name: 'here', onStatus: ({ kind }) => statuses.push(kind) });
    const there = await connectNatsRequests({ servers: url, name: 'there' });
    const published: unknown[] = [];
    there.subscribe('test.v1.echo', async (message) => message.body);
    there.subscribe('test.v1.live', (message) => void published.push(message.body));
    await there.flush();
    expect(await here.request('test.v1.echo', 'before', {}, LONG_TIMEOUT_MS)).toBe('before');

    await server.kill();
    await eventually('the disconnection is detected', () => !here.isConnected() && !there.isConnected());
    here.publish('test.v1.live', 'lost');
    const unsent = await here
      .request('test.v1.echo', 'too soon', {}, SHORT_TIMEOUT_MS)
      .catch((error: unknown) => error);
    expect(unsent).toBeInstanceOf(RequestTimedOut);
    expect((unsent as RequestTimedOut).unsent?.server).toBe(`NATS at 127.0.0.1:${port}`);
    const patient = here.request('test.v1.echo', 'patient', {}, LONG_TIMEOUT_MS).catch((error: Error) => error.name);

    server = await startNatsServer({ port });
    await eventually('both are reconnected', () => here.isConnected() && there.isConnected());
    // The first process to reconnect finds no responder yet, which is a valid reply.
    expect(['patient', 'NoResponder']).toContain(await patient);
    await there.flush();
    expect(await here.request('test.v1.echo', 'after', {}, LONG_TIMEOUT_MS)).toBe('after');
    here.publish('test.v1.live', 'kept');
    await eventually('the later publication arrives', () => published.length > 0);
    expect(published).toEqual(['kept']);

    await Promise.all([here.close(), there.close()]);
    expect(statuses[0]).toBe('connected');
    expect(statuses).toEqual(expect.arrayContaining(['disconnected', 'reconnecting']));
    expect(statuses.slice(-2)).toEqual(['connected', 'closed']);
    await server.stop();
  });

  it('is reconnected although the clock of the machine was set back', async () => {
    let server = await startNatsServer();
    const here = await connectNatsRequests({ servers: server.url, name: 'here' });
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - HOUR_MS);
    await server.kill();
    await eventually('the disconnection is detected', () => !here.isConnected());
    server = await startNatsServer({ port: server.port });
    await eventually('it is reconnected', () => here.isConnected()).finally(() => clock.mockRestore());
    await here.close();
    await server.stop();
  });

  it('can be closed while the server is not available', async () => {
    const server = await startNatsServer();
    const here = await connectNatsRequests({ servers: server.url, name: 'here' });
    here.subscribe('test.v1.x', () => undefined);
    await here.flush();
    await server.kill();
    await eventually('the disconnection is detected', () => !here.isConnected());
    await here.close();
    expect(here.isConnected()).toBe(false);
  });

  it('may start later than its clients', async () => {
    const probe = await startNatsServer();
    await probe.stop();
    const connecting = connectNatsRequests({ servers: probe.url, name: 'early', waitForServer: true });
    const server = await startNatsServer({ port: probe.port });
    const early = await connecting;
    expect(early.isConnected()).toBe(true);
    await early.close();
    await server.stop();
  });
});
