import { isHostNeeded } from './closed';
import { clusterDecider } from './cluster/decider';
import { hostDecider } from './host/decider';
import type { HostState } from './host/state';

describe('a host', () => {
  const host = (status: HostState['status']): HostState => ({ ...hostDecider.initialState(), clusterId: 'c', status });
  const cluster = { ...clusterDecider.initialState(), clusterId: 'c' };
  const [open, closed] = [{ ...cluster, status: 'installing' } as const, { ...cluster, status: 'installed' } as const];

  it.each([
    ['that is being installed', host('installing'), undefined, true],
    ['that is installed, while its cluster is not', host('installed'), open, true],
    ['that is installed with its cluster', host('installed'), closed, false],
    ['that is installed and whose cluster is not in memory', host('installed'), undefined, false],
    ['that was removed from a cluster', host('unregistered'), open, false],
  ])('%s stays in memory or leaves it', (_what, state, of, expected) => {
    expect(isHostNeeded(state, (id) => (id === 'c' ? of : undefined))).toBe(expected);
  });
});
