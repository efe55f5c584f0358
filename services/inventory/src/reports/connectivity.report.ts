import type { IpCollision, PeerReach, Plain } from '@muster/contracts';
import { flag, list, number, object, text } from '../shapes/shape';
import { digestOf, toCanonicalJson } from '../shapes/canonical-json';
import { parseOutput, toBody, toStoredBody } from './parse-output';
import { reachMark } from './reach-classes';
import type { ReportReader } from './report';

/** No more fits into a message of the bus. */
const MAX_CONNECTIVITY_BYTES = 8 * 1024 * 1024;
/** How many lost paths are named in the event. */
export const MAX_MTU_FAILURES = 32;
/** How many addresses with more than one machine are named in the event. */
export const MAX_IP_COLLISIONS = 64;

const shape = object({
  remote_hosts: list(
    object({
      host_id: text,
      l2_connectivity: list(
        object({
          outgoing_nic: text,
          outgoing_ip_address: text,
          remote_ip_address: text,
          remote_mac: text,
          successful: flag,
        }),
      ),
      l3_connectivity: list(
        object({
          outgoing_nic: text,
          remote_ip_address: text,
          successful: flag,
          average_rtt_ms: number,
          packet_loss_percentage: number,
        }),
      ),
      mtu_report: list(object({ outgoing_nic: text, remote_ip_address: text, mtu_successful: flag })),
    }),
  ),
});
type Connectivity = ReturnType<typeof shape>;

/** Who is reached from here. The body is what people read; the event has each other host's reach, of which the decider keeps what changed. */
export const connectivityReader: ReportReader = {
  stepType: 'connectivity-check',
  maxBytes: MAX_CONNECTIVITY_BYTES,
  read: ({ output, epoch }) => {
    const connectivity = parseOutput(output, shape, 'connectivity report');
    const body = toBody(connectivity);
    const paths = (connectivity.remote_hosts ?? []).flatMap(({ mtu_report }) => mtu_report ?? []);
    return {
      body,
      event: {
        type: 'ConnectivityReported',
        data: {
          body: toStoredBody(body),
          epoch,
          fingerprint: fingerprintOf(connectivity),
          peers: (connectivity.remote_hosts ?? []).map(toPeer),
          vanishedPeers: [],
          collisions: collisionsIn(connectivity),
          mtuMeasured: paths.length > 0,
          mtuFailures: paths
            .filter((path) => path.mtu_successful !== true)
            .slice(0, MAX_MTU_FAILURES)
            .map((path) => ({ nic: path.outgoing_nic ?? '', remoteAddress: path.remote_ip_address ?? '' })),
        },
      },
    };
  },
};

type RemoteHost = NonNullable<Connectivity['remote_hosts']>[number];

function toPeer(remote: RemoteHost): Plain<PeerReach> {
  const near = (remote.l2_connectivity ?? []).filter(({ successful }) => successful);
  const ways = waysTo(remote);
  const tried = [...ways.values()];
  return {
    hostId: remote.host_id ?? '',
    nearAddresses: sorted(near.map(({ remote_ip_address }) => remote_ip_address ?? '')),
    farAddresses: sorted([...ways].filter(([, { isReached }]) => isReached).map(([address]) => address)),
    latencyMs: Math.max(0, ...tried.map(({ latencyMs }) => latencyMs)),
    packetLossPercent: Math.max(0, ...tried.map(({ lossPercent }) => lossPercent)),
  };
}

interface Way {
  readonly isReached: boolean;
  readonly latencyMs: number;
  readonly lossPercent: number;
}

/** An address may be tried from several cards: the best of them is how it is reached. */
function waysTo(remote: RemoteHost): ReadonlyMap<string, Way> {
  const best = new Map<string, Way>();
  for (const {
    remote_ip_address: address = '',
    successful,
    average_rtt_ms,
    packet_loss_percentage,
  } of remote.l3_connectivity ?? []) {
    const way: Way = {
      isReached: successful === true,
      latencyMs: average_rtt_ms ?? 0,
      lossPercent: packet_loss_percentage ?? (successful ? 0 : 100),
    };
    const other = best.get(address);
    const isBetter =
      !other ||
      way.lossPercent < other.lossPercent ||
      (way.lossPercent === other.lossPercent && way.latencyMs < other.latencyMs);
    if (isBetter) best.set(address, way);
  }
  return best;
}

/** Several machines that answer on one address, as one card sees it. */
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
  return [...answers.values()]
    .filter(({ macs }) => macs.size > 1)
    .slice(0, MAX_IP_COLLISIONS)
    .map(({ address, macs }) => ({ address, macAddresses: sorted([...macs]) }));
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '').sort();

/** Who reaches whom, how fast and with what losses, in classes: within one class a measure is no news. */
function fingerprintOf(connectivity: Connectivity): string {
  const remote = (connectivity.remote_hosts ?? []).map((one) => ({
    reach: reachMark(toPeer(one)),
    mtu: one.mtu_report,
  }));
  return digestOf(toCanonicalJson([remote, collisionsIn(connectivity)]));
}
