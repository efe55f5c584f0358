import { SaveSlices } from './save-slices';

describe('the slices of a save', () => {
  const TURNS = [
    { turnMs: 0, sliceMs: 1 },
    { turnMs: 3, sliceMs: 1 },
    { turnMs: 50, sliceMs: 10 },
    { turnMs: 1_000, sliceMs: 25 },
  ];
  it.each(TURNS)('last $sliceMs ms after a turn of $turnMs ms', async ({ turnMs, sliceMs }) => {
    let nowMs = 1_000;
    const slices = new SaveSlices(
      () => nowMs,
      () => Promise.resolve((nowMs += turnMs)),
    );
    await slices.next();
    nowMs += sliceMs - 0.5;
    expect(slices.isOver()).toBe(false);
    nowMs += 0.5;
    expect(slices.isOver()).toBe(true);
  });

  it('begin with a short one, and let other work of the process run', async () => {
    let nowMs = 0;
    const slices = new SaveSlices(() => nowMs);
    nowMs = 1;
    expect(slices.isOver()).toBe(true);
    let hasRun = false;
    setImmediate(() => (hasRun = true));
    await slices.next();
    expect(hasRun).toBe(true);
  });
});
