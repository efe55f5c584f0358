import {
  connectNatsRequests,
  createHostKey,
  createNatsTrust,
  mintHostCredentials,
  mintServiceCredentials,
  type NatsRequests,
  natsServerConfig,
} from '@muster/adapter-nats';
import { agentSubject, anyAgentSubject, HEADERS } from '@muster/contracts';
import { realTimer, type Timer, untilAborted } from '@muster/host-api';
import type { IncomingMessage, JsonValue } from '@muster/ports';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { runAgent } from '../agent/agent';
import { collectNotes, HOST_ID, INFRA_ENV_ID, machineThatCan, quickTimer } from '../agent/agent.fixture.spec';
import { connectNats, type ConnectNats, createNatsTransport } from './nats-transport';
import { openTransport } from './open-transport';
import { type Transport, TransportRefused, TransportUnreachable } from './transport.port';

const never = new AbortController().signal;
const MINUTE_MS = 60_000;

describe('the NATS transport', () => {
  let server: NatsServer;
  let service: NatsRequests;
  let access: Parameters<ConnectNats>[0];

  beforeAll(async () => {
    const trust = createNatsTrust();
    const nowMs = Date.now();
    server = await startNatsServer({ config: natsServerConfig(trust, { nowMs }) });
    service = await connectNatsRequests({
      servers: server.url,
      name: 'service',
      credentials: mintServiceCredentials(trust, { name: 'service', nowMs }),
    });
    const { publicKey, seed } = createHostKey();
    const ids = { infraEnvId: INFRA_ENV_ID, hostId: HOST_ID };
    const { jwt, inboxPrefix } = mintHostCredentials(trust, { ...ids, publicKey, nowMs, lifetimeMs: MINUTE_MS });
    access = { url: server.url, identity: { jwt: () => jwt, seed }, inboxPrefix, name: 'agent' };
  });
  afterAll(async () => {
    await service.close();
    await server.stop();
  });

  const serve = async (answers: { readonly [verb: string]: (message: IncomingMessage) => JsonValue | undefined }) => {
    const subscriptions = Object.entries(answers).map(([verb, answer]) =>
      service.subscribe(anyAgentSubject(verb as never), async (message) => answer(message)),
    );
    await service.flush();
    return () => subscriptions.forEach((subscription) => subscription.unsubscribe());
  };
  const openNatsTransport = async (timeoutMs?: number, timer: Timer = quickTimer) =>
    createNatsTransport({
      requests: await connectNats(access),
      infraEnvId: INFRA_ENV_ID,
      hostId: HOST_ID,
      timer,
      timeoutMs,
    });

  it('sends all requests over the bus, and polls immediately after a wake-up', async () => {
    const replies: IncomingMessage[] = [];
    const registrations: IncomingMessage[] = [];
    let polls = 0;
    const stopServing = await serve({
      register: (message) => (registrations.push(message), { ok: { agentVersion: 'quay.io/agent:1' } }),
      next_steps: () => {
        polls += 1;
        const instructions = polls === 2 ? [{ stepType: 'verify-vips', stepId: 'verify-vips-7', args: ['[]'] }] : [];
        return { ok: { instructions, nextInstructionSeconds: 60, postStepAction: 'continue' } };
      },
      reply_to_step: (message) => (replies.push(message), { ok: {} }),
    });
    const transport = await openNatsTransport();
    const ending = new AbortController();
    // The timer of this agent never ends a wait.
    const timer: Timer = { sleep: (_ms, signal) => untilAborted(signal) };
    const { of, observe } = collectNotes();
    const machine = machineThatCan({ 'verify-vips': async () => [] });
    const running = runAgent(
      {
        machine,
        transport,
        hostId: HOST_ID,
        agentVersion: 'quay.io/agent:1',
        clock: { nowMs: () => 5_000 },
        timer,
        observe,
      },
      ending.signal,
    );
    await eventually('the first poll', () => polls === 1);
    await eventually('the wake-up is received and the step is run', () => {
      if (polls < 2) service.publish(agentSubject(INFRA_ENV_ID, HOST_ID, 'nudge'), { reason: 'work' });
      return replies.length > 0;
    });
    ending.abort();
    await running;
    await transport.close();
    stopServing();

    expect(of('registered')).toHaveLength(1);
    expect(registrations[0]?.body).toMatchObject({
      hostId: HOST_ID,
      discoveryAgentVersion: 'quay.io/agent:1',
      machine: { macAddresses: ['52:54:00:aa:00:01', '52:54:00:bb:00:01'], serialNumber: 'ABC123', bootId: 'boot-1' },
    });
    expect(replies[0]?.subject).toBe(agentSubject(INFRA_ENV_ID, HOST_ID, 'reply_to_step'));
    expect(replies[0]?.body).toMatchObject({
      stepType: 'verify-vips',
      stepId: 'verify-vips-7',
      exitCode: 0,
      output: '[]',
    });
  });

  it('reports a refusal with the status of the v2 API', async () => {
    const stopServing = await serve({
      register: () => ({ refusal: { code: 'host-already-installed', reason: 'It is installed.' } }),
    });
    const transport = await openNatsTransport();
    const failure = await transport
      .register('v', await machineThatCan({}).identity(), never)
      .catch((error: unknown) => error);
    await transport.close();
    stopServing();
    expect(failure).toBeInstanceOf(TransportRefused);
    expect(failure).toMatchObject({ status: 409, reason: 'It is installed.' });
  });

  it('does not repeat a request that is larger than the bus accepts', async () => {
    const transport = await openNatsTransport();
    const output = 'x'.repeat(8 * 1024 * 1024);
    const reply = { stepType: 'inventory', stepId: 'i', exitCode: 0, output, error: '' };
    const failure = await transport.reply(reply, never).catch((error: unknown) => error);
    await transport.close();
    expect(failure).toBeInstanceOf(TransportRefused);
    expect(failure).toMatchObject({ status: 413, reason: expect.stringContaining('at most 8388608 bytes') });
  });

  it('repeats a request with the same command id when there is no answer', async () => {
    const ids: (string | undefined)[] = [];
    const stopServing = await serve({
      reply_to_step: ({ headers }) => (ids.push(headers[HEADERS.commandId]), ids.length < 3 ? undefined : { ok: {} }),
    });
    const transport = await openNatsTransport(50);
    await transport.reply({ stepType: 'inventory', stepId: 'i', exitCode: 0, output: '{}', error: '' }, never);
    await transport.close();
    stopServing();
    // The third attempt is answered; on a busy machine, a fourth is sent before the answer arrives.
    expect(ids.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends the position of the last answer with a new command id, and repeats it unchanged', async () => {
    const positions: (string | undefined)[] = [];
    const noted = ({ headers }: IncomingMessage) => void positions.push(headers[HEADERS.unusedUpTo]);
    let reachedPosition: number | undefined;
    let attempts = 0;
    const stopServing = await serve({
      next_steps: (message) => (noted(message), { ok: {}, ...(reachedPosition !== undefined && { reachedPosition }) }),
      reply_to_step: (message): JsonValue => {
        noted(message);
        attempts += 1;
        return attempts === 1 ? { refusal: { code: 'busy' } } : { ok: {} };
      },
    });
    const pollAt = async (position?: number) => {
      reachedPosition = position;
      await transport.nextSteps('v', 1, never);
    };
    const transport: Transport = await openNatsTransport(undefined, { sleep: () => pollAt(11) });
    // An earlier release answers without a position.
    for (const position of [undefined, 7, undefined, 9]) await pollAt(position);
    await transport.reply({ stepType: 'inventory', stepId: 'i', exitCode: 0, output: '{}', error: '' }, never);
    await pollAt();
    await transport.close();
    stopServing();
    expect(positions.slice(0, 4)).toEqual([undefined, undefined, '7', '7']);
    // The reply, a poll between its attempts, its repetition, and a poll.
    expect(positions.slice(4)).toEqual(['9', '9', '9', '11']);
  });

  it('repeats a request while the service is busy', async () => {
    let attempts = 0;
    const stopServing = await serve({
      reply_to_step: (): JsonValue => {
        attempts += 1;
        return attempts < 3 ? { refusal: { code: 'busy', reason: 'Too many requests wait.' } } : { ok: {} };
      },
    });
    const transport = await openNatsTransport();
    await transport.reply({ stepType: 'inventory', stepId: 'i', exitCode: 0, output: '{}', error: '' }, never);
    await transport.close();
    stopServing();
    expect(attempts).toBe(3);
  });

  it('fails when no service answers, so that the other transport can be used', async () => {
    const transport = await openNatsTransport();
    await expect(transport.nextSteps('v', 1, never)).rejects.toThrow(TransportUnreachable);
    await transport.close();
  });

  it('falls back to HTTP when no server answers', async () => {
    const reasons: string[] = [];
    const transport = await openTransport({
      settings: {
        serviceUrl: 'http://127.0.0.1:1',
        infraEnvId: INFRA_ENV_ID,
        agentVersion: 'v',
        token: '',
        isInsecure: false,
        nats: { url: 'nats://127.0.0.1:1', credentials: 'none' },
      },
      hostId: HOST_ID,
      timer: { sleep: () => realTimer.sleep(0, never) },
      connectNats,
      onFallback: (reason) => void reasons.push(reason),
    });
    await expect(transport.nextSteps('v', 1, never)).rejects.toThrow('127.0.0.1:1');
    await transport.close();
    expect(reasons).toHaveLength(1);
  });
});
