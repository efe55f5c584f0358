import type { DescMethod } from '@bufbuild/protobuf';
import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { JOURNEYS_PROJECTION, VIEWS_PROJECTION } from '@muster/assisted-api';
import { RegistrationService, subjectOfMethod, ValidationService } from '@muster/contracts';
import { HEAD_BEACON, projectionSubject } from '@muster/event-sourcing';
import { musterEventStore, Readiness } from '@muster/nest-kit';
import { type IncomingMessage, START_OF_STORE } from '@muster/ports';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { GatewayReadModels } from '../views/documents';
import { ReadYourWrites } from './read-your-writes';

/** For answers that must arrive, however busy the machine is. */
const PATIENT_MS = 20_000;

describe('a response that waits for the read models', () => {
  const readModels = inMemoryReadModels();
  let server: NatsServer;
  let requests: NatsRequests;
  let waiting: ReadYourWrites;
  beforeAll(async () => {
    server = await startNatsServer();
    requests = await connectNatsRequests({ servers: server.url, name: 'test' });
    const shown = new GatewayReadModels(readModels);
    waiting = new ReadYourWrites(musterEventStore(inMemoryEventStore()), shown, requests, new Readiness());
    await waiting.onApplicationBootstrap();
  });
  afterEach(() => jest.useRealTimers());
  afterAll(async () => {
    waiting.onApplicationShutdown();
    await requests.close();
    await server.stop();
  });

  it('requests the last event again when its message was lost on the bus', async () => {
    const reminded: unknown[] = [];
    requests.subscribe(HEAD_BEACON, ({ body }) => {
      reminded.push(body);
      void readModels.commit(VIEWS_PROJECTION, 5, []);
    });
    await requests.flush();
    expect(await waiting.passed(5)).toBe(true);
    expect(reminded[0]).toEqual({ position: 5 });
  });

  it('does not wait for a position that the read models have passed', async () => {
    expect(await waiting.passed(5)).toBe(true);
  });

  it('waits for all reactions that follow from a change, and reports a service that does not answer', async () => {
    const asked: string[] = [];
    const answering = (method: DescMethod, head: (position: number) => number) =>
      requests.subscribe(subjectOfMethod(method), ({ subject, body }) => {
        const { position, subjectId } = body as { position: number; subjectId: string };
        asked.push(`${subject.split('.')[0]} ${position} ${subjectId}`);
        return Promise.resolve({ ok: { position: head(position) } });
      });
    const evaluation = answering(ValidationService.method.awaitEvaluation, (position) => Math.max(position, 7));
    await requests.flush();
    expect(await waiting.reevaluated(5, [])).toBe(false);
    // The outcome at position 7 causes the status at position 9.
    answering(RegistrationService.method.awaitReaction, (position) => (position < 7 ? position : 9));
    await requests.flush();
    asked.length = 0;
    await readModels.commit(VIEWS_PROJECTION, 9, []);
    expect(await waiting.reevaluated(5, ['c', 'i.h'], PATIENT_MS)).toBe(true);
    expect([...asked].sort()).toEqual(
      [5, 7, 9]
        .flatMap((position) => ['registration', 'validation'].map((service) => `${service} ${position}`))
        .flatMap((question) => [`${question} c`, `${question} i.h`])
        .sort(),
    );
    asked.length = 0;
    expect(await waiting.reevaluated(9, [], PATIENT_MS)).toBe(true);
    expect([...asked].sort()).toEqual(['registration 9 ', 'validation 9 ']);
    evaluation.unsubscribe();
    await requests.flush();
    expect(await waiting.reevaluated(9, [])).toBe(false);
  });

  it('waits for the change itself when a service does not answer', async () => {
    const stored = inMemoryReadModels();
    const shown = new GatewayReadModels(stored);
    const following = new ReadYourWrites(musterEventStore(inMemoryEventStore()), shown, requests, new Readiness());
    await following.onApplicationBootstrap();
    let looks = 0;
    stored.checkpoint = async () => ((looks += 1) < 3 ? START_OF_STORE : 7);
    expect(await following.reevaluated(7, [])).toBe(false);
    expect(looks).toBe(3);
    following.onApplicationShutdown();
  });

  it('refuses to read documents while a projection rebuilds them, and reads them when they are complete', async () => {
    const stored = inMemoryReadModels();
    const shown = new GatewayReadModels(stored);
    const readiness = new Readiness();
    const store = inMemoryEventStore();
    let head = 40;
    store.head = async () => head;
    const following = new ReadYourWrites(musterEventStore(store), shown, requests, readiness);
    const put = { kind: 'put', collection: 'hosts', key: 'h', document: { name: 'n' } } as const;
    await stored.commit(VIEWS_PROJECTION, 40, [put]);
    await following.onApplicationBootstrap();
    expect(await shown.get('hosts', 'h')).toEqual({ name: 'n' });

    const rebuilt = inMemoryReadModels();
    Object.assign(stored, rebuilt);
    const announce = (position: number): void =>
      requests.publish(projectionSubject(VIEWS_PROJECTION), { projection: VIEWS_PROJECTION, position });
    announce(START_OF_STORE);
    const refused = { refusal: { code: 'busy' } };
    await eventually('reads are refused', () => readiness.notReady().length > 0);
    await expect(shown.get('hosts', 'h')).rejects.toMatchObject(refused);
    await rebuilt.commit(VIEWS_PROJECTION, 39, []);
    announce(39);
    await requests.flush();
    await expect(shown.find({ collection: 'hosts', where: {} })).rejects.toMatchObject(refused);
    await expect(shown.count({ collection: 'hosts', where: {} })).rejects.toMatchObject(refused);
    expect(readiness.notReady()).toEqual([{ part: 'read models', reason: 'at position 39 of 40' }]);
    expect(following).toMatchObject({ position: 39, storePosition: 40 });
    await rebuilt.commit(VIEWS_PROJECTION, 41, [put]);
    await eventually('the documents are complete', () => readiness.notReady().length === 0);
    expect(await shown.get('hosts', 'h')).toEqual({ name: 'n' });

    // The stores are restored from a backup with fewer events.
    const restored = inMemoryReadModels();
    await restored.commit(VIEWS_PROJECTION, 7, [{ ...put, document: { name: 'earlier' } }]);
    head = 7;
    Object.assign(stored, restored);
    announce(7);
    await eventually('it has the restored position', async () => !(await following.passed(8, 1)));
    await eventually('the restored documents are complete', () => readiness.notReady().length === 0);
    expect(await shown.get('hosts', 'h')).toEqual({ name: 'earlier' });
    expect(following.storePosition).toBe(7);
    following.onApplicationShutdown();
  });

  it('requires of the timelines a position that the documents had half a minute before', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const stored = inMemoryReadModels();
    const shown = new GatewayReadModels(stored);
    let announce: (position: number) => void = () => undefined;
    const local = {
      ...requests,
      publish: () => undefined,
      subscribe: (subject: string, onMessage: (message: IncomingMessage) => unknown) => {
        announce = (position) => void onMessage({ subject, body: { position }, headers: {} });
        return { unsubscribe: () => undefined };
      },
    };
    const store = { ...inMemoryEventStore(), head: () => stored.checkpoint(VIEWS_PROJECTION) };
    const following = new ReadYourWrites(musterEventStore(store), shown, local, new Readiness());
    await stored.commit(VIEWS_PROJECTION, 3, []);
    await stored.commit(JOURNEYS_PROJECTION, 3, []);
    await following.onApplicationBootstrap();
    await stored.commit(VIEWS_PROJECTION, 50, []);
    announce(50);
    expect(await shown.timelinesProgress()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await shown.timelinesProgress()).toBe('at position 3 of 50');
    await stored.commit(JOURNEYS_PROJECTION, 50, []);
    await expect(shown.requireCompleteTimelines()).resolves.toBeUndefined();
    // The documents move back when the stores are restored from a backup.
    Object.assign(stored, inMemoryReadModels());
    await stored.commit(VIEWS_PROJECTION, 7, []);
    announce(7);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await shown.timelinesProgress()).toBe('at position -1 of 7');
    following.onApplicationShutdown();
  });

  it('reads on when an announcement arrives after a later one', async () => {
    const stored = inMemoryReadModels();
    const shown = new GatewayReadModels(stored);
    const following = new ReadYourWrites(musterEventStore(inMemoryEventStore()), shown, requests, new Readiness());
    await stored.commit(VIEWS_PROJECTION, 8, []);
    await following.onApplicationBootstrap();
    let looks = 0;
    const { checkpoint } = stored;
    stored.checkpoint = (projection) => {
      looks += 1;
      return checkpoint(projection);
    };
    requests.publish(projectionSubject(VIEWS_PROJECTION), { projection: VIEWS_PROJECTION, position: 7 });
    await eventually('the checkpoint was read', () => looks === 1);
    expect(await shown.count({ collection: 'hosts', where: {} })).toBe(0);
    following.onApplicationShutdown();
  });

  it('returns false when the read models do not reach the position in time', async () => {
    expect(await waiting.passed(10, 10)).toBe(false);
  });
});
