import type { DescMethod } from '@bufbuild/protobuf';
import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { VIEWS_PROJECTION } from '@muster/assisted-api';
import { RegistrationService, subjectOfMethod, ValidationService } from '@muster/contracts';
import { HEAD_BEACON } from '@muster/event-sourcing';
import { musterEventStore, Readiness } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { ReadYourWrites } from './read-your-writes';

describe('a response that waits for the read models', () => {
  const readModels = inMemoryReadModels();
  let server: NatsServer;
  let requests: NatsRequests;
  let waiting: ReadYourWrites;
  beforeAll(async () => {
    server = await startNatsServer();
    requests = await connectNatsRequests({ servers: server.url, name: 'test' });
    waiting = new ReadYourWrites(musterEventStore(inMemoryEventStore()), readModels, requests, new Readiness());
    await waiting.onApplicationBootstrap();
  });
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
        const { position } = body as { position: number };
        asked.push(`${subject.split('.')[0]} ${position}`);
        return Promise.resolve({ ok: { position: head(position) } });
      });
    const evaluation = answering(ValidationService.method.awaitEvaluation, (position) => Math.max(position, 7));
    await requests.flush();
    expect(await waiting.reevaluated(5)).toBe(false);
    // The outcome at position 7 causes the status at position 9.
    answering(RegistrationService.method.awaitReaction, (position) => (position < 7 ? position : 9));
    await requests.flush();
    asked.length = 0;
    await readModels.commit(VIEWS_PROJECTION, 9, []);
    expect(await waiting.reevaluated(5)).toBe(true);
    expect([...asked].sort()).toEqual(
      [5, 7, 9].flatMap((position) => [`registration ${position}`, `validation ${position}`]).sort(),
    );
    evaluation.unsubscribe();
    await requests.flush();
    expect(await waiting.reevaluated(9)).toBe(false);
  });

  it('returns false when the read models do not reach the position in time', async () => {
    expect(await waiting.passed(10, 10)).toBe(false);
  });
});
