import { RefusalError } from '@muster/problems';
import { manualClock } from '@muster/testing';
import { ADMIN, agentOf, type Caller } from './caller';
import { RequestRates } from './request-rates';

describe('request rates', () => {
  const clock = manualClock();
  const rates = (requestsPerSecondMax: number, failedProofsPerMinuteMax = 0): RequestRates =>
    new RequestRates(clock, { requestsPerSecondMax, failedProofsPerMinuteMax, eventsPerMinuteMax: 0 });
  const refusalOf = (act: () => void): unknown => {
    try {
      act();
      return undefined;
    } catch (error) {
      return error instanceof RefusalError ? error.refusal : error;
    }
  };

  it('are unlimited unless a limit is set', () => {
    const free = rates(0);
    for (let n = 0; n < 10_000; n += 1) {
      free.count('a');
      free.countFailure('a');
      free.countEvent(ADMIN);
    }
  });

  it('are counted per caller and second', () => {
    const few = rates(2);
    few.count('a');
    few.count('a');
    expect(refusalOf(() => few.count('a'))).toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 1 });
    expect(refusalOf(() => few.count('b'))).toBeUndefined();
    clock.advance(1_000);
    expect(refusalOf(() => few.count('a'))).toBeUndefined();
  });

  it('refuse no caller for longer when the clock is set back', () => {
    const few = rates(2, 1);
    few.count('a');
    few.count('a');
    few.countFailure('a');
    clock.set(clock.nowMs() - 3_600_000);
    expect(refusalOf(() => few.count('a'))).toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 1 });
    expect(refusalOf(() => few.countFailure('a'))).toMatchObject({ retryAfterSeconds: 60 });
  });

  it('return Retry-After for an address with too many failed authentications', () => {
    const few = rates(0, 1);
    few.countFailure('a');
    clock.advance(20_000);
    expect(refusalOf(() => few.countFailure('a'))).toMatchObject({ retryAfterSeconds: 40 });
  });

  it('of events are counted per token, user and minute', () => {
    const limits = { requestsPerSecondMax: 0, failedProofsPerMinuteMax: 0, eventsPerMinuteMax: 1 };
    const few = new RequestRates(clock, limits);
    const user = (name: string): Caller => ({ kind: 'user', user: name, org: '', role: 'user' });
    const callers = [agentOf({ infraEnvId: 'a' }), agentOf({ clusterId: 'b' }), user('c'), user('d')];
    const count = (): readonly unknown[] => callers.map((caller) => refusalOf(() => few.countEvent(caller)));
    expect(count()).toEqual(callers.map(() => undefined));
    clock.advance(20_000);
    const refused = { code: 'too-many-requests', retryAfterSeconds: 40 };
    expect(count()).toEqual(callers.map(() => expect.objectContaining(refused) as unknown));
    clock.advance(40_000);
    expect(count()).toEqual(callers.map(() => undefined));
  });
});
