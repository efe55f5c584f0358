import { parseIp } from '@muster/addresses';
import type { IpCollision, MtuFailure, PeerReach, Plain } from '@muster/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { documentReader, fitting, list, record, toBody, toCanonicalJson, toStoredBody } from '../report';

/**
 * Round-trip times and losses differ in every report. They count as changed when their class changes: classes of 10 ms
 * up to 100 ms, of 100 ms up to 1,000 ms, and one class above. Losses have classes of whole percents. A limit that
 * equals the bound of a class is evaluated exactly.
 */
const FINE_MS = 10;
const FINE_UP_TO_MS = 100;
const COARSE_MS = 100;
const COARSE_UP_TO_MS = 1_000;

function latencyClass(latencyMs: number): number {
  if (latencyMs <= FINE_UP_TO_MS) return Math.ceil(latencyMs / FINE_MS) * FINE_MS;
  return latencyMs <= COARSE_UP_TO_MS ? Math.ceil(latencyMs / COARSE_MS) * COARSE_MS : Infinity;
}

/** Returns whether a limit equals the bound of a class, so that it is evaluated exactly. */
export const isLatencyBound = (limitMs: number): boolean => limitMs >= FINE_MS && latencyClass(limitMs) === limitMs;

/** Returns the same value for equal reports about another host. */
export const reachFingerprint = (reach: Plain<PeerReach>): string =>
  [
    reach.hostId,
    reach.nearAddresses.join(),
    reach.farAddresses.join(),
    Math.max(FINE_MS, latencyClass(reach.latencyMs)),
    Math.ceil(reach.packetLossPercent),
  ].join(' ');

/** The maximum size of a bus message. */
const MAX_CONNECTIVITY_BYTES = 8 * 1024 * 1024;
/** Maximum number of hosts in one report, more than in any cluster. The comparison with the last report takes time per host. */
const MAX_REMOTE_HOSTS = 4_000;
/** Maximum number of paths that lose full-size packets in the event. */
export const MAX_MTU_FAILURES = 32;
/** Maximum number of addresses with more than one machine in the event, and of the machines of each. */
export const MAX_IP_COLLISIONS = 64;
const MAX_COLLIDING_MACHINES = 16;

/** Maximum sizes of both lists as JSON, in bytes. An append accepts 256 KiB, and the decider uses half of it for the other hosts. */
const MTU_FAILURES_BYTES_MAX = 24 * 1024;
const IP_COLLISIONS_BYTES_MAX = 64 * 1024;

/** Maximum number of addresses of another host in the event. */
const MAX_PEER_ADDRESSES = 64;

/** Longer than host ids, addresses, and names of network cards. All of them are kept for each host. */
const MAX_NAME_CHARACTERS = 64;
const text = Type.String({ maxLength: MAX_NAME_CHARACTERS });
const flag = Type.Boolean();
const number = Type.Number();

const REMOTE_HOST = record({
  host_id: text,
  l2_connectivity: list(
    record({
      outgoing_nic: text,
      outgoing_ip_address: text,
      remote_ip_address: text,
      remote_mac: text,
      successful: flag,
    }),
  ),
  l3_connectivity: list(
    record({
      outgoing_nic: text,
      remote_ip_address: text,
      successful: flag,
      average_rtt_ms: number,
      packet_loss_percentage: number,
    }),
  ),
  mtu_report: list(record({ outgoing_nic: text, remote_ip_address: text, mtu_successful: flag })),
});
const CONNECTIVITY = record({ remote_hosts: list(REMOTE_HOST, MAX_REMOTE_HOSTS) });
type Connectivity = Static<typeof CONNECTIVITY>;
type RemoteHost = Static<typeof REMOTE_HOST>;

/**
 * Reads the connections of this host to the others. The body contains all of them. The decider keeps the changes in the
 * event.
 */
export const connectivityReader = documentReader({
  stepType: 'connectivity-check',
  maxBytes: MAX_CONNECTIVITY_BYTES,
  name: 'connectivity report',
  schema: CONNECTIVITY,
  toReport: (connectivity, { generation }, digest) => {
    const { remote_hosts = [] } = connectivity;
    const hosts = lastOfEach(remote_hosts);
    const body = toBody(connectivity, digest);
    const peers = hosts.map(toPeer);
    const collisions = collisionsIn(connectivity);
    const paths = remote_hosts.flatMap(({ mtu_report }) => mtu_report ?? []);
    return {
      body,
      event: {
        type: 'ConnectivityReported',
        data: {
          body: toStoredBody(body),
          generation,
          fingerprint: digest(fingerprintOf(hosts, peers, collisions)),
          peers,
          vanishedPeers: [],
          collisions,
          // An agent sends no packets of full size from an interface with the standard MTU.
          mtuMeasured: remote_hosts.length > 0,
          mtuFailures: mostDifferent(
            paths
              .filter((path) => path.mtu_successful !== true)
              .map((path) => ({ nic: path.outgoing_nic ?? '', remoteAddress: path.remote_ip_address ?? '' })),
          ),
        },
      },
    };
  },
});

/** Each host has one entry. With several that differ, the report would differ from the stored one after each append. */
const lastOfEach = (hosts: readonly RemoteHost[]): readonly RemoteHost[] => [
  ...new Map(hosts.map((host) => [host.host_id, host])).values(),
];

/**
 * Returns a limited number of paths from all network cards to all networks. The reader does not know the machine networks. The paths of
 * a storage network, which may fail to every host, must not displace those of a machine network.
 */
