import timers from 'node:timers/promises';
import { findFreeAddresses, kernelNeighbours } from './address-checks';
import { recorded } from './recorded-commands.fixture.spec';

const { signal } = new AbortController();
const [GONE, PRESENT, OTHER] = ['127.0.0.8', '127.0.0.9', '127.0.0.10'] as const;

/** The entry of an address after the kernel was made to use it. */
const entry = (dst: string, state: string) => ({
  dst,
  dev: 'eno1',
  ...(state !== 'FAILED' && { lladdr: '52:54:00:00:00:0a' }),
  state: [state],
});

/** Returns the addresses that are found, and the number of waits. The table changes at each wait after the first one. */
const find = async (addresses: readonly string[], ...tables: readonly object[][]) => {
  let waits = 0;
  const wait = jest.spyOn(timers, 'setTimeout').mockImplementation(async () => void (waits += 1));
  const run: ReturnType<typeof recorded>['run'] = async () => ({
    exitCode: 0,
    stdout: JSON.stringify(tables[waits - 1]),
  });
  const found = await kernelNeighbours(run).find(addresses, signal);
  wait.mockRestore();
  return { found: found.map(({ address }) => address), waits };
};

describe('an address that the neighbour table already has', () => {
  it('is in use only when it answers again', async () => {
    const before = [entry(GONE, 'DELAY'), entry(PRESENT, 'DELAY')];
    const after = [entry(GONE, 'FAILED'), entry(PRESENT, 'REACHABLE')];
    expect(await find([GONE, PRESENT], before, after)).toEqual({ found: [PRESENT], waits: 2 });
  });

  it('does not delay the check of other addresses', async () => {
    const table = [entry(GONE, 'STALE'), entry(PRESENT, 'REACHABLE'), entry(OTHER, 'FAILED')];
    expect(await find([PRESENT, OTHER], table)).toEqual({ found: [PRESENT], waits: 1 });
  });
});

it('no address counts as free when the neighbour table cannot be read', async () => {
  const wait = jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  const { run } = recorded({ ip: { exitCode: 255, stderr: 'Cannot open netlink socket: Too many open files' } });
  const free = findFreeAddresses(['127.0.0.8/30'], [], run, kernelNeighbours(run), signal);
  await expect(free.finally(() => wait.mockRestore())).rejects.toThrow(
    '"ip -json neigh show" ended with exit code 255: Cannot open netlink socket: Too many open files',
  );
});
