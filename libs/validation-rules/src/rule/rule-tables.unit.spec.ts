import { existsSync, readFileSync } from 'node:fs';
import { parseCidrs } from '@muster/addresses';
import { OPERATOR_NAMES } from '@muster/operators';
import fc from 'fast-check';
import { parse } from 'yaml';
import { clusterConditions } from '../cluster/cluster-conditions';
import {
  CLUSTER_RULES,
  evaluateCluster,
  INITIAL_CLUSTER_OUTCOMES,
  renderClusterOutcome,
} from '../cluster/cluster-rules.table';
import {
  sampleCluster,
  sampleClusterHost,
  sampleDisk,
  sampleHardware,
  sampleHost,
  sampleNic,
  sampleSettings,
} from '../facts/sample.facts';
import { hostConditions, initialHostConditions } from '../host/host-conditions';
import { evaluateHost, HOST_RULES, initialHostOutcomes, renderHostOutcome } from '../host/host-rules.table';
import { CLUSTER_RULE_IDS, HOST_RULE_IDS, operatorRuleId, RETIRED_RULE_IDS } from './contract-ids';
import { NEVER_IGNORABLE_CLUSTER_RULES, NEVER_IGNORABLE_HOST_RULES } from './overrides';
import { OUTCOME_TEXT_CHARACTERS_MAX, renderOutcome, SHARED_MESSAGES } from './render-outcome';
import type { Outcome } from './rule';

const CONTRACT = `${__dirname}/../../../../../shared/upstream/swagger.yaml`;
const hasContract = existsSync(CONTRACT);
const withContract = hasContract ? it : it.skip;

const operatorIds = OPERATOR_NAMES.map(operatorRuleId);
const sorted = (ids: readonly string[]): readonly string[] => [...ids].sort();

describe('rule tables', () => {
  it('have one row per id', () => {
    expect(new Set(HOST_RULES.map(({ id }) => id)).size).toBe(HOST_RULES.length);
    expect(new Set(CLUSTER_RULES.map(({ id }) => id)).size).toBe(CLUSTER_RULES.length);
    expect(new Set(OPERATOR_NAMES).size).toBe(OPERATOR_NAMES.length);
  });

  it('have a row for every id of the v2 API', () => {
    expect(sorted(HOST_RULES.map(({ id }) => id))).toEqual(sorted([...HOST_RULE_IDS, ...operatorIds]));
    expect(sorted(CLUSTER_RULES.map(({ id }) => id))).toEqual(sorted([...CLUSTER_RULE_IDS, ...operatorIds]));
  });

  withContract(
    `contain the ids of the v2 API${hasContract ? '' : ' (skipped: the contract document is not on this machine)'}`,
    () => {
      const { definitions } = parse(readFileSync(CONTRACT, 'utf8')) as {
        definitions: { [name: string]: { enum: string[] } };
      };
      expect(sorted([...HOST_RULE_IDS, ...operatorIds, ...RETIRED_RULE_IDS])).toEqual(
        sorted(definitions['host-validation-id']?.enum ?? []),
      );
      expect(sorted([...CLUSTER_RULE_IDS, ...operatorIds, 'ocs-requirements-satisfied'])).toEqual(
        sorted(definitions['cluster-validation-id']?.enum ?? []),
      );
    },
  );

  it('list only existing rules that cannot be ignored', () => {
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
/** Returns random values of the same form as the sample: texts, numbers and flags, lists of any length. */
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
      failedSteps: undefined,
    }),
    cluster: optional(sampleSettings()),
    hardware: optional(shapeOfHardware),
    failedSteps: fc
      .array(fc.tuple(fc.constantFrom('ntp-synchronizer', 'domain-resolution', 'connectivity-check'), fc.string()))
      .map((entries) => new Map(entries)),
  })
  .map(
    ({ facts, ...more }) =>
      ({ ...(facts as ReturnType<typeof sampleHost>), policy: sampleHost().policy, ...more }) as ReturnType<
        typeof sampleHost
      >,
  );
/** Hosts report addresses as any texts. Those that cannot be parsed are omitted. */
const anyClusterHost = fc
  .tuple(
    like({ ...sampleClusterHost(), addresses: undefined }),
    fc.array(fc.oneof(fc.constantFrom('192.168.128.10/24', 'fd00::1/64', '0.0.0.0/0'), text), { maxLength: 4 }),
  )
  .map(([host, addresses]) => ({
    ...(host as ReturnType<typeof sampleClusterHost>),
    addresses: parseCidrs(addresses),
  }));
const anyCluster = fc
  .record({
    settings: like(sampleSettings()),
    hosts: fc.array(anyClusterHost, { maxLength: 5 }),
    vipVerifications: like(sampleCluster().vipVerifications),
  })
  .map((facts) => ({ ...facts, policy: sampleCluster().policy }) as ReturnType<typeof sampleCluster>);

