import { setImmediate as nextTurn } from 'node:timers/promises';
import { RENDERING_TIME, RenderTurns } from './render-turns';

describe('rendering in turns of the event loop', () => {
  let nowMs = 0;
  const done: number[] = [];
  const slow = (text: number) => (): number => {
    nowMs += RENDERING_TIME.minMs;
    done.push(text);
    return text;
  };
  beforeEach(() => {
    done.length = 0;
  });

  it('runs the work synchronously while the turn has time left', () => {
    expect(new RenderTurns(() => nowMs).run(() => 'text')).toBe('text');
  });

  it('continues in later turns, in order, one text at least in each', async () => {
    const turns = new RenderTurns(() => nowMs);
    const texts = [1, 2, 3].map((text) => turns.run(slow(text)));
    expect(done).toEqual([1]);
    const before = done.length;
    await nextTurn();
    expect(done.length).toBe(before + 1);
    expect(await Promise.all(texts)).toEqual([1, 2, 3]);
    expect(done).toEqual([1, 2, 3]);
  });

  it('renders longer in a turn after a long one', async () => {
    const turns = new RenderTurns(() => nowMs);
    let texts = 0;
    const oneMs = (): void => {
      nowMs += 1;
      texts += 1;
    };
    const all = Array.from({ length: 500 }, () => turns.run(oneMs));
    expect(texts).toBe(RENDERING_TIME.minMs);
    nowMs += 10_000;
    await nextTurn();
    expect(texts).toBe(RENDERING_TIME.minMs + RENDERING_TIME.maxMs);
    await Promise.all(all);
  });

  it('rejects when the work throws, and continues with the next text', async () => {
    const turns = new RenderTurns(() => nowMs);
    void turns.run(slow(1));
    const failing = turns.run((): number => {
      throw new Error('no text');
    });
    const next = turns.run(slow(2));
    await expect(failing).rejects.toThrow('no text');
    expect(await next).toBe(2);
  });
});
