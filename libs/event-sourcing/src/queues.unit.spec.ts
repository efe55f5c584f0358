import {
  CONCURRENT_REACTIONS_MAX,
  REACTION_LATENESS_MS_MAX,
  REACTION_TIME,
  REACTIONS_PER_TURN_MAX,
  WorkQueue,
} from './queues';

/** Returns in the next turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that waits until the test completes it. */
const gatedWork = () => {
  const begun: string[] = [];
  const gates = new Map<string, (error?: Error) => void>();
  return {
    begun,
    work: (key: string) =>
      new Promise<void>((resolve, reject) => {
        begun.push(key);
        gates.set(key, (error) => (error ? reject(error) : resolve()));
      }),
    end: async (key: string, error?: Error): Promise<void> => {
      gates.get(key)?.(error);
      // A key that became due may start in the next turn.
      await turn();
      await turn();
    },
  };
};

describe('WorkQueue', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());
  const errors: string[] = [];
  const onError = (error: Error): void => void errors.push(error.message);
  beforeEach(() => void errors.splice(0));

  it('processes a key once when it was added several times before its turn', async () => {
    const { work, begun, end } = gatedWork();
    const queue = new WorkQueue(work, onError);
    for (let n = 0; n < 70; n += 1) queue.add(`filler-${n}`);
    for (let n = 0; n < 5; n += 1) queue.add('waiting');
    for (let n = 0; n < 70; n += 1) {
      await turn();
      await end(`filler-${n}`);
    }
    await turn();
    await end('waiting');
    await queue.idle();
    expect(begun.filter((key) => key === 'waiting')).toHaveLength(1);
  });

  describe.each([
    ['fewer keys than the queue has', ['of-1', 'of-2', 'of-none']],
    ['more keys than the queue has', Array.from({ length: 50 }, (_, n) => `of-${n}`)],
  ])('waiting for %s', (_, keys) => {
    it('ends with the last of them, and checks the fewer keys', async () => {
      const { work, end } = gatedWork();
      const queue = new WorkQueue(work, onError);
      const present = ['of-1', 'of-2', 'other-1', 'other-2', 'other-3', 'other-4'];
      for (const key of present) queue.add(key);
      await turn();
      let checked = 0;
      const known = new Set(keys);
      const concern = {
        size: keys.length,
        keys: function* () {
          for (const key of keys) {
            checked += 1;
            yield key;
          }
        },
        has: (key: string) => {
          checked += 1;
          return known.has(key);
        },
      };
      let isWorked = false;
      const worked = queue.worked(concern).then(() => (isWorked = true));
      expect(checked).toBe(Math.min(keys.length, present.length));
      await end('of-1');
      await end('other-1');
      expect(isWorked).toBe(false);
      await end('of-2');
      await worked;
      for (const key of present) await end(key);
      await queue.idle();
    });
  });

  it('serves waiting requests before further reactions', async () => {
    const { work, begun } = gatedWork();
    const queue = new WorkQueue(work, onError);
    const startedBeforeRequest: number[] = [];
    setImmediate(() => startedBeforeRequest.push(begun.length));
    for (let n = 0; n < 40; n += 1) queue.add(`k-${n}`);
    await turn();
    await turn();
    expect(startedBeforeRequest).toEqual([REACTIONS_PER_TURN_MAX]);
    expect(begun.length).toBeGreaterThan(REACTIONS_PER_TURN_MAX);
  });

  it('starts more reactions in a turn when they have been due for longer than the limit', async () => {
    const { work, begun } = gatedWork();
    let nowMs = 0;
    const queue = new WorkQueue(work, onError, () => nowMs);
    for (let n = 0; n < 40; n += 1) queue.add(`k-${n}`);
    expect(begun).toHaveLength(REACTIONS_PER_TURN_MAX);
    nowMs = REACTION_LATENESS_MS_MAX;
    await turn();
    expect(begun).toHaveLength(2 * REACTIONS_PER_TURN_MAX);
    nowMs += 1;
    await turn();
    expect(begun).toHaveLength(40);
  });

  it('ends a turn although all reactions are late and change nothing', async () => {
    let nowMs = 0;
    let begun = 0;
    const queue = new WorkQueue(
      async () => {
        begun += 1;
        nowMs += 1;
      },
      onError,
      () => nowMs,
    );
    for (let n = 0; n < 1_000; n += 1) queue.add(`k-${n}`);
    nowMs = 10_000;
    const perTurn: number[] = [];
    for (let before = begun; before < 1_000; before = begun) {
      await turn();
      perTurn.push(begun - before);
    }
    // The time follows the length of the turn before: first a long one, then turns that only react.
    expect(perTurn[0]).toBe(REACTION_TIME.maxMs);
    expect(perTurn.at(-2)).toBe(REACTION_TIME.minMs);
    await queue.idle();
  });

  it('continues although the process pauses between any two readings of the clock', async () => {
    let nowMs = 0;
    const begun: string[] = [];
    const queue = new WorkQueue(
      async (key) => void begun.push(key),
      onError,
      () => (nowMs += REACTION_TIME.maxMs),
    );
    for (const key of ['first', 'second', 'third']) queue.add(key);
    await queue.idle();
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('processes a key again when it is added while it is being processed', async () => {
    const { work, begun, end } = gatedWork();
    const queue = new WorkQueue(work, onError);
    queue.add('a');
    queue.add('a');
    queue.add('a');
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'a']);
    await end('a');
    await queue.idle();
    expect(begun).toEqual(['a', 'a']);
  });

  it('limits the keys that are processed concurrently', async () => {
    const { work, begun, end } = gatedWork();
    const queue = new WorkQueue(work, onError);
    const keys = CONCURRENT_REACTIONS_MAX + 50;
    for (let n = 0; n < keys; n += 1) queue.add(`k-${n}`);
    for (let n = 0; n <= CONCURRENT_REACTIONS_MAX / REACTIONS_PER_TURN_MAX; n += 1) await turn();
    expect(begun).toHaveLength(CONCURRENT_REACTIONS_MAX);
    await end('k-0');
    expect(begun).toHaveLength(CONCURRENT_REACTIONS_MAX + 1);
    for (let n = 1; n < keys; n += 1) {
      await turn();
      await end(`k-${n}`);
    }
    await queue.idle();
    expect(begun).toHaveLength(keys);
  });

  it('pauses a failing key with its reason while the others continue', async () => {
    const { work, begun, end } = gatedWork();
    const queue = new WorkQueue(work, onError);
    queue.add('sick');
    queue.add('well');
    await end('sick', new Error('no image for arm64'));
    await end('well');
    expect(queue.parked('sick')).toMatchObject({ reason: 'no image for arm64', failures: 1 });
    expect(queue.parked('well')).toBeUndefined();
    expect(errors).toEqual(['no image for arm64']);
    queue.add('well');
    await end('well');
    expect(begun).toEqual(['sick', 'well', 'well']);
  });

  it('retries a parked key with increasing delays of at most 30 seconds', async () => {
    const attempts: number[] = [];
    const startedAt = Date.now();
    const queue = new WorkQueue(async () => {
      attempts.push(Date.now() - startedAt);
      throw new Error('still sick');
    }, onError);
    queue.add('sick');
    await jest.advanceTimersByTimeAsync(200_000);
    const waits = attempts.slice(1).map((at, n) => at - (attempts[n] ?? 0));
    expect(waits.slice(0, 4)).toEqual([200, 400, 800, 1_600]);
    expect(Math.max(...waits)).toBe(30_000);
    expect(queue.parked('sick')?.failures).toBe(attempts.length);
    await queue.close();
  });

  it('reports a reason with the first key that fails for it, and again after every such key has succeeded', async () => {
    const reasons = new Map([
      ['a', 'the disk is full'],
      ['b', 'the disk is full'],
    ]);
    const reported: string[] = [];
    const queue = new WorkQueue(
      async (key) => {
        const reason = reasons.get(key);
        if (reason) throw new Error(reason);
      },
      (error, key) => reported.push(`${key}: ${error.message}`),
    );
    const fails = async (key: string, reason: string): Promise<void> => {
      reasons.set(key, reason);
      queue.add(key);
      await jest.advanceTimersByTimeAsync(60_000);
    };
    await fails('a', 'the disk is full');
    await fails('b', 'the disk is full');
    expect(['a', 'b'].map((key) => (queue.parked(key)?.failures ?? 0) > 2)).toEqual([true, true]);
    expect(reported).toEqual(['a: the disk is full']);

    await fails('b', 'no image for arm64');
    expect(reported).toEqual(['a: the disk is full', 'b: no image for arm64']);

    reasons.clear();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([queue.parked('a'), queue.parked('b')]).toEqual([undefined, undefined]);
    await fails('b', 'the disk is full');
    expect(reported.slice(2)).toEqual(['b: the disk is full']);
    await queue.close();
  });

  it('clears the failure count of a key after a success', async () => {
    let sick = true;
    const queue = new WorkQueue(async () => {
      if (sick) throw new Error('away');
    }, onError);
    queue.add('a');
    await jest.advanceTimersByTimeAsync(0);
    expect(queue.parked('a')?.failures).toBe(1);
    sick = false;
    await jest.advanceTimersByTimeAsync(200);
    expect(queue.parked('a')).toBeUndefined();
  });

  it('retries a parked key immediately when it is added, and only once', async () => {
    const { work, begun, end } = gatedWork();
    const queue = new WorkQueue(work, onError);
    queue.add('a');
    await end('a', new Error('away'));
    queue.add('a');
    expect(begun).toHaveLength(2);
    await end('a');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(begun).toHaveLength(2);
  });

  it('accepts a thrown value that is not an Error', async () => {
    const queue = new WorkQueue(() => Promise.reject('plain text'), onError);
    queue.add('a');
    await jest.advanceTimersByTimeAsync(0);
    expect(queue.parked('a')?.reason).toBe('plain text');
    await queue.close();
  });

  it('completes started work when it is closed, and starts nothing more', async () => {
    const { work, begun, end } = gatedWork();
    const queue = new WorkQueue(work, onError);
    for (let n = 0; n <= CONCURRENT_REACTIONS_MAX; n += 1) queue.add(`k-${n}`);
    for (let n = 0; n < CONCURRENT_REACTIONS_MAX / REACTIONS_PER_TURN_MAX; n += 1) await turn();
    let isClosed = false;
    const closing = queue.close().then(() => (isClosed = true));
    queue.add('late');
    await end('k-0', new Error('failed at the end'));
    expect(isClosed).toBe(false);
    for (let n = 1; n < CONCURRENT_REACTIONS_MAX; n += 1) await end(`k-${n}`);
    await closing;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(begun).toEqual(Array.from({ length: CONCURRENT_REACTIONS_MAX }, (_, n) => `k-${n}`));
  });
});