/** The reason of the outcome has a message, and the message uses no parameter that the outcome does not have. */
function expectMessage(
  outcome: Outcome,
  rules: readonly { readonly id: string; readonly messages: object }[],
  render: (outcome: Outcome) => { readonly message: string },
): void {
  const key = outcome.reason ?? outcome.status;
  const known = { ...SHARED_MESSAGES, ...rules.find(({ id }) => id === outcome.id)?.messages };
  expect(Object.keys(known)).toContain(key);
  const numbered = { ...outcome, parameters: outcome.parameters.map(() => 'x') };
  expect(render(numbered).message).not.toMatch(/\{\d| {2}/);
  expect(JSON.stringify(known[key as keyof typeof known]).match(/\{\d+\}/g)?.length ?? 0).toBeGreaterThanOrEqual(
    outcome.parameters.length > 0 && outcome.status !== 'success' ? 1 : 0,
  );
}

describe('rules for arbitrary facts', () => {
  it('have the same outcome with a message for hosts each time, and never throw', () => {
    fc.assert(
      fc.property(anyHost, (facts) => {
        const outcomes = evaluateHost(facts);
        for (const outcome of outcomes) expectMessage(outcome, HOST_RULES, renderHostOutcome);
        expect(evaluateHost(structuredClone(facts))).toEqual(outcomes);
        hostConditions(facts, outcomes);
      }),
    );
  });

  it('have the same outcome with a message for clusters each time, and never throw', () => {
    fc.assert(
      fc.property(anyCluster, (facts) => {
        const outcomes = evaluateCluster(facts);
        for (const outcome of outcomes) expectMessage(outcome, CLUSTER_RULES, renderClusterOutcome);
        expect(evaluateCluster(structuredClone(facts))).toEqual(outcomes);
        clusterConditions(facts, outcomes);
      }),
    );
  });

  it('have parameters of limited length without cut surrogate pairs', () => {
    const disks = Array.from({ length: 256 }, (_, at) =>
      sampleDisk({ id: `d${at}`, name: '😀'.repeat(600) + at, hasUuid: false }),
    );
    const found = evaluateHost(sampleHost({ hardware: sampleHardware({ disks, manufacturer: 'VMware, Inc.' }) })).find(
      ({ id }) => id === 'vsphere-disk-uuid-enabled',
    );
    if (!found) throw new Error('There is no outcome.');
    const { message, measured } = renderHostOutcome(found);
    for (const text of [message, measured]) {
      expect(text?.length).toBeLessThanOrEqual(OUTCOME_TEXT_CHARACTERS_MAX);
      expect(text).toMatch(/😀…$/u);
      expect(text?.isWellFormed()).toBe(true);
    }
  });
});

describe('initial outcomes', () => {
  const NOTHING_REPORTED = {
    hardware: undefined,
    diskSpeeds: [],
    images: [],
    ntpSources: undefined,
    clockOffsetSeconds: undefined,
    resolutions: undefined,
    isReachReported: false,
    majority: undefined,
    suggestedRole: '',
    installationDiskId: '',
    installationDiskPath: '',
    requestedHostname: '',
  };
  const NOT_CONFIGURED = { machineNetworks: [], apiVips: [], ingressVips: [] };
  const byId = (outcomes: readonly Outcome[]) => new Map(outcomes.map((outcome) => [outcome.id, outcome]));

  it('are the outcomes of a host in a default cluster without reports', () => {
    const facts = sampleHost({ ...NOTHING_REPORTED, cluster: sampleSettings(NOT_CONFIGURED) });
    expect(byId(evaluateHost(facts))).toEqual(initialHostOutcomes(true));
    expect(hostConditions(facts, evaluateHost(facts))).toEqual(initialHostConditions(true));
  });

  it('are the outcomes of an unbound host without reports', () => {
    const facts = sampleHost({ ...NOTHING_REPORTED, cluster: undefined });
    expect(byId(evaluateHost(facts))).toEqual(initialHostOutcomes(false));
    expect(hostConditions(facts, evaluateHost(facts))).toEqual(initialHostConditions(false));
  });

  it('are the outcomes of a cluster with default settings and no hosts', () => {
    const facts = sampleCluster({ settings: sampleSettings(NOT_CONFIGURED), hosts: [], vipVerifications: [] });
    expect(byId(evaluateCluster(facts))).toEqual(INITIAL_CLUSTER_OUTCOMES);
  });
});

describe('messages', () => {
  it('of a step that the host could not run have a remedy for that step', () => {
    const rule = { id: 'r', category: 'network', messages: {}, remedy: 'Check the cables.' } as const;
    const remedyOf = (reason: string | undefined) =>
      renderOutcome({ id: 'r', status: 'failure', reason, parameters: ['s', 'no program'] }, rule).remedy;
    expect(remedyOf('step-failed')).toContain('discovery image');
    expect(remedyOf(undefined)).toBe('Check the cables.');
  });

  it('are not stored: an outcome contains a reason and parameters', () => {
    const [outcome] = evaluateHost(sampleHost({ hardware: sampleHardware({ cpuCount: 1 }) })).filter(
      ({ id }) => id === 'has-min-cpu-cores',
    );
    expect(outcome).toEqual({ id: 'has-min-cpu-cores', status: 'failure', parameters: ['1', '2'] });
    const reworded = {
      id: 'has-min-cpu-cores',
      category: 'hardware',
      messages: { failure: 'Only {0} of {1}' },
      remedy: 'Buy more',
    } as const;
    expect(outcome && renderOutcome(outcome, reworded)).toMatchObject({ message: 'Only 1 of 2', remedy: 'Buy more' });
  });
});
