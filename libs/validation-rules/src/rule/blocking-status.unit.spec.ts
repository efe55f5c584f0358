import { OPERATOR_NAMES } from '@muster/operators';
import { CLUSTER_RULES, evaluateCluster } from '../cluster/cluster-rules.table';
import { sampleCluster, sampleHost, sampleUnboundHost } from '../facts/sample.facts';
import { hostConditions } from '../host/host-conditions';
import { evaluateHost, HOST_RULES } from '../host/host-rules.table';
import { clusterBlockingStatus, hostBlockingStatus } from './blocking-status';
import { operatorRuleId } from './contract-ids';
import type { Outcome } from './rule';

const outcome = (id: string, status: string): Outcome => ({
  id,
  status,
  parameters: [],
});

const OPERATOR_RULES = OPERATOR_NAMES.map(operatorRuleId);
const SOFT_OPERATOR = 'openshift-ai-gpu-requirements-satisfied';
const idsWith = (rules: readonly { id: string; gate: string }[], gate: string): readonly string[] =>
  rules.filter((rule) => rule.gate === gate).map(({ id }) => id);
const sorted = (ids: readonly string[]): readonly string[] => [...ids].sort();

describe('rules that block', () => {
  it.each([
    ['connection', ['connected']],
    ['media', ['media-connected']],
    ['inventory', ['has-inventory']],
    ['truncation', ['inventory-not-fully-truncated']],
    [
      'hardware',
      [
        'has-min-cpu-cores',
        'has-min-memory',
        'has-min-valid-disks',
        'compatible-with-cluster-platform',
        'disk-encryption-requirements-satisfied',
      ],
    ],
    ['disk-uuid', ['vsphere-disk-uuid-enabled']],
    ['input', ['machine-cidr-defined']],
    ['disk-speed', ['sufficient-installation-disk-speed']],
    ['images', ['container-images-available']],
    ['none', ['inventory-not-partially-truncated', 'mtu-valid', 'ntp-synced']],
  ])('a host with the gate %s', (gate, ids) => {
    expect(sorted(idsWith(HOST_RULES, gate))).toEqual(sorted(ids));
  });

  it('a host without a cluster', () => {
    expect(sorted(HOST_RULES.filter(({ blocksUnbound }) => blocksUnbound).map(({ id }) => id))).toEqual([
      'connected',
      'has-inventory',
      'has-min-cpu-cores',
      'has-min-memory',
      'has-min-valid-disks',
      'hostname-valid',
      'inventory-not-fully-truncated',
      'media-connected',
    ]);
  });

  it.each([
    [
      'input',
      ['machine-cidr-defined', 'cluster-cidr-defined', 'service-cidr-defined', 'dns-domain-defined', 'pull-secret-set'],
    ],
    ['vips', ['api-vips-defined', 'ingress-vips-defined']],
    ['none', ['platform-requirements-satisfied', SOFT_OPERATOR]],
  ])('a cluster with the gate %s', (gate, ids) => {
    expect(sorted(idsWith(CLUSTER_RULES, gate))).toEqual(sorted(ids));
  });

  it('include all operators that are selected', () => {
    expect(idsWith(HOST_RULES, 'known')).toEqual(expect.arrayContaining(OPERATOR_RULES));
    expect(idsWith(CLUSTER_RULES, 'ready')).toEqual(expect.arrayContaining(OPERATOR_RULES));
  });
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
