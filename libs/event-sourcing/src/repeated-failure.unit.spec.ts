import { Unavailable } from '@muster/ports';
import { RepeatedFailure } from './repeated-failure';

describe('RepeatedFailure', () => {
  const reported: string[] = [];
  let failure: RepeatedFailure;
  beforeEach(() => {
    jest.useFakeTimers();
    reported.length = 0;
    failure = new RepeatedFailure((error) => reported.push(error.message));
  });
  afterEach(() => jest.useRealTimers());

  /** Returns the number of attempts of work that always fails within the time, including the first attempt. */
  const attemptsWithin = async (ms: number, error: Error): Promise<number> => {
    let [attempts, isOver] = [0, false];
    const trying = (async () => {
      while (!isOver) {
        attempts += 1;
        await failure.pauseAfter(error);
      }
    })();
    await jest.advanceTimersByTimeAsync(ms);
    isOver = true;
    failure.end();
    await trying;
    return attempts;
  };

  it('is reported once and retried at growing intervals', async () => {
    expect(await attemptsWithin(600_000, new Error('position 7 is damaged'))).toBeLessThan(30);
    expect(reported).toEqual(['position 7 is damaged']);
  });

  it('is reported again when its message changes, and after a success', async () => {
    await attemptsWithin(0, new Error('a'));
    await attemptsWithin(0, new Error('b'));
    failure.succeeded();
    await attemptsWithin(0, new Error('b'));
    expect(reported).toEqual(['a', 'b', 'b']);
  });

  it('of a server that is not available is retried at a constant interval', async () => {
    const away = new Unavailable('the store', 'refused');
    expect(await attemptsWithin(60_000, away)).toBeGreaterThan(100);
    expect(reported).toHaveLength(1);
  });
});
