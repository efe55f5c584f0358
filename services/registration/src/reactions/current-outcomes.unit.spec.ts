import fc from 'fast-check';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  type SampleEvent,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  reportEvent,
} from '@muster/testing';
import type { RulesPolicy } from '@muster/validation-rules';
import { readConfig } from '../config';
import { Interleaving } from './interleaving.fixture.spec';

const HOSTS = [1, 2, 3];
const NETWORK = '192.168.128.0/24';
const some = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const addressOf = (number: number): string => `192.168.128.1${number}`;

const inventory = (number: number, hardware: object = {}): SampleEvent =>
  inventoryReported(hostKey(number), {
    nics: [{ name: 'ens3', ipv4Addresses: [`${addressOf(number)}/24`] }],
    ...hardware,
  });
const settings = (changes: object): SampleEvent => clusterEvent('ClusterSettingsRevised', { changes });
const connectivity = (number: number): SampleEvent =>
  reportEvent(hostKey(number), 'ConnectivityReported', {
    peers: HOSTS.filter((other) => other !== number).map((other) => ({
      hostId: hostKey(other).slice(37),
      nearAddresses: [addressOf(other)],
      farAddresses: [addressOf(other)],
      latencyMs: 1,
    })),
    mtuMeasured: true,
    fingerprint: `${number}`,
  });
const clean = (number: number): readonly SampleEvent[] => [
  inventory(number),
  connectivity(number),
  reportEvent(hostKey(number), 'ClockOffsetMeasured', { offsetSeconds: 0 }),
  reportEvent(hostKey(number), 'NtpSourcesReported', { sources: [{ sourceName: 'ntp', sourceState: 'synced' }] }),
  reportEvent(hostKey(number), 'DomainsResolved', {
    resolutions: ['', '.'].map((dot) => ({ domainName: `validateNoWildcardDNS.c.example.com${dot}` })),
  }),
  reportEvent(hostKey(number), 'FreeAddressesReported', {
    networks: [{ network: NETWORK, ranges: ['192.168.128.100-192.168.128.101'] }],
  }),
];
const REPORTED: readonly SampleEvent[] = [
  infraEnvRegistered(),
  clusterRegistered({ machineNetworks: { items: [] }, apiVips: { items: [] }, ingressVips: { items: [] } }),
  ...HOSTS.flatMap((number) => [hostRegistered(hostKey(number)), hostEntered(hostKey(number), 'discovering')]),
  ...HOSTS.flatMap(clean),
];
const VIPS = settings({ apiVips: { items: ['192.168.128.100'] }, ingressVips: { items: ['192.168.128.101'] } });

const change: fc.Arbitrary<SampleEvent> = fc.oneof(
  fc.constant(VIPS),
  some(['example.com', '']).map((baseDnsDomain) => settings({ baseDnsDomain })),
  some([[], ['lvm'], ['cnv']]).map((names) =>
    settings({ olmOperators: { items: names.map((name) => ({ name, properties: '' })) } }),
  ),
  some(HOSTS).chain((number) =>
    fc.oneof(
      some(['node', 'localhost', '']).map((requestedHostname) =>
        hostEvent(hostKey(number), 'HostRenamed', { requestedHostname }),
      ),
      some(['master', 'worker']).map((role) => hostEvent(hostKey(number), 'HostRoleAssigned', { role })),
      some([2, 8]).map((cpuCount) => inventory(number, { cpuCount })),
      fc.constant(hostEvent(hostKey(number), 'HostReturned', {})),
      fc.constant(hostEvent(hostKey(number), 'HostFellSilent', { lastSeenAt: '' })),
    ),
  ),
  fc.constant(clusterEvent('ClusterReset', {})),
);
/** The next step: a change, or a number of observations or evaluations. */
type Move = SampleEvent | { readonly action: 'observe' | 'validate' | 'evaluate'; readonly times: number };
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: change },
    {
      weight: 3,
      arbitrary: fc.record({ action: some(['observe', 'validate', 'evaluate'] as const), times: fc.nat({ max: 8 }) }),
    },
  ),
  { maxLength: 24 },
);

/** A host falls silent while the change of the VIPs is evaluated for another host of its group. */
const SILENT_WHILE_EVALUATED: readonly Move[] = [
  { action: 'observe', times: 1 },
  { action: 'evaluate', times: 5 },
  { action: 'observe', times: 2 },
  hostEvent(hostKey(3), 'HostFellSilent', { lastSeenAt: '' }),
];

async function run(interleaving: Interleaving, all: readonly Move[]): Promise<void> {
  for (const move of all) {
    if ('event' in move) await interleaving.cause(move);
    else
      for (let time = 0; time < move.times; time += 1)
        if (move.action === 'observe') await interleaving.observe();
        else await interleaving.validate(move.action === 'evaluate');
  }
}

/** Both services observe and evaluate everything. */
async function rest(interleaving: Interleaving): Promise<void> {
  for (let isBusy = true; isBusy;) {
    const moved = [await interleaving.observe(), await interleaving.validate(true), await interleaving.validate(false)];
    isBusy = moved.includes(true);
  }
}

const CONFIG = readConfig({});
const POLICY: RulesPolicy = {
  requirements: CONFIG.requirements,
  agentImage: '',
  agentArchitectures: [],
  edgeWorkerProducts: [],
  singleNodeDnsmasq: false,
  disabledHostRules: [],
  disabledClusterRules: [],
  operatorSettings: CONFIG.operatorSettings,
};
const start = (): Interleaving => new Interleaving(POLICY, CONFIG);

describe('transitions that rest on outcomes', () => {
  jest.setTimeout(120_000);

  it('follow from every event that was observed before, in any order in which services observe and evaluate', async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const interleaving = start();
        try {
          for (const fact of REPORTED) await interleaving.cause(fact);
          await rest(interleaving);
          await run(interleaving, [VIPS, ...all]);
          await rest(interleaving);
          expect(interleaving.violations).toEqual([]);
          expect(interleaving.errors).toEqual([]);
        } finally {
          await interleaving.close();
        }
      }),
      { numRuns: 40, examples: [[SILENT_WHILE_EVALUATED]] },
    );
  });

  it('are taken in the end: the cluster becomes ready', async () => {
    const interleaving = start();
    for (const fact of REPORTED) await interleaving.cause(fact);
    await rest(interleaving);
    expect(interleaving.statusOf(`cluster-${CLUSTER_ID}`)).toBe('pending-for-input');
    await interleaving.cause(VIPS);
    await rest(interleaving);
    expect(HOSTS.map((number) => interleaving.statusOf(`host-${hostKey(number)}`))).toEqual([
      'known',
      'known',
      'known',
    ]);
    expect(interleaving.statusOf(`cluster-${CLUSTER_ID}`)).toBe('ready');
    expect(interleaving.violations).toEqual([]);
    await interleaving.close();
  });
});