function mostDifferent(failures: readonly Plain<MtuFailure>[]): Plain<MtuFailure>[] {
  const perNetwork = inTurns(failures, ({ nic, remoteAddress }) => `${nic} ${networkOf(remoteAddress)}`);
  return fitting(inTurns(perNetwork, ({ nic }) => nic).slice(0, MAX_MTU_FAILURES), MTU_FAILURES_BYTES_MAX);
}

/** The prefix lengths of usual networks, 24 and 64 bits, in parts of an address. */
const NETWORK_PARTS = { 4: 3, 6: 4 };

function networkOf(text: string): string {
  const address = parseIp(text);
  return address ? address.parts.slice(0, NETWORK_PARTS[address.family]).join() : '';
}

/** Returns the first item of each group, then the second item of each group, and so on. */
function inTurns<T>(items: readonly T[], groupOf: (item: T) => string): T[] {
  const counts = new Map<string, number>();
  const turns = items.map((item) => {
    const group = groupOf(item);
    const turn = counts.get(group) ?? 0;
    counts.set(group, turn + 1);
    return { item, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}

/**
 * Returns a limited number of addresses from all networks of both families, in the order of their texts. The reader does not know the
 * machine networks. The many addresses of one interface must not displace the one in a machine network.
 */
function fromAllNetworks(addresses: readonly string[]): string[] {
  const all = sorted(addresses);
  if (all.length <= MAX_PEER_ADDRESSES) return all;
  const perFamily = inTurns(inTurns(all, networkOf), (text) => (text.includes(':') ? 'IPv6' : 'IPv4'));
  return perFamily.slice(0, MAX_PEER_ADDRESSES).sort();
}

function toPeer(remote: RemoteHost): Plain<PeerReach> {
  const near = (remote.l2_connectivity ?? []).filter(({ successful }) => successful);
  const paths = pathsTo(remote);
  const reached = [...paths].filter(([, { isReached }]) => isReached);
  return {
    hostId: remote.host_id ?? '',
    nearAddresses: fromAllNetworks(near.map(({ remote_ip_address }) => remote_ip_address ?? '')),
    farAddresses: fromAllNetworks(reached.map(([address]) => address)),
    // An address that did not answer has no quality: other rules require that hosts reach each other.
    latencyMs: Math.max(0, ...reached.map(([, { latencyMs }]) => latencyMs)),
    packetLossPercent: Math.max(0, ...reached.map(([, { lossPercent }]) => lossPercent)),
  };
}

interface Path {
  readonly isReached: boolean;
  readonly latencyMs: number;
  readonly lossPercent: number;
}

function isBetter(path: Path, other: Path): boolean {
  if (path.isReached !== other.isReached) return path.isReached;
  if (path.lossPercent !== other.lossPercent) return path.lossPercent < other.lossPercent;
  return path.latencyMs < other.latencyMs;
}

/** Returns the best path to each address, because several network cards may try an address. */
function pathsTo(remote: RemoteHost): ReadonlyMap<string, Path> {
  const best = new Map<string, Path>();
  for (const {
    remote_ip_address: address = '',
    successful,
    average_rtt_ms,
    packet_loss_percentage,
  } of remote.l3_connectivity ?? []) {
    const path: Path = {
      isReached: successful === true,
      latencyMs: average_rtt_ms ?? 0,
      lossPercent: packet_loss_percentage ?? 0,
    };
    const other = best.get(address);
    if (!other || isBetter(path, other)) best.set(address, path);
  }
  return best;
}

/** Returns the addresses that several machines use, as reported for one network card. */
function collisionsIn({ remote_hosts }: Connectivity): Plain<IpCollision>[] {
  const answers = new Map<string, { readonly address: string; readonly macs: Set<string> }>();
  for (const { outgoing_nic = '', remote_ip_address: address = '', remote_mac = '' } of (remote_hosts ?? []).flatMap(
    ({ l2_connectivity }) => l2_connectivity ?? [],
  )) {
    if (remote_mac === '') continue;
    const key = `${outgoing_nic} ${address}`;
    const known = answers.get(key) ?? { address, macs: new Set<string>() };
    answers.set(key, known);
    known.macs.add(remote_mac.toLowerCase());
  }
  const collisions = inOrder(
    [...answers.values()].filter(({ macs }) => macs.size > 1),
    ({ address, macs }) => `${address} ${sorted([...macs]).join()}`,
  )
    .slice(0, MAX_IP_COLLISIONS)
    .map(({ address, macs }) => ({ address, macAddresses: sorted([...macs]).slice(0, MAX_COLLIDING_MACHINES) }));
  return fitting(collisions, IP_COLLISIONS_BYTES_MAX);
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '').sort();

/** Agents sort by address only, and the checks of several network cards end in any order. */
const inOrder = <T>(items: readonly T[], keyOf: (item: T) => string): T[] =>
  items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ item }) => item);

const pathsInOrder = ({ mtu_report }: RemoteHost = {}): RemoteHost['mtu_report'] =>
  mtu_report &&
  inOrder(
    mtu_report,
    ({ remote_ip_address, outgoing_nic, mtu_successful }) => `${remote_ip_address} ${outgoing_nic} ${mtu_successful}`,
  );

/**
 * Returns the reached hosts with classes of latency and loss, so that a change within one class is ignored. Its members are in the
 * order of canonical JSON, because the text is as long as the report.
 */
const fingerprintOf = (
  remoteHosts: readonly RemoteHost[],
  peers: readonly Plain<PeerReach>[],
  collisions: readonly Plain<IpCollision>[],
): string =>
  toCanonicalJson([
    peers.map((peer, index) => ({ mtu: pathsInOrder(remoteHosts[index]), reach: reachFingerprint(peer) })),
    collisions,
  ]);
