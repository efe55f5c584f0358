import { clusterFinishedAt, isClosedCluster, isClosedHost, isHostNeeded } from './closed';
import { clusterDecider } from './cluster/decider';
import { hostDecider } from './host/decider';
import type { HostState } from './host/state';
import type { ClusterState } from './cluster/state';

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

  it.each([
    ['that was never registered', {}, true],
    ['that was removed and is retained', { deregisteredAt: '2026-01-01T00:00:00.000Z' }, false],
    [
      'that was removed and whose retention has passed',
      { deregisteredAt: '2026-01-01T00:00:00.000Z', passedDeadlines: ['retention'] },
      true,
    ],
  ] as const)('%s is closed or waits for its retention', (_what, changes, expected) => {
    expect(isClosedHost({ ...host('unregistered'), ...changes })).toBe(expected);
  });
});

describe('a cluster', () => {
  const cluster = (changes: Partial<ClusterState>): ClusterState => ({ ...clusterDecider.initialState(), ...changes });
  const deletedAt = '2026-01-01T00:00:00.000Z';

  it.each<[string, Partial<ClusterState>, boolean]>([
    ['that is installed', { status: 'installed' }, true],
    ['that adds hosts', { status: 'adding-hosts' }, false],
    ['that was deleted and is retained', { status: 'deregistered', deregisteredAt: deletedAt }, false],
    ['that was deleted and whose retention has passed', { status: 'deregistered', deregisteredAt: '' }, true],
  ])('%s is closed or open', (_what, changes, expected) => {
    expect(isClosedCluster(cluster(changes))).toBe(expected);
  });

  it.each<[string, Partial<ClusterState>, string | undefined]>([
    ['that failed', { status: 'error', statusSince: '2026-01-02T00:00:00.000Z' }, '2026-01-02T00:00:00.000Z'],
    ['that was deleted', { status: 'deregistered', deregisteredAt: deletedAt }, deletedAt],
    ['whose retention has passed', { status: 'deregistered', deregisteredAt: '' }, undefined],
    ['that is being installed', { status: 'installing', statusSince: deletedAt }, undefined],
  ])('%s has the time at which it finished, if it has', (_what, changes, expected) => {
    expect(clusterFinishedAt(cluster(changes))).toBe(expected);
  });
});
