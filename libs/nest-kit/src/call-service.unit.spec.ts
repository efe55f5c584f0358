import { EventsService, HEADERS } from '@muster/contracts';
import {
  type JsonValue,
  type MessageHeaders,
  NoResponder,
  RequestFailed,
  type Requests,
  RequestTimedOut,
} from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { callService } from './call-service';

type Answer = () => JsonValue;
const METHOD = EventsService.method.recordNote;
const CONTEXT = { commandId: 'c-1', correlationId: 'r-1', actor: 'ann' };
const SUBJECT = 'events.v1.record_note';
const fine: Answer = () => ({ ok: { position: 7 } });
const timesOut: Answer = () => {
  throw new RequestTimedOut(SUBJECT, 1);
};
const noResponder: Answer = () => {
  throw new NoResponder(SUBJECT);
};

describe('a call to another service', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** The last answer is repeated without limit. */
  const call = async (...answers: [Answer, ...Answer[]]) => {
    const asked: { subject: string; headers: MessageHeaders; timeoutMs: number }[] = [];
    const requests: Requests = {
      request: async (subject, _body, headers, timeoutMs) => {
        asked.push({ subject, headers, timeoutMs });
        return (answers[asked.length - 1] ?? answers[answers.length - 1] ?? fine)();
      },
      publish: () => undefined,
      subscribe: () => ({ unsubscribe: () => undefined }),
      close: async () => undefined,
    };
    const outcome = callService(requests, METHOD, { note: undefined }, CONTEXT).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(60_000);
    return { asked, outcome: await outcome };
  };

  it('asks under the subject of the method and the headers of the command', async () => {
    const { asked, outcome } = await call(fine);
    expect(outcome).toEqual({ position: 7 });
    expect(asked).toMatchObject([{ subject: SUBJECT, headers: { [HEADERS.commandId]: 'c-1' } }]);
  });

  it('asks again under the same command id when no answer came', async () => {
    const { asked, outcome } = await call(timesOut, timesOut, fine);
    expect(outcome).toEqual({ position: 7 });
    expect(asked.map(({ headers }) => headers[HEADERS.commandId])).toEqual(['c-1', 'c-1', 'c-1']);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([1_500, 3_000, 6_000]);
  });

  it('is refused as busy when no answer comes three times', async () => {
    const { asked, outcome } = await call(timesOut);
    expect(asked).toHaveLength(3);
    expect(outcome).toBeInstanceOf(RefusalError);
    expect((outcome as RefusalError).refusal).toMatchObject({ code: 'busy', reason: expect.stringMatching(/again/) });
  });

  it('waits for a service that is starting', async () => {
    const { asked, outcome } = await call(noResponder, noResponder, noResponder, fine);
    expect(outcome).toEqual({ position: 7 });
    expect(asked).toHaveLength(4);
  });

  it('is refused as busy when the service does not start', async () => {
    const { asked, outcome } = await call(noResponder);
    expect(asked).toHaveLength(41);
    expect((outcome as RefusalError).refusal.code).toBe('busy');
  });

  it('throws the refusal of the service', async () => {
    const refusal = { code: 'not-found', reason: 'No such cluster.', subject: '', allowed: [] };
    const { asked, outcome } = await call(() => ({ refusal }));
    expect(asked).toHaveLength(1);
    expect((outcome as RefusalError).refusal).toEqual({
      code: 'not-found',
      reason: 'No such cluster.',
      subject: undefined,
      allowed: [],
    });
  });

  it.each(['invented-later', 'constructor'])('takes the unknown code %s for an internal error', async (code) => {
    const { outcome } = await call(() => ({ refusal: { code, reason: 'x' } }));
    expect((outcome as RefusalError).refusal.code).toBe('internal');
  });

  it('does not ask again when the service broke on it', async () => {
    const { asked, outcome } = await call(() => {
      throw new RequestFailed(SUBJECT);
    });
    expect(asked).toHaveLength(1);
    expect(outcome).toBeInstanceOf(RequestFailed);
  });

  it('passes over what a newer service says beyond the contract', async () => {
    const { outcome } = await call(() => ({ ok: { position: 7, addedLater: true } }));
    expect(outcome).toEqual({ position: 7 });
  });

  it('fills in what is implicit in the answer', async () => {
    expect((await call(() => ({ ok: {} }))).outcome).toEqual({ position: 0 });
  });
});
