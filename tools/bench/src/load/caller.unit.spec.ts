import { type Caller, makeCalls } from './caller';

const calls = [{ to: 'GET /a' }, { to: 'GET /b' }];

describe('the load generator', () => {
  it('makes the requested number of calls in turn, within the concurrency limit', async () => {
    const made: string[] = [];
    let running = 0;
    let most = 0;
    const caller: Caller = {
      call: async ({ to }) => {
        made.push(to);
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 3;
      },
      close: async () => undefined,
    };
    const result = await makeCalls({ calls, pace: { inFlight: 4 }, stop: { calls: 9 } }, caller);
    expect(result).toMatchObject({ calls: 9, failures: {}, answerBytes: 3 });
    expect(result.latenciesMs).toHaveLength(9);
    expect(made.slice(0, 3)).toEqual(['GET /a', 'GET /b', 'GET /a']);
    expect(most).toBe(4);
  });

  it('keeps its rate when no response arrives', async () => {
    let made = 0;
    let answer = (): void => undefined;
    const answered = new Promise<number>((resolve) => (answer = () => resolve(0)));
    const caller: Caller = {
      call: () => {
        made += 1;
        if (made === 10) answer();
        return answered;
      },
      close: async () => undefined,
    };
    const result = await makeCalls({ calls, pace: { perSecond: 1_000 }, stop: { calls: 10 } }, caller);
    expect(result.calls).toBe(10);
  });

  it('sends each call again an interval after its answer, and records the latencies after the others', async () => {
    const running = new Set<string>();
    const made: string[] = [];
    let overlaps = 0;
    const caller: Caller = {
      call: async ({ to }) => {
        overlaps += Number(running.has(to));
        running.add(to);
        made.push(to);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running.delete(to);
        return 0;
      },
      close: async () => undefined,
    };
    const pace = { intervalMs: 10, settleMs: 0 };
    const result = await makeCalls({ calls, pace, stop: { calls: 6 } }, caller);
    expect(overlaps).toBe(0);
    expect(new Set(made)).toEqual(new Set(['GET /a', 'GET /b']));
    expect(result.calls).toBe(made.length);
    const later = await makeCalls({ calls, pace: { ...pace, settleMs: 60_000 }, stop: { calls: 4 } }, caller);
    expect(later.calls).toBe(0);
  });

  it('counts failures by their reason', async () => {
    let made = 0;
    const caller: Caller = {
      call: async () => {
        made += 1;
        if (made % 2 === 0) throw new Error('GET answered 503');
        return 0;
      },
      close: async () => undefined,
    };
    const result = await makeCalls({ calls, pace: { inFlight: 1 }, stop: { calls: 6 } }, caller);
    expect(result).toMatchObject({ calls: 3, failures: { 'GET answered 503': 3 } });
  });
});
