import { KeyedQueue } from './keyed-queue';

const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
};

describe('KeyedQueue', () => {
  it('runs tasks of one key sequentially and tasks of different keys concurrently', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const { open, opened } = gate();
    const first = queue.run('a', async () => {
      await opened;
      log.push('a1');
    });
    const second = queue.run('a', async () => void log.push('a2'));
    await queue.run('b', async () => void log.push('b1'));
    expect(log).toEqual(['b1']);
    open();
    await Promise.all([first, second]);
    expect(log).toEqual(['b1', 'a1', 'a2']);
  });

  it('returns the result or error of a task to its caller', async () => {
    const queue = new KeyedQueue();
    const broken = queue.run('a', () => Promise.reject(new Error('mine')));
    const fine = queue.run('a', async () => 'yours');
    await expect(broken).rejects.toThrow('mine');
    expect(await fine).toBe('yours');
  });
});
