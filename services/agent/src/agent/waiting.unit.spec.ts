import {
  AGENT_RETRIES,
  HttpRefused,
  INSTALLER_RETRIES,
  retryDelayMs,
  ServiceUnreachable,
  type Timer,
  untilAborted,
} from '@muster/host-api';
import fc from 'fast-check';
import { machineThatCan } from './agent.fixture.spec';
import { createReplyCache, runSession } from './agent';
import { createBackoff, createWakeSignal } from './waiting';

const HOUR_MS = 3_600_000;
/** Sleeps until the signal is aborted. */
const endless: Timer = { sleep: (_ms, signal) => untilAborted(signal) };
const never = new AbortController().signal;

describe('a wake signal', () => {
  it('ends a wait', async () => {
    const wakeSignal = createWakeSignal(endless);
    const waiting = wakeSignal.wait(1, never);
    wakeSignal.ring();
    await waiting;
  });

  it('between two waits ends the next wait, and only that one', async () => {
    const wakeSignal = createWakeSignal(endless);
    wakeSignal.ring();
    wakeSignal.ring();
    await wakeSignal.wait(1, never);
    const second = wakeSignal.wait(1, never).then(() => 'woken');
    expect(await Promise.race([second, Promise.resolve('still waiting')])).toBe('still waiting');
    wakeSignal.ring();
    expect(await second).toBe('woken');
  });

  it('does not delay the end of the agent', async () => {
    const ending = new AbortController();
    const waiting = createWakeSignal(endless).wait(1, ending.signal);
    ending.abort();
    await waiting;
  });
});

describe('the cache of replies', () => {
  it('contains the output of a step for an hour', () => {
    const cache = createReplyCache();
    cache.remember('inventory', '{}', 0);
    expect(cache.isKnown('inventory', '{}', HOUR_MS - 1)).toBe(true);
    expect(cache.isKnown('inventory', '{}', HOUR_MS)).toBe(false);
    expect(cache.isKnown('inventory', '{"a":1}', 1)).toBe(false);
    expect(cache.isKnown('ntp-synchronizer', '{}', 1)).toBe(false);
  });

  it('contains no output after the clock was set back', () => {
    const cache = createReplyCache();
    cache.remember('inventory', '{}', 9 * HOUR_MS);
    expect(cache.isKnown('inventory', '{}', HOUR_MS)).toBe(false);
  });

  it('is empty after a flush', () => {
    const cache = createReplyCache();
    cache.remember('inventory', '{}', 0);
    cache.flush();
    expect(cache.isKnown('inventory', '{}', 1)).toBe(false);
  });
});

describe('waits between polls', () => {
  it('are at least one second and at most one hour, independent of the answer', async () => {
    const ending = new AbortController();
    const waits: number[] = [];
    const answers = [0, -5, 1, 60, 2 ** 31];
    await runSession(
      {
        machine: machineThatCan({}),
        hostId: 'h',
        agentVersion: 'v',
        clock: { nowMs: () => 0 },
        timer: { sleep: async (ms) => void waits.push(ms) },
        transport: {
          register: () => Promise.reject(new Error('not asked')),
          nextSteps: async () => {
            const nextInstructionSeconds = answers.shift() ?? 60;
            if (answers.length === 0) ending.abort();
            return { steps: [], nextInstructionSeconds, postStepAction: 'continue' };
          },
          reply: async () => undefined,
          listen: () => () => undefined,
          close: async () => undefined,
        },
      },
      ending.signal,
    );
    expect(waits).toEqual([1_000, 1_000, 1_000, 60_000, HOUR_MS]);
  });
});

describe('waits between attempts', () => {
  it('grow by half from 500 ms to one minute and end after 15 minutes', () => {
    const backoff = createBackoff(() => 0.5);
    const waits: number[] = [];
    for (let next = backoff.next(); next !== undefined; next = backoff.next()) waits.push(next);
    expect(waits.slice(0, 3)).toEqual([500, 750, 1125]);
    expect(Math.max(...waits)).toBe(60_000);
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    expect(total).toBeGreaterThanOrEqual(15 * 60_000);
    expect(total - (waits.at(-1) ?? 0)).toBeLessThan(15 * 60_000);
    backoff.reset();
    expect(backoff.next()).toBe(500);
  });

  it('stay between 2 and 10 seconds for each call', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const delay = retryDelayMs(attempt, () => random);
          expect(delay).toBeGreaterThanOrEqual(2_000);
          expect(delay).toBeLessThanOrEqual(10_000);
        },
      ),
    );
  });

  it('are limited in number by the kind of failure', () => {
    const refused = (status: number) =>
      new HttpRefused({ method: 'GET', path: '/' }, { status, body: Buffer.alloc(0) });
    const gone = new ServiceUnreachable('http://x', new Error('ECONNREFUSED'));
    const retries = (policy: typeof AGENT_RETRIES) =>
      [gone, ...[500, 503, 404, 409, 429].map(refused)].map((failure) => policy.retriesMax(failure));
    expect(retries(AGENT_RETRIES)).toEqual([3, 0, 3, 0, 0, 0]);
    expect(retries(INSTALLER_RETRIES)).toEqual([360, 360, 360, 10, 0, 360]);
  });
});
