import { TurnShare } from './turn-share';

const LIMITS = { minMs: 2, share: 0.25, maxMs: 25 };

describe('the time of one kind of work in a turn of the event loop', () => {
  it.each([
    { turnMs: 0, timeMs: 2 },
    { turnMs: 3, timeMs: 2 },
    { turnMs: 40, timeMs: 10 },
    { turnMs: 1_000, timeMs: 25 },
  ])('is $timeMs ms after a turn of $turnMs ms', async ({ turnMs, timeMs }) => {
    let nowMs = 1_000;
    const share = new TurnShare(LIMITS, () => nowMs);
    expect(share.hasTime()).toBe(true);
    nowMs += turnMs;
    await share.nextTurn();
    expect(share.hasTime()).toBe(true);
    nowMs += timeMs - 0.5;
    expect(share.hasTime()).toBe(true);
    nowMs += 0.5;
    expect(share.hasTime()).toBe(false);
  });

  it('begins with the first work of a turn', async () => {
    let nowMs = 0;
    const share = new TurnShare(LIMITS, () => nowMs);
    await share.nextTurn();
    nowMs += 100;
    expect(share.hasTime()).toBe(true);
    nowMs += LIMITS.minMs;
    expect(share.hasTime()).toBe(false);
  });

  it('is at least one piece of work, also when the process pauses', async () => {
    let nowMs = 0;
    const share = new TurnShare(LIMITS, () => (nowMs += 1_000));
    expect([share.hasTime(), share.hasTime()]).toEqual([true, false]);
    await share.nextTurn();
    expect(share.hasTime()).toBe(true);
  });

  it('ends with the turn, so that other work runs', async () => {
    const share = new TurnShare(LIMITS);
    let hasRun = false;
    setImmediate(() => (hasRun = true));
    await share.nextTurn();
    expect(hasRun).toBe(true);
  });
});
