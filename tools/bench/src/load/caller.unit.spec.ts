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
