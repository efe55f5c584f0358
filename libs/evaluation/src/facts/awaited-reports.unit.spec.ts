import { hostKeyOfStream } from '@muster/contracts';
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
const NETWORK = '192.168.128.0/24';
const idOf = (number: number): string => hostKey(number).slice(37);
const address = (number: number): string => `192.168.128.1${number}`;

interface Change {
  readonly host: number;
  readonly kind:
    | 'inventory'
    | 'truncate'
    | 'report'
    | 'clear'
    | 'fail'
    | 'silent'
    | 'return'
    | 'leave'
    | 'join'
    | 'remove'
    | 'again';
  /** The hosts that it reports, and those of them that it does not reach. */
  readonly others: readonly number[];
  readonly unreached: readonly number[];
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  host: fc.constantFrom(...HOSTS),
  kind: fc.constantFrom(
    'inventory' as const,
    'truncate' as const,
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
    case 'truncate':
      return inventoryReported(key, { nics: [], truncation: 'full' }, generation);
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

const isFailing = ({ reports }: HostEntry): boolean => reports.failedSteps.has('connectivity-check');
const hasReportedOn = ({ reports }: HostEntry, other: HostEntry): boolean =>
  reports.reaches?.has(other.state.hostId) ?? false;

/** A silent host reports nothing more, and no host checks one without addresses. */
const isConnected = ({ state, reports: { hardware } }: HostEntry): boolean =>
  !state.isSilent && hardware !== undefined && hardware.truncation !== 'full';

/** Returns true for a host that cannot run its check, and has not reported on each host that can. */
function isLeftOut(host: HostEntry, hosts: readonly HostEntry[]): boolean {
  const checking = hosts.filter((other) => other !== host && isConnected(other) && !isFailing(other));
  return isFailing(host) && !(host.reports.reaches && checking.every((other) => hasReportedOn(host, other)));
}

const comparedOf = (hosts: readonly HostEntry[]): readonly HostEntry[] =>
  hosts.filter((host) => isConnected(host) && !isLeftOut(host, hosts));

/** Compares each pair of hosts. */
const awaitsReports = (compared: readonly HostEntry[]): boolean =>
  compared.some((host) => !isFailing(host) && compared.some((other) => other !== host && !hasReportedOn(host, other)));

/** Returns whether a connected host has reported that it does not reach the host. */
const isUnreached = ({ state: { hostId } }: HostEntry, compared: readonly HostEntry[]): boolean =>
  compared.some(({ reports }) => reports.reaches?.get(hostId)?.farAddresses.length === 0);

/** Returns the ids of the largest group of at least three hosts that all reach each other. Of equally large ones, those with the smallest. */
function largestGroup(compared: readonly HostEntry[]): readonly string[] {
  const reaches = (one: HostEntry, other: HostEntry): boolean =>
    (one.reports.reaches?.get(other.state.hostId)?.nearAddresses.length ?? 0) > 0;
  let best: readonly string[] = [];
  for (let set = 0; set < 2 ** compared.length; set += 1) {
    const group = compared.filter((_, at) => (set >> at) & 1);
    const ids = group.map(({ state }) => state.hostId).sort();
    const isBetter = ids.length > best.length || (ids.length === best.length && ids.join() < best.join());
    if (isBetter && group.every((one) => group.every((other) => one === other || reaches(one, other)))) best = ids;
  }
  return best.length < 3 ? [] : best;
}

it('the groups and awaited reports are the same as when all hosts are compared, also after a load', () => {
  let awaited = 0;
  let left = 0;
  fc.assert(
    fc.property(fc.array(anyChange, { minLength: 20, maxLength: 60 }), (changes) => {
      const view = new FactsView();
      const beginning = [
        infraEnvRegistered(),
        clusterRegistered({ machineNetworks: { items: [NETWORK] } }),
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
          const compared = comparedOf(hosts);
          expect(cluster.awaitsReports).toBe(awaitsReports(compared));
          awaited += Number(cluster.awaitsReports && hosts.some(({ state }) => state.isSilent));
          const group = view.groupsOf(cluster)?.get(NETWORK);
          if (group) expect(group).toEqual(largestGroup(compared));
          left += hosts.filter((host) => host.reports.reaches && isLeftOut(host, hosts)).length;
          const key = hostKeyOfStream(event.streamId);
          const { connectivity } = view.combinedOf(cluster);
          const changed = compared.find((host) => host.key === key);
          if (changed)
            expect(connectivity.unreachedFamilies(idOf(change.host)).includes(4)).toBe(isUnreached(changed, compared));
        }
      }
      const { connectivity } = view.combinedOf(cluster);
      const kind = clusterKind({ hostKeysOf: () => cluster.hostKeys, prepare: () => [], forgotten: () => undefined });
      const { connectivity: loaded, leftOut } = view.combinedOf(kind.fromSaved(kind.toSaved(cluster), CLUSTER_ID));
      expect([...leftOut].sort()).toEqual([...view.combinedOf(cluster).leftOut].sort());
      expect(loaded.groups(3)).toEqual(connectivity.groups(3));
      for (const { state } of view.hostsOf(cluster)) {
        expect(loaded.outdatedReportsBy(state.hostId)).toBe(connectivity.outdatedReportsBy(state.hostId));
        expect(loaded.unreachedFamilies(state.hostId)).toEqual(connectivity.unreachedFamilies(state.hostId));
      }
    }),
  );
  expect(awaited).toBeGreaterThan(0);
  expect(left).toBeGreaterThan(0);
});
