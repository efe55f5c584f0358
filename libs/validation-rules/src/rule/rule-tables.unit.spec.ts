import { existsSync, readFileSync } from 'node:fs';
import { OPERATOR_NAMES } from '@muster/operators';
import fc from 'fast-check';
import { parse } from 'yaml';
import { CLUSTER_RULES } from '../cluster/cluster-rules.table';
import { evaluateCluster } from '../cluster/evaluate-cluster';
import { clusterConditions } from '../cluster/cluster-conditions';
import {
  sampleCluster,
  sampleClusterHost,
  sampleDisk,
  sampleHost,
  sampleNic,
  sampleSettings,
  sampleHardware,
} from '../facts/sample.facts';
import { evaluateHost } from '../host/evaluate-host';
import { hostConditions } from '../host/host-conditions';
import { HOST_RULES } from '../host/host-rules.table';
import { CLUSTER_RULE_IDS, HOST_RULE_IDS, operatorRuleId, RETIRED_RULE_IDS } from './contract-ids';
import { applyOutcomeChanges, diffOutcomes } from './diff-outcomes';
import { OUTCOME_TEXT_CHARACTERS_MAX } from './evaluate-rules';
import { NEVER_IGNORABLE_CLUSTER_RULES, NEVER_IGNORABLE_HOST_RULES } from './overrides';

const CONTRACT = `${__dirname}/../../../../../shared/upstream/swagger.yaml`;
const hasContract = existsSync(CONTRACT);

const operatorIds = OPERATOR_NAMES.map(operatorRuleId);
const sorted = (ids: readonly string[]): readonly string[] => [...ids].sort();

describe('rule tables', () => {
  it('have one row per id', () => {
    expect(new Set(HOST_RULES.map(({ id }) => id)).size).toBe(HOST_RULES.length);
    expect(new Set(CLUSTER_RULES.map(({ id }) => id)).size).toBe(CLUSTER_RULES.length);
    expect(new Set(OPERATOR_NAMES).size).toBe(OPERATOR_NAMES.length);
  });

  it('have a row for every id of the contract', () => {
    expect(sorted(HOST_RULES.map(({ id }) => id))).toEqual(sorted([...HOST_RULE_IDS, ...operatorIds]));
    expect(sorted(CLUSTER_RULES.map(({ id }) => id))).toEqual(sorted([...CLUSTER_RULE_IDS, ...operatorIds]));
  });

  it(`know the ids of the contract${hasContract ? '' : ' (skipped: the contract document is not on this machine)'}`, () => {
    if (!hasContract) return;
    const { definitions } = parse(readFileSync(CONTRACT, 'utf8')) as {
      definitions: { [name: string]: { enum: string[] } };
    };
    expect(sorted([...HOST_RULE_IDS, ...operatorIds, ...RETIRED_RULE_IDS])).toEqual(
      sorted(definitions['host-validation-id']?.enum ?? []),
    );
    expect(sorted([...CLUSTER_RULE_IDS, ...operatorIds, 'ocs-requirements-satisfied'])).toEqual(
      sorted(definitions['cluster-validation-id']?.enum ?? []),
    );
  });

  it('forbid to ignore rows that exist', () => {
    expect(HOST_RULES.map(({ id }) => id)).toEqual(expect.arrayContaining([...NEVER_IGNORABLE_HOST_RULES]));
    expect(CLUSTER_RULES.map(({ id }) => id)).toEqual(expect.arrayContaining([...NEVER_IGNORABLE_CLUSTER_RULES]));
  });
});

const text = fc.oneof(
  fc.constantFrom(
    '',
    '192.168.128.10/24',
    'fd00::1/64',
    '0.0.0.0',
    '::',
    'master',
    'HDD',
    'Multipath',
    'iSCSI',
    'x86_64',
    '/dev/sda',
    'toString',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, Number.MAX_VALUE));
