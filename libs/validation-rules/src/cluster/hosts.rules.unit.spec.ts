import { sampleCluster, sampleClusterHost } from '../facts/sample.facts';
import type { Outcome } from '../rule/rule';
import { evaluateCluster } from './cluster-rules.table';

/** The outcomes about the hosts of a cluster with as many hosts of each status and role. */
const outcomes = (
  ...groups: readonly (readonly [count: number, status: string, role: string])[]
): readonly Outcome[] => {
  const hosts = groups.flatMap(([count, status, role]) =>
    Array.from({ length: count }, (_, at) => sampleClusterHost({ hostKey: `env.${role}-${at}`, status, role })),
  );
  const ids = ['all-hosts-are-ready-to-install', 'sufficient-masters-count'];
  return evaluateCluster(sampleCluster({ hosts })).filter(({ id }) => ids.includes(id));
};

describe('the outcomes about the hosts of a cluster', () => {
  it('do not change with each host that registers', () => {
    expect(outcomes([5, 'discovering', 'worker'])).toEqual(outcomes([1, 'discovering', 'worker']));
  });

  it('do not change with each host that is not ready', () => {
    const one = outcomes([3, 'known', 'master'], [1, 'insufficient', 'worker']);
    expect(outcomes([3, 'known', 'master'], [4, 'insufficient', 'worker'])).toEqual(one);
  });

  it('do not change with the number of workers', () => {
    expect(outcomes([3, 'known', 'master'], [2, 'known', 'worker'])).toEqual(outcomes([3, 'known', 'master']));
  });
});
