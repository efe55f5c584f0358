import { type ClusterState, clusterTimeouts, initialClusterState } from '@muster/domain';
import { isoTime } from '@muster/ports';
import { manualClock } from '@muster/testing';
import { Logger } from '@nestjs/common';
import { readConfig } from '../config';
import { Deadlines } from './deadlines';

const MINUTE_MS = 60_000;
const RETRY_MS = 5_000;

describe('a deadline of a cluster whose entry cannot be read when it passes', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is passed later', async () => {
    const clock = manualClock();
    const state: ClusterState = {
      ...initialClusterState(),
      status: 'preparing-for-installation',
      statusSince: isoTime(clock.nowMs()),
    };
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    let isReadable = true;
    const view = {
      openHosts: () => [],
      openClusters: () => [{ id: 'c1' }],
      cluster: () => {
        if (!isReadable) throw new Error('disk I/O error');
        return { state };
      },
    };
    const passed: string[] = [];
    const clusters = { passDeadline: async (id: string, name: string) => void passed.push(`${name} of ${id}`) };
    const config = { ...readConfig({}), clusterTimeouts: clusterTimeouts() };
    const given = [clock, config, () => -Infinity, {}, view, {}, clusters] as unknown;
    const deadlines = new Deadlines(...(given as ConstructorParameters<typeof Deadlines>));
    deadlines.start();
    const letTimePass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await jest.advanceTimersByTimeAsync(ms);
    };

    isReadable = false;
    await letTimePass(11 * MINUTE_MS);
    expect(passed).toEqual([]);
    expect(logged).toHaveBeenCalledWith('deadline preparation of cluster:c1: Error: disk I/O error');
    await letTimePass(RETRY_MS);
    isReadable = true;
    await letTimePass(RETRY_MS);
    expect(passed).toEqual(['preparation of c1']);
    deadlines.onApplicationShutdown();
    logged.mockRestore();
  });
});
