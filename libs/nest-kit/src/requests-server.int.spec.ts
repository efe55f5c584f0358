import { setTimeout as sleep } from 'node:timers/promises';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import {
  EventsService,
  HEADERS,
  IgnitionService,
  type Plain,
  type RecordNoteRequest,
  subjectOfMethod,
} from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { type JsonObject, Unavailable } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { eventually, type NatsServer, seededIds, startNatsServer } from '@muster/testing';
import { Controller, type LoggerService, Module } from '@nestjs/common';
import 'reflect-metadata';
import { callService } from './call-service';
import type { Platform } from './platform';
import { Handles } from './requests-server';
import { type RunningService, startMicroservice } from './service';

const received: { request: Plain<RecordNoteRequest>; context: CommandContext }[] = [];
const gates = new Map<string, Promise<void>>();

@Controller()
class NotesController {
  @Handles(EventsService.method.recordNote)
  async record(request: Plain<RecordNoteRequest>, context: CommandContext) {
    received.push({ request, context });
    const name = request.note?.name ?? '';
    await gates.get(name);
    if (name === 'refused')
      throw new RefusalError({ code: 'not-found', reason: 'No such host.', subject: 'host_id', allowed: ['a'] });
    if (name === 'broken') throw new Error('password=hunter2');
    if (name === 'away' || name === 'lost')
      throw new Unavailable('A store at a:1', 'reset', { isOutcomeUnknown: name === 'lost' });
    if (name === 'locked')
      throw Object.assign(new Error('Database /d/events.sqlite: another process has locked it.'), {
        code: 'SQLITE_BUSY',
      });
    if (name === 'misshapen') return { position: 'seven' };
    if (name === 'silent') return undefined;
    return { position: 7, ownRequests: 'x', nothing: undefined };
  }

