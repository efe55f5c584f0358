import fc from 'fast-check';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  type SampleEvent,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  manifestEvent,
  reportEvent,
} from '@muster/testing';
import { Arrival } from './arrival.fixture.spec';

const HOSTS = [1, 2, 3, 4];
const NETWORKS = ['192.168.128.0/24', '192.168.0.0/16', '10.0.0.0/8'];
const VIPS = ['192.168.128.100', '192.168.128.101', '10.0.0.5'];
const idOf = (host: number): string => hostKey(host).slice(37);
const some = <Value>(values: readonly Value[]) => fc.constantFrom(...values);

/** An event of a stream. `generation` is set for reports: the generation of the host to which the report belongs. */
interface Result {
  readonly fact: SampleEvent;
  readonly generation?: number;
  /** The event begins a new generation of the host. */
  readonly begins?: boolean;
}
/** Events of one stream, in order. `host`: the host whose generations the stream follows or changes. */
interface Stream {
  readonly host?: number;
  readonly events: readonly Result[];
}

const hardware = fc.record({
  hostname: some(['node-a', 'node-b', 'localhost', 'n\ufffd']),
  cpuCount: some([2, 8, 64]),
  physicalMemoryBytes: some([1, 34_359_738_368, 137_438_953_472]),
  nics: some(['192.168.128.10/24', '192.168.128.11/16', '10.0.0.9/8', '']).map((address) => [
    { name: 'ens3', ipv4Addresses: address === '' ? [] : [address] },
  ]),
});
const peers = fc.subarray(HOSTS).chain((others) =>
  fc.tuple(
    ...others.map((other) =>
      fc.record({
        hostId: fc.constant(idOf(other)),
        nearAddresses: fc.subarray(['192.168.128.10', '10.0.0.9']),
        farAddresses: fc.subarray(['192.168.128.10', '10.0.0.9']),
        latencyMs: some([1, 500, 5_000]),
        packetLossPercent: some([0, 30]),
      }),
    ),
  ),
);

const reportOf = (host: number, generation: number): fc.Arbitrary<Result> => {
  const key = hostKey(host);
  const report = (...[type, data]: [Parameters<typeof reportEvent>[1], object]): SampleEvent =>
    reportEvent(key, type, { ...data, generation });
  return fc
    .oneof(
      hardware.map((one) => inventoryReported(key, one, generation)),
      some([0, 60, 600]).map((offsetSeconds) => report('ClockOffsetMeasured', { offsetSeconds })),
      fc
        .record({ peers, collisions: fc.subarray(['192.168.128.10', '192.168.128.11']), vanished: fc.subarray(HOSTS) })
        .map((one) =>
          report('ConnectivityReported', {
            peers: one.peers,
            vanishedPeers: one.vanished.map(idOf).filter((id) => !one.peers.some(({ hostId }) => hostId === id)),
            collisions: one.collisions.map((address) => ({ address, macAddresses: ['a', 'b'] })),
          }),
        ),
      fc
        .tuple(some(VIPS), some(['api', 'ingress']), some(['succeeded', 'failed']))
        .map(([vip, vipType, verification]) => report('VipsVerified', { vips: [{ vip, vipType, verification }] })),
      fc
        .tuple(some(NETWORKS), some(['192.168.128.1-192.168.128.200', '192.168.128.101', '10.0.0.1-10.0.0.4']))
        .map(([network, range]) => report('FreeAddressesReported', { networks: [{ network, ranges: [range] }] })),
      some(['api.c.example.com', 'validateNoWildcardDNS.c.example.com']).map((domainName) =>
        report('DomainsResolved', { resolutions: [{ domainName, ipv4Addresses: [VIPS[0]] }] }),
      ),
      some(['connectivity-check', 'inventory', 'verify-vips', 'free-network-addresses']).map((stepType) =>
        report('ReportCleared', { stepType }),
      ),
      fc.constant(report('StepFailed', { stepType: 'connectivity-check', reason: 'r' })),
    )
    .map((fact) => ({ fact, generation }));
};

const changeOf = (host: number): fc.Arbitrary<readonly Result[]> => {
  const key = hostKey(host);
  const one = (...[type, data]: [Parameters<typeof hostEvent>[1], object]): readonly Result[] => [
    { fact: hostEvent(key, type, data) },
  ];
  const newGeneration = (fact: SampleEvent): Result => ({ fact, begins: true });
  return fc.oneof(
    some(['node-a', 'node-b', '']).map((requestedHostname) => one('HostRenamed', { requestedHostname })),
    some(['master', 'worker']).map((role) => one('HostRoleSuggested', { role })),
    some(['master', 'worker', 'auto-assign']).map((role) => one('HostRoleAssigned', { role })),
    some(['known', 'insufficient']).map((status) =>
      one('HostEnteredStatus', { status, from: '', transition: 't', at: '' }),
    ),
    some(['/dev/sda', '/dev/sdb']).map((path) => one('InstallationDiskChosen', { diskId: path, diskPath: path })),
    fc.boolean().map((isSilent) => (isSilent ? one('HostFellSilent', { lastSeenAt: '' }) : one('HostReturned', {}))),
    fc.constantFrom('HostMediaDisconnected' as const, 'HostMediaReconnected' as const).map((type) => one(type, {})),
    fc.constant(one('HostSettingsRevised', { changes: { fencingCredentialsSet: true } })),
    fc.constant([...one('HostUnbound', { clusterId: CLUSTER_ID }), ...one('HostBound', { clusterId: CLUSTER_ID })]),
    fc.constant([...one('HostDeregistered', {}), newGeneration(hostRegistered(key))]),
    fc.constant([
      newGeneration(
        hostEvent(key, 'HostReregistered', { discoveryAgentVersion: 'v', kind: 'Host', clusterId: CLUSTER_ID }),
      ),
    ]),
  );
};

