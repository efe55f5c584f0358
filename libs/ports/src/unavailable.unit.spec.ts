import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { abortAfter } from './unavailable';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

describe('a signal with a time limit', () => {
  it('is aborted after its time, also when garbage is collected before', async () => {
    const signal = abortAfter(200, new AbortController().signal);
    while (!signal.aborted) {
      if (typeof collectGarbage === 'function') collectGarbage();
      await delay(10);
    }
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('is aborted with the other signal', () => {
    const ending = new AbortController();
    const signal = abortAfter(60_000, ending.signal);
    expect(signal.aborted).toBe(false);
    ending.abort();
    expect(signal.aborted).toBe(true);
  });
});