/** Any value of the same shape as the sample: texts, numbers and flags at random, lists of any length. */
const like = (sample: unknown): fc.Arbitrary<unknown> => {
  if (typeof sample === 'string') return fc.oneof(fc.constant(sample), text);
  if (typeof sample === 'number') return fc.oneof(fc.constant(sample), number);
  if (typeof sample === 'boolean') return fc.boolean();
  if (Array.isArray(sample)) return fc.array(sample.length > 0 ? like(sample[0]) : text, { maxLength: 4 });
  if (typeof sample === 'object' && sample !== null)
    return fc.record(Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, like(value)])));
  return fc.constant(sample);
};
const optional = (sample: unknown) => fc.option(like(sample), { nil: undefined });
const shapeOfHardware = sampleHardware({
  disks: [sampleDisk({ agentReasons: ['x'] })],
  nics: [sampleNic({ ipv6Addresses: ['fd00::1/64'] })],
});
const anyHost = fc
  .record({
    facts: like({
      ...sampleHost({
        weakPeers: [{ name: 'n', role: 'master', latencyMs: 200, packetLossPercent: 1 }],
        isTangReached: true,
        workerEncryption: 'tang',
        workerNetworking: 'managed',
        collidingAddresses: ['192.168.128.10'],
      }),
      policy: undefined,
      cluster: undefined,
      hardware: undefined,
    }),
    cluster: optional(sampleSettings()),
    hardware: optional(shapeOfHardware),
  })
  .map(
    ({ facts, cluster, hardware }) =>
      ({ ...(facts as object), policy: sampleHost().policy, cluster, hardware }) as ReturnType<typeof sampleHost>,
  );
const anyCluster = fc
  .record({
    settings: like(sampleSettings()),
    hosts: fc.array(like(sampleClusterHost()), { maxLength: 5 }),
    vipVerifications: like(sampleCluster().vipVerifications),
  })
  .map((facts) => ({ ...facts, policy: sampleCluster().policy }) as ReturnType<typeof sampleCluster>);

describe('every rule, whatever the facts', () => {
  it('answers for hosts without throwing, with a message, the same each time', () => {
    fc.assert(
      fc.property(anyHost, (facts) => {
        const outcomes = evaluateHost(facts);
        expect(outcomes.every(({ message, category }) => message !== '' && category !== '')).toBe(true);
        expect(evaluateHost(structuredClone(facts))).toEqual(outcomes);
        hostConditions(facts, outcomes);
      }),
    );
  });

  it('answers for clusters without throwing, with a message, the same each time', () => {
    fc.assert(
      fc.property(anyCluster, (facts) => {
        const outcomes = evaluateCluster(facts);
        expect(outcomes.every(({ message, category }) => message !== '' && category !== '')).toBe(true);
        expect(evaluateCluster(structuredClone(facts))).toEqual(outcomes);
        clusterConditions(facts, outcomes);
      }),
    );
  });

  it('says no more than a person reads of what a machine has hundreds of, and cuts no character in two', () => {
    const disks = Array.from({ length: 256 }, (_, at) =>
      sampleDisk({ id: `d${at}`, name: '😀'.repeat(600) + at, hasUuid: false }),
    );
    const { message, measured } =
      evaluateHost(sampleHost({ hardware: sampleHardware({ disks, manufacturer: 'VMware, Inc.' }) })).find(
        ({ id }) => id === 'vsphere-disk-uuid-enabled',
      ) ?? {};
    for (const text of [message, measured]) {
      expect(text?.length).toBeLessThanOrEqual(OUTCOME_TEXT_CHARACTERS_MAX);
      expect(text).toMatch(/😀…$/u);
      expect(text?.isWellFormed()).toBe(true);
    }
  });

  it('leads to the same outcomes by steps as at once', () => {
    fc.assert(
      fc.property(fc.array(anyHost, { minLength: 1, maxLength: 4 }), (history) => {
        const byId = (outcomes: ReturnType<typeof evaluateHost>) =>
          applyOutcomeChanges([], { changed: outcomes, withdrawn: [] });
        const stepped = history.reduce(
          (outcomes, facts) => applyOutcomeChanges(outcomes, diffOutcomes(outcomes, evaluateHost(facts))),
          [] as ReturnType<typeof evaluateHost>,
        );
        const last = history.at(-1);
        expect(stepped).toEqual(byId(last ? evaluateHost(last) : []));
        expect(diffOutcomes(stepped, stepped)).toEqual({ changed: [], withdrawn: [] });
      }),
    );
  });
});
