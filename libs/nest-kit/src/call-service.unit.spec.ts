import { EventsService, HEADERS } from '@muster/contracts';
import {
  type JsonValue,
  type MessageHeaders,
  MessageTooLarge,
  NoResponder,
  RequestFailed,
  type Requests,
  RequestTimedOut,
  Unavailable,
} from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { callService, keepJson, keptJson, responseEnvelope } from './call-service';

type Answer = () => JsonValue;
const METHOD = EventsService.method.recordNote;
const CONTEXT = { commandId: 'c-1', correlationId: 'r-1', actor: 'ann' };
const SUBJECT = 'events.v1.record_note';
const fine: Answer = () => ({ ok: { position: 7 } });
const timesOut: Answer = () => {
  throw new RequestTimedOut(SUBJECT, 1);
};
const notSent: Answer = () => {
  throw new RequestTimedOut(SUBJECT, 1, new Unavailable('NATS at a:1', 'reset'));
};
const noResponder: Answer = () => {
  throw new NoResponder(SUBJECT);
};

describe('callService', () => {
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

  it('sends the request to the subject of the method with the headers of the command', async () => {
    const { asked, outcome } = await call(fine);
    expect(outcome).toEqual({ position: 7 });
    expect(asked).toMatchObject([{ subject: SUBJECT, headers: { [HEADERS.commandId]: 'c-1' } }]);
  });

  it('returns the JSON that a service of the same process has written for its response', async () => {
    const [response, written] = [{ position: 7 }, new Map([['a', '"b"']])];
    keepJson(response, written);
    const { outcome } = await call(() => responseEnvelope(METHOD, response));
    expect(outcome).toEqual({ position: 7 });
    expect(keptJson(outcome as object)).toBe(written);
  });

  it('repeats the request with the same command id when no answer arrived', async () => {
    const { asked, outcome } = await call(timesOut, timesOut, fine);
    expect(outcome).toEqual({ position: 7 });
    expect(asked.map(({ headers }) => headers[HEADERS.commandId])).toEqual(['c-1', 'c-1', 'c-1']);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([1_500, 3_000, 6_000]);
  });

  it('names the service that does not answer three requests, and that the outcome is unknown', async () => {
    const { asked, outcome } = await call(timesOut);
    expect(asked).toHaveLength(3);
    expect(outcome).toBeInstanceOf(RefusalError);
    expect((outcome as RefusalError).refusal).toEqual({
      code: 'busy',
      reason:
        'The service events does not answer. The outcome of the command is unknown: it may have been stored. Read the resource, or repeat the request with the same command id (Idempotency-Key).',
    });
  });

  it.each<[string, [Answer, ...Answer[]], RegExp]>([
    ['that nothing was stored', [notSent], /^NATS at a:1 is not available: reset\. Nothing was stored\. Try again/],
    [
      'that the outcome is unknown',
      [timesOut, notSent],
      /^NATS at a:1 is not available: reset\. The outcome .* unknown/,
    ],
  ])('names the bus that is not available, and says %s', async (_, answers, reason) => {
    const { outcome } = await call(...answers);
    expect((outcome as RefusalError).refusal).toEqual({ code: 'unavailable', reason: expect.stringMatching(reason) });
  });

  it('waits for a service that is starting', async () => {
    const { asked, outcome } = await call(noResponder, noResponder, noResponder, fine);
    expect(outcome).toEqual({ position: 7 });
    expect(asked).toHaveLength(4);
  });

  it('throws busy when the service does not start', async () => {
    const { asked, outcome } = await call(noResponder);
    expect(asked).toHaveLength(41);
    expect((outcome as RefusalError).refusal).toEqual({
      code: 'busy',
      reason: 'The service events is not running. Nothing was stored. Try again in a few seconds.',
    });
  });

  it('says that the outcome is unknown when the service ended during the request', async () => {
    const { outcome } = await call(timesOut, noResponder);
    expect((outcome as RefusalError).refusal.reason).toMatch(
      /^The service events is not running\. The outcome .* unknown/,
    );
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

  it.each(['invented-later', 'constructor'])('converts the unknown code %s to an internal error', async (code) => {
    const { outcome } = await call(() => ({ refusal: { code, reason: 'x' } }));
    expect((outcome as RefusalError).refusal.code).toBe('internal');
  });

  it('does not repeat the request when the service failed on it', async () => {
    const { asked, outcome } = await call(() => {
      throw new RequestFailed(SUBJECT);
    });
    expect(asked).toHaveLength(1);
    expect(outcome).toBeInstanceOf(RequestFailed);
  });

  it.each([
    ['a request that is too large', { request: { settings: { ignitionConfigOverride: 'xyz' } } }, 'too-large', true],
    ['an answer that is too large', 'answer', 'internal', false],
  ] as const)('refuses %s with the limit', async (_, large, code, hasField) => {
    const { asked, outcome } = await call(() => {
      throw new MessageTooLarge('At most 1 byte.', large);
    });
    expect(asked).toHaveLength(1);
    const field = 'ignition_config_override';
    const reason = `At most 1 byte.${hasField ? ` The longest text is ${field} with 3 characters.` : ''}`;
    expect((outcome as RefusalError).refusal).toEqual({ code, reason, subject: hasField ? field : undefined });
  });

  it('ignores fields of a newer service', async () => {
    const { outcome } = await call(() => ({ ok: { position: 7, addedLater: true } }));
    expect(outcome).toEqual({ position: 7 });
  });

  it('adds implicit fields to the answer', async () => {
    expect((await call(() => ({ ok: {} }))).outcome).toEqual({ position: 0 });
  });
});
