import type { ClusterFacts, ClusterHostFacts } from '../facts/cluster.facts';
import { sampleCluster, sampleClusterHost, sampleSettings } from '../facts/sample.facts';
import { clusterBlockingIds, clusterConditions } from './cluster-conditions';
import { evaluateCluster } from './cluster-rules.table';

const set = (changes: Parameters<typeof sampleSettings>[0], others: Partial<ClusterFacts> = {}): ClusterFacts =>
  sampleCluster({ settings: sampleSettings(changes), ...others });
const hosts = (...changes: readonly Partial<ClusterHostFacts>[]): ClusterHostFacts[] =>
  changes.map((one, at) => sampleClusterHost({ hostKey: `infra-env.host-${at}`, ...one }));
const masters = (count: number): ClusterHostFacts[] => hosts(...Array<object>(count).fill({ role: 'master' }));
const clocks = (...offsets: readonly (number | undefined)[]): ClusterFacts =>
  sampleCluster({ hosts: hosts(...offsets.map((clockOffsetSeconds) => ({ clockOffsetSeconds }))) });

describe('cluster conditions', () => {
  const of = (facts: ClusterFacts) => clusterConditions(facts, evaluateCluster(facts));

  it('are all met when every rule passes', () => {
    expect(of(sampleCluster())).toEqual({
      pendingInputsGiven: true,
      vipsDefined: true,
      requiredPassed: true,
    });
  });

  it('distinguish missing input, missing VIPs and other failures', () => {
    expect(of(set({ baseDnsDomain: '' }))).toMatchObject({ pendingInputsGiven: false, vipsDefined: true });
    expect(of(set({ ingressVips: [] }))).toMatchObject({ pendingInputsGiven: true, vipsDefined: false });
    const weaker = set({}, { hosts: masters(2) });
    expect(of(weaker)).toMatchObject({ pendingInputsGiven: true, vipsDefined: true, requiredPassed: false });
    expect(clusterBlockingIds(evaluateCluster(weaker), []).failingIds).toEqual(['sufficient-masters-count']);
  });

  it('are not met while a required outcome is pending', () => {
    const unverified = set({}, { vipVerifications: [] });
    expect(of(unverified).requiredPassed).toBe(false);
    expect(clusterBlockingIds(evaluateCluster(unverified), []).pendingIds).toEqual([
      'api-vips-valid',
      'ingress-vips-valid',
    ]);
  });

  it('do not depend on rules that do not block', () => {
    expect(of(set({ platformType: 'external', externalPlatformName: 'oci' })).requiredPassed).toBe(true);
  });

  it('count ignored rules as passed, except those that cannot be ignored', () => {
    const ignoredClusterRules = ['all'];
    expect(of(set({ ignoredClusterRules }, { hosts: clocks(0, 900, 1).hosts })).requiredPassed).toBe(true);
    expect(of(set({ ignoredClusterRules }, { hosts: masters(2) })).requiredPassed).toBe(false);
  });
});
