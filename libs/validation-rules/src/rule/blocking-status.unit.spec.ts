import { evaluateCluster } from '../cluster/cluster-rules.table';
import { sampleCluster, sampleHost, sampleUnboundHost } from '../facts/sample.facts';
import { hostConditions } from '../host/host-conditions';
import { evaluateHost } from '../host/host-rules.table';
import { clusterBlockingStatus, hostBlockingStatus } from './blocking-status';
import type { Outcome } from './rule';

const outcome = (id: string, status: string): Outcome => ({
  id,
  status,
  parameters: [],
});

describe('blocking status of an outcome', () => {
  it.each([
    ['has-memory-for-role', 'failure', 'known', true],
    ['has-memory-for-role', 'pending', 'known', true],
    ['has-memory-for-role', 'success', 'known', false],
    ['has-memory-for-role', 'disabled', 'known', false],
    ['container-images-available', 'failure', 'preparation', true],
    ['ntp-synced', 'failure', 'soft', false],
    ['time-synced-between-host-and-service', 'pending', 'known', false],
    ['time-synced-between-host-and-service', 'failure', 'known', true],
  ])('of host rule %s in status %s', (id, status, gate, isBlocking) => {
    expect(hostBlockingStatus(outcome(id, status), [], true)).toMatchObject({ gate, isBlocking });
  });

  it('of a platform requirement of a cluster is soft', () => {
    expect(clusterBlockingStatus(outcome('api-vips-valid', 'failure'), [])).toMatchObject({
      gate: 'ready',
      isBlocking: true,
    });
    expect(clusterBlockingStatus(outcome('platform-requirements-satisfied', 'failure'), [])).toMatchObject({
      gate: 'soft',
      isBlocking: false,
    });
  });

  it('of an ignored rule is not blocking, unless the rule cannot be ignored', () => {
    expect(hostBlockingStatus(outcome('has-memory-for-role', 'failure'), ['all'], true)).toMatchObject({
      isIgnorable: true,
      isIgnored: true,
      isBlocking: false,
    });
    expect(clusterBlockingStatus(outcome('pull-secret-set', 'failure'), ['all', 'pull-secret-set'])).toMatchObject({
      isIgnorable: false,
      isIgnored: false,
      isBlocking: true,
    });
  });

  it('of most rules is soft for unbound hosts', () => {
    const failing = evaluateHost(sampleUnboundHost({ hardware: undefined })).filter(
      (one) => hostBlockingStatus(one, [], false).isBlocking,
    );
    expect(failing.map(({ id }) => id)).toContain('has-inventory');
    expect(hostBlockingStatus(outcome('has-memory-for-role', 'failure'), [], false).gate).toBe('soft');
  });

  it('is consistent with the conditions', () => {
    const facts = sampleHost();
    const outcomes = evaluateHost(facts);
    expect(hostConditions(facts, outcomes).sufficientForInstall).toBe(true);
    expect(outcomes.filter((one) => hostBlockingStatus(one, [], true).isBlocking).map(({ id }) => id)).toEqual([]);
    expect(evaluateCluster(sampleCluster()).filter((one) => clusterBlockingStatus(one, []).isBlocking)).toEqual([]);
  });
});
