import { type HostKey, hostKeyOfStream } from '@muster/contracts';
import {
  CLUSTER_ID,
  clusterRegistered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
  type SampleEvent,
} from '@muster/testing';
import fc from 'fast-check';
import { clusterKind } from './entry-kinds';
import { FactsView } from './facts-view';
import type { HostEntry } from './view-entries';

const HOSTS = [1, 2, 3, 4, 5];
const idOf = (number: number): string => hostKey(number).slice(37);
const address = (number: number): string => `192.168.128.1${number}`;

interface Change {
  readonly host: number;
  readonly kind:
    'inventory' | 'report' | 'clear' | 'fail' | 'silent' | 'return' | 'leave' | 'join' | 'remove' | 'again';
  /** The hosts that it reports, and those of them that it does not reach. */
  readonly others: readonly number[];
  readonly unreached: readonly number[];
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  host: fc.constantFrom(...HOSTS),
  kind: fc.constantFrom(
    'inventory' as const,
    'report' as const,
    'report' as const,
    'report' as const,
    'clear' as const,
    'fail' as const,
    'fail' as const,
    'silent' as const,
    'silent' as const,
    'return' as const,
    'leave' as const,
    'join' as const,
    'remove' as const,
    'again' as const,
  ),
  others: fc.oneof(fc.constant(HOSTS), fc.subarray(HOSTS)),
  unreached: fc.oneof(fc.constant([]), fc.subarray(HOSTS)),
});

/** Returns the event of the change. Reports belong to the present generation of their host. */
function eventOf({ host, kind, others, unreached }: Change, generation: number): SampleEvent {
  const key = hostKey(host);
  const named = others.filter((other) => other !== host);
  switch (kind) {
    case 'inventory':
      return inventoryReported(key, { nics: [{ name: 'ens3', ipv4Addresses: [`${address(host)}/24`] }] }, generation);
    case 'report':
      return reportEvent(key, 'ConnectivityReported', {
        peers: named.map((other) => {
          const addresses = unreached.includes(other) ? [] : [address(other)];
          return { hostId: idOf(other), nearAddresses: addresses, farAddresses: addresses, latencyMs: 1 };
        }),
        vanishedPeers: HOSTS.filter((other) => !named.includes(other)).map(idOf),
        generation,
      });
    case 'clear':
      return reportEvent(key, 'ReportCleared', { stepType: 'connectivity-check', generation });
    case 'fail':
      return reportEvent(key, 'StepFailed', { stepType: 'connectivity-check', reason: 'r', generation });
    case 'silent':
      return hostEvent(key, 'HostFellSilent', { lastSeenAt: '' });
    case 'return':
      return hostEvent(key, 'HostReturned', {});
    case 'leave':
      return hostEvent(key, 'HostUnbound', { clusterId: CLUSTER_ID });
    case 'join':
      return hostEvent(key, 'HostBound', { clusterId: CLUSTER_ID });
    case 'remove':
      return hostEvent(key, 'HostDeregistered', {});
    case 'again':
      return hostRegistered(key);
  }
}

/** A silent host reports nothing more, and one that cannot check its connectivity has reported nothing. */
const isExpected = ({ state, reports }: HostEntry): boolean =>
  !state.isSilent && !(reports.failedSteps.has('connectivity-check') && reports.reaches === undefined);

/** Compares each host that reports with each one that does not. */
function awaitsReports(hosts: readonly HostEntry[]): boolean {
  const reported = hosts.filter(({ reports }) => reports.hardware !== undefined);
  const expected = reported.filter(isExpected);
  const others = reported.filter((host) => !isExpected(host));
  return expected.some(({ reports: { reaches } }) => {
    const outdated = others.filter(({ state }) => reaches?.has(state.hostId)).length;
    return (reaches?.size ?? 0) - outdated < expected.length - 1;
  });
}

/** Returns whether a connected host has reported that it does not reach the host. */
const isUnreached = (key: HostKey, hosts: readonly HostEntry[]): boolean => {
  const { hostId } = hosts.find((host) => host.key === key)?.state ?? { hostId: '' };
  return hosts.some(({ state, reports }) => {
    const isOutdated = state.isSilent && reports.hardware !== undefined;
    const reach = isOutdated ? undefined : reports.reaches?.get(hostId);
    return reach !== undefined && reach.farAddresses.length === 0;
  });
};

it('the awaited reports are the same as when all hosts are compared, also after a load', () => {
  let awaited = 0;
  fc.assert(
    fc.property(fc.array(anyChange, { minLength: 20, maxLength: 60 }), (changes) => {
      const view = new FactsView();
      const beginning = [
        infraEnvRegistered(),
        clusterRegistered(),
        ...HOSTS.flatMap((host) => [
          hostRegistered(hostKey(host)),
          eventOf({ host, kind: 'inventory', others: [], unreached: [] }, 1),
        ]),
      ];
      for (const event of recorded(beginning)) view.observe(event);
      const cluster = view.cluster(CLUSTER_ID);
      if (!cluster) throw new Error('There is no cluster.');
      for (const change of changes) {
        const { generation = 1, hostId = '' } = view.host(hostKey(change.host))?.state ?? {};
        const isPossible = (change.kind === 'again') === (hostId === '');
        for (const event of isPossible ? recorded([eventOf(change, generation)]) : []) {
          view.observe(event);
          const hosts = view.hostsOf(cluster);
          expect(cluster.awaitsReports).toBe(awaitsReports(hosts));
          awaited += Number(cluster.awaitsReports && hosts.some(({ state }) => state.isSilent));
          const key = hostKeyOfStream(event.streamId);
          const { connectivity } = view.combinedOf(cluster);
          const changed = hosts.find((host) => host.key === key);
          if (changed?.reports.hardware && isExpected(changed))
            expect(connectivity.unreachedFamilies(idOf(change.host)).includes(4)).toBe(isUnreached(key, hosts));
        }
      }
      const { connectivity } = view.combinedOf(cluster);
      const kind = clusterKind({ hostKeysOf: () => cluster.hostKeys, prepare: () => [], forgotten: () => undefined });
      const loaded = view.combinedOf(kind.fromSaved(kind.toSaved(cluster), CLUSTER_ID)).connectivity;
      for (const { state } of view.hostsOf(cluster)) {
        expect(loaded.outdatedReportsBy(state.hostId)).toBe(connectivity.outdatedReportsBy(state.hostId));
        expect(loaded.unreachedFamilies(state.hostId)).toEqual(connectivity.unreachedFamilies(state.hostId));
      }
    }),
  );
  expect(awaited).toBeGreaterThan(0);
});