const hostStreams = (host: number): fc.Arbitrary<readonly Stream[]> =>
  fc
    .array(changeOf(host), { maxLength: 4 })
    .map((changes) => [{ fact: hostRegistered(hostKey(host)), begins: true }, ...changes.flat()])
    .chain((own) => {
      const generations = own.filter(({ begins }) => begins).length;
      const reports = Array.from({ length: generations }, (_, at) =>
        fc.array(reportOf(host, at + 1), { maxLength: 4 }),
      );
      return fc.tuple(...reports).map((events) => [
        { host, events: own },
        { host, events: events.flat() },
      ]);
    });

const clusterStream: fc.Arbitrary<Stream> = fc
  .array(
    fc.oneof(
      some(VIPS).map((vip) => ({ apiVips: { items: [vip] } })),
      fc.subarray(NETWORKS).map((items) => ({ machineNetworks: { items } })),
      some([1, 2, 3]).map((controlPlaneCount) => ({ controlPlaneCount })),
      fc.boolean().map((userManagedNetworking) => ({ userManagedNetworking })),
      some(['4.17.0', '4.18.3', '4.20.1']).map((openshiftVersion) => ({ openshiftVersion })),
      fc.subarray(['lvm', 'odf']).map((names) => ({
        olmOperators: { items: names.map((name) => ({ name, properties: '' })) },
      })),
    ),
    { maxLength: 4 },
  )
  .map((all) => ({ events: all.map((changes) => ({ fact: clusterEvent('ClusterSettingsRevised', { changes }) })) }));
const manifestStream: fc.Arbitrary<Stream> = fc
  .subarray([manifestEvent('ManifestStored', { source: 'user' }), manifestEvent('ManifestRemoved')])
  .map((facts) => ({ events: facts.map((fact) => ({ fact })) }));
const infraEnvStream: fc.Arbitrary<Stream> = fc.array(some(['ntp.example.com', '']), { maxLength: 2 }).map((all) => ({
  events: all.map((ntpSources) => ({
    fact: {
      ...infraEnvRegistered(),
      event: { type: 'InfraEnvSettingsRevised', data: { changes: { ntpSources }, pullSecretReplaced: false } },
    } as SampleEvent,
  })),
}));

/**
 * Returns one possible order of arrival: each stream in its own order, and no report before its generation has begun.
 */
function arrange(streams: readonly Stream[], choices: readonly number[]): readonly SampleEvent[] {
  const facts: SampleEvent[] = [infraEnvRegistered(), clusterRegistered()];
  const places = streams.map(() => 0);
  const generations = new Map<number, number>();
  for (let turn = 0; ; turn += 1) {
    const ready = streams.flatMap(({ host, events }, stream) => {
      const next = events[places[stream] ?? 0];
      return next && (next.generation ?? 0) <= (generations.get(host ?? 0) ?? 0) ? [{ stream, host, next }] : [];
    });
    const chosen = ready[(choices[turn % choices.length] ?? 0) % ready.length];
    if (!chosen) return facts;
    const { stream, host = 0, next } = chosen;
    places[stream] = (places[stream] ?? 0) + 1;
    if (next.begins) generations.set(host, (generations.get(host) ?? 0) + 1);
    facts.push(next.fact);
  }
}

const eventStreams = fc
  .tuple(fc.tuple(...HOSTS.map(hostStreams)), clusterStream, manifestStream, infraEnvStream)
  .map(([hosts, ...others]) => [...hosts.flat(), ...others]);
const choices = fc.array(fc.nat({ max: 5_039 }), { minLength: 1, maxLength: 60 });

describe('outcomes of a cluster and its hosts', () => {
  it('do not depend on the order of events of different streams', () => {
    fc.assert(
      fc.property(eventStreams, choices, choices, (streams, one, other) => {
        expect(Arrival.stepByStep(arrange(streams, one)).outcomes()).toEqual(
          Arrival.stepByStep(arrange(streams, other)).outcomes(),
        );
      }),
    );
  });

  it('are the same when dependent subjects are evaluated after each event as when all are evaluated at the end', () => {
    fc.assert(
      fc.property(eventStreams, choices, (streams, order) => {
        const facts = arrange(streams, order);
        expect(Arrival.stepByStep(facts).outcomes()).toEqual(Arrival.atOnce(facts).outcomes());
      }),
    );
  });

  it('are the same when dependent subjects are evaluated later, between events of others', () => {
    const turns = fc.array(some(['fold', 'evaluate'] as const), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(eventStreams, choices, turns, (streams, order, later) => {
        const facts = arrange(streams, order);
        expect(Arrival.later(facts, later).outcomes()).toEqual(Arrival.atOnce(facts).outcomes());
      }),
    );
  });
});