  @Handles(IgnitionService.method.readArtifact)
  readArtifact() {
    return { content: Buffer.from('hello').toString('base64') };
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

describe('RequestsServer', () => {
  const subject = subjectOfMethod(EventsService.method.recordNote);
  const logged: string[] = [];
  const failedCommands: string[] = [];
  const logger: LoggerService = {
    log: () => undefined,
    warn: (message) => logged.push(String(message)),
    error: (message) => logged.push(String(message)),
  };
  const context = { commandId: 'c-1', correlationId: 'r-1', actor: 'ann', org: 'acme' };
  const note = (name: string): RecordNoteRequest['note'] => ({ name }) as never;
  let server: NatsServer;
  let client: NatsRequests;
  let own: NatsRequests;
  let service: RunningService;
  const ask = async (body: unknown): Promise<{ ok?: JsonObject; refusal?: JsonObject }> =>
    (await client.request(subject, body as JsonObject, {}, 10_000)) as never;

  beforeAll(async () => {
    server = await startNatsServer();
    client = await connectNatsRequests({ servers: server.url, name: 'client' });
    own = await connectNatsRequests({ servers: server.url, name: 'service' });
    const onCommandFailed = ({ server: away }: Unavailable): void => void failedCommands.push(away);
    const platform = { requests: own, ids: seededIds(), onCommandFailed } as unknown as Platform;
    service = await startMicroservice('events', NotesModule, platform, logger);
    await own.flush();
  });
  beforeEach(() => {
    received.splice(0);
    logged.splice(0);
    failedCommands.splice(0);
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([client.close(), own.close()]);
    await server.stop();
  });

  it('passes the message with its implicit fields and the caller to the handler', async () => {
    await callService(client, EventsService.method.recordNote, { note: note('fine') } as never, context);
    expect(received).toMatchObject([{ request: { note: { name: 'fine', severity: '', clusterId: '' } }, context }]);
  });

  it('ignores the fields that a service of a newer release sends', async () => {
    await ask({ note: { name: 'fine', colour: 1 }, audience: ['all'] });
    const [{ request } = { request: undefined }] = received;
    expect(request).toMatchObject({ note: { name: 'fine' } });
    expect(Object.keys(request?.note ?? {})).not.toContain('colour');
    expect(Object.keys(request ?? {})).toEqual(['note']);
  });

  it("answers with the fields of the handler's result that are in the contract", async () => {
    expect(await ask({ note: { name: 'fine' } })).toEqual({ ok: { position: 7 } });
  });

  it('answers with an empty message when a handler returns nothing', async () => {
    expect(await ask({ note: { name: 'silent' } })).toEqual({ ok: { position: 0 } });
  });

  it('encodes bytes as proto3 JSON', async () => {
    const answer = await callService(client, IgnitionService.method.readArtifact, {} as never, context);
    expect(Buffer.from(answer.content, 'base64').toString()).toBe('hello');
  });

  it.each([
    ['a field of another type', { note: { name: 4 } }, 'name'],
    ['a field of another type beside an unknown one', { note: { name: 4, colour: 1 } }, 'name'],
    ['a list', [], 'RecordNoteRequest'],
    ['nothing', null, 'RecordNoteRequest'],
  ])('refuses %s with the name of the field, without calling the handler', async (_, body, named) => {
    const { refusal } = await ask(body);
    expect(refusal).toMatchObject({ code: 'invalid-input', subject: 'RecordNoteRequest' });
    expect(refusal?.reason).toContain(named);
    expect(received).toEqual([]);
  });

  it.each([
    ['away', /^A store at a:1 is not available: reset\. Nothing was stored\. Try again/],
    ['lost', /^A store at a:1 is not available: reset\. The outcome of the command is unknown.*same command id/],
  ])('answers that a server is %s, counts the command, and logs nothing', async (name, reason) => {
    const { refusal } = await ask({ note: { name } });
    expect(refusal).toMatchObject({ code: 'unavailable', reason: expect.stringMatching(reason) as string });
    expect(failedCommands).toEqual(['A store at a:1']);
    expect(logged).toEqual([]);
  });

  it('answers that a request can be repeated when another process has locked a file, and logs it', async () => {
    const { refusal } = await ask({ note: { name: 'locked' } });
    const reason = 'Nothing was stored: Database /d/events.sqlite: another process has locked it.';
    expect(refusal).toMatchObject({ code: 'unavailable', reason });
    expect(logged).toEqual([expect.stringContaining('another process has locked it')]);
  });

  it('returns a refusal with all its members to the caller', async () => {
    const failing = callService(client, EventsService.method.recordNote, { note: note('refused') } as never, context);
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RefusalError);
    expect((error as RefusalError).refusal).toEqual({
      code: 'not-found',
      reason: 'No such host.',
      subject: 'host_id',
      allowed: ['a'],
    });
    expect(logged).toEqual([]);
  });

  it.each(['broken', 'misshapen'])('writes the text of an error (%s) to its own log only', async (name) => {
    const { refusal } = await ask({ note: { name } });
    expect(refusal).toEqual({
      code: 'internal',
      reason: 'The service events failed to answer RecordNote. Its log has the reason.',
      subject: '',
      allowed: [],
    });
    expect(logged.join()).toContain(subject);
  });

  it('serves a request while another one waits', async () => {
    let release = (): void => undefined;
    gates.set('slow', new Promise((resolve) => (release = resolve)));
    const slow = ask({ note: { name: 'slow' } });
    await eventually('the slow request was received', () => received.length === 1);
    expect(await ask({ note: { name: 'quick' } })).toEqual({ ok: { position: 7 } });
    release();
    expect(await slow).toEqual({ ok: { position: 7 } });
  });

  it('executes a repeated request once while it is executed, and gives both the same answer', async () => {
    let release = (): void => undefined;
    gates.set('repeated', new Promise((resolve) => (release = resolve)));
    const send = (commandId: string, name: string) =>
      client.request(subject, { note: { name } }, { [HEADERS.commandId]: commandId }, 10_000);
    const first = send('c-2', 'repeated');
    await eventually('the request was received', () => received.length === 1);
    const second = send('c-2', 'repeated');
    // One command may cause several requests.
    expect(await send('c-2', 'quick')).toEqual({ ok: { position: 7 } });
    expect(await send('c-3', 'quick')).toEqual({ ok: { position: 7 } });
    release();
    expect([await first, await second]).toEqual([{ ok: { position: 7 } }, { ok: { position: 7 } }]);
    expect(received.map(({ request }) => request.note?.name)).toEqual(['repeated', 'quick', 'quick']);
    expect(await send('c-2', 'repeated')).toEqual({ ok: { position: 7 } });
    expect(received).toHaveLength(4);
  });

  it('shares requests with its replicas: each request is handled once', async () => {
    const other = await connectNatsRequests({ servers: server.url, name: 'replica' });
    const platform = { requests: other, ids: seededIds() } as unknown as Platform;
    const replica = await startMicroservice('events', NotesModule, platform, logger);
    await other.flush();
    await Promise.all(Array.from({ length: 40 }, (_, n) => ask({ note: { name: `n-${n}` } })));
    expect(received).toHaveLength(40);
    await replica.close();
    await other.close();
  });

  describe('of a service that stops', () => {
    type OnMessage = Parameters<NatsRequests['subscribe']>[1];
    const messageOf = (name: string) => ({ subject, body: { note: { name } }, headers: {} });

    /** Starts a service and returns the function that its server subscribed. */
    async function start(): Promise<{ stopping: RunningService; deliver: OnMessage }> {
      const handlers = new Map<string, OnMessage>();
      const subscribe = (name: string, onMessage: OnMessage) => {
        handlers.set(name, onMessage);
        return { unsubscribe: () => undefined };
      };
      const platform = { requests: { subscribe }, ids: seededIds() } as unknown as Platform;
      const stopping = await startMicroservice('events', NotesModule, platform, logger);
      return { stopping, deliver: (message) => handlers.get(subject)?.(message) };
    }

    it('answers running requests before it ends, and no others', async () => {
      let release = (): void => undefined;
      gates.set('running', new Promise((resolve) => (release = resolve)));
      const { stopping, deliver } = await start();
      const ends: string[] = [];
      const answered = deliver(messageOf('running'))?.then(() => ends.push('answered'));
      const closed = stopping.close().then(() => ends.push('closed'));
      expect(deliver(messageOf('late'))).toBeUndefined();
      await Promise.race([closed, sleep(200)]);
      release();
      await Promise.all([answered, closed]);
      expect(ends).toEqual(['answered', 'closed']);
      expect(received.map(({ request }) => request.note?.name)).toEqual(['running']);
    });

    it('ends although a request never ends', async () => {
      gates.set('endless', new Promise(() => undefined));
      const { stopping, deliver } = await start();
      void deliver(messageOf('endless'));
      await stopping.close();
      expect(received).toHaveLength(1);
    });
  });
});
