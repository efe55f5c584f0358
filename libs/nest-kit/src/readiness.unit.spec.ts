import { Readiness } from './http-endpoint';
import { whenReady } from './service';

describe('readiness', () => {
  it('lists each part that is not ready with its current reason', () => {
    const readiness = new Readiness();
    let reason: string | undefined = 'replaying events';
    readiness.register('views', () => reason);
    readiness.register('bus', () => undefined);
    expect(readiness.notReady()).toEqual([{ part: 'views', reason }]);
    reason = undefined;
    expect(readiness.notReady()).toEqual([]);
  });

  it('is reported every 30 s while a start waits for it', async () => {
    jest.useFakeTimers();
    try {
      const readiness = new Readiness();
      let position: number | undefined = 0;
      readiness.register('views', () => (position === undefined ? undefined : `at position ${position}`));
      const reported: string[] = [];
      const ready = whenReady(readiness, ({ part, reason }) => reported.push(`${part} ${reason}`));
      for (position = 1; position <= 7; position += 1) await jest.advanceTimersByTimeAsync(10_000);
      expect(reported).toEqual(['views at position 3', 'views at position 6']);
      position = undefined;
      await jest.advanceTimersByTimeAsync(10);
      await ready;
    } finally {
      jest.useRealTimers();
    }
  });
});
