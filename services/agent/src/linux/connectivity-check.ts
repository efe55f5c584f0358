import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Interface } from '../machine/inventory';
import type { ConnectivityReport, L2Reach, L3Reach, MtuReach, RemoteHost } from '../steps/step-work';
import type { NeighbourProbe } from './address-checks';
import { ProgramMissing, type RunCommand } from './command';

/** The summary that `ping -q` prints. */
export interface PingSummary {
  readonly lossPercent: number;
  /** Undefined without an answer. */
  readonly averageMs?: number;
}

export function parsePing(output: string): PingSummary | undefined {
  const loss = /([\d.]+)% packet loss/.exec(output)?.[1];
  if (loss === undefined) return undefined;
  const average = /(?:rtt|round-trip) min\/avg\/max\S* = [\d.]+\/([\d.]+)\//.exec(output)?.[1];
  return { lossPercent: Number(loss), ...(average !== undefined && { averageMs: Number(average) }) };
}

/** The output of arping: the source address and every hardware address that answered. */
export interface ArpingAnswers {
  readonly fromAddress: string;
  readonly macs: readonly string[];
}

export function parseArping(output: string): ArpingAnswers | undefined {
  const fromAddress = /^ARPING \S+ from (\S+)/m.exec(output)?.[1];
  if (!fromAddress) return undefined;
  const macs = [...output.matchAll(/^Unicast reply from \S+ \[([0-9A-Fa-f:]+)\]/gm)].map(([, mac = '']) => mac);
  return { fromAddress, macs: [...new Set(macs)] };
}

/** Maximum number of concurrent programs. Each of them uses up to 2 MiB of memory and waits up to 10 s for answers. */
const PARALLEL_MAX = 256;
const STANDARD_MTU = 1500;
/** Size of the IP and ICMP headers of a packet of full size. */
const HEADER_BYTES = { ipv4: 28, ipv6: 48 };

type Reach = { readonly l2?: readonly L2Reach[]; readonly l3?: L3Reach; readonly mtu?: MtuReach };

/**
 * Checks every address of every other host: with ping, with ARP or the neighbour table from each interface in its
 * network, and with packets of full size.
 */
export async function checkConnectivity(
  hosts: readonly RemoteHost[],
  interfaces: readonly Interface[],
  run: RunCommand,
  probe: NeighbourProbe,
  signal: AbortSignal,
): Promise<ConnectivityReport> {
  const cards = interfaces.filter(
    ({ type, ipv4_addresses, ipv6_addresses }) =>
      ['physical', 'bond', 'vlan'].includes(type ?? '') && ipv4_addresses.length + ipv6_addresses.length > 0,
  );
  const tasks = hosts.flatMap((host) => {
    const macs = host.nics.map(({ mac }) => mac.toLowerCase());
    return host.nics
      .flatMap(({ addresses }) => addresses)
      .flatMap((address): { host: RemoteHost; ask: () => Promise<Reach> }[] => [
        { host, ask: async () => ({ l3: await pingAddress(address, run, signal) }) },
        ...cards
          .filter((card) => sharesNetwork(card, address))
          .map((card) => ({ host, ask: async () => ({ l2: await reachL2(address, card, macs, run, probe, signal) }) })),
        ...cards
          .filter((card) => (card.mtu ?? STANDARD_MTU) !== STANDARD_MTU)
          .map((card) => ({ host, ask: async () => ({ mtu: await pingFullSize(address, card, run, signal) }) })),
      ]);
  });
  const found = new Map<string, Reach[]>(hosts.map(({ hostId }) => [hostId, []]));
  const queue = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = queue.shift(); task && !signal.aborted; task = queue.shift())
      found.get(task.host.hostId)?.push(await task.ask());
  };
  // After a failure, the next check of the service would run beside the rest of this one.
  await Promise.all(Array.from({ length: PARALLEL_MAX }, work)).finally(() => queue.splice(0));
  return {
    remote_hosts: [...found].map(([host_id, reaches]) => ({
      host_id,
      l2_connectivity: reaches.flatMap(({ l2 }) => l2 ?? []).sort(by((r) => r.remote_ip_address + r.remote_mac)),
      l3_connectivity: reaches.flatMap(({ l3 }) => l3 ?? []).sort(by((r) => r.remote_ip_address)),
      mtu_report: reaches.flatMap(({ mtu }) => mtu ?? []).sort(by((r) => r.remote_ip_address)),
    })),
  };
}

const by =
  <T>(key: (one: T) => string) =>
  (a: T, b: T): number =>
    key(a) < key(b) ? -1 : 1;

function sharesNetwork(card: Interface, address: string): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const cidrs = family === 'ipv4' ? card.ipv4_addresses : card.ipv6_addresses;
  return cidrs.some((cidr) => {
    const [network = '', prefix] = cidr.split('/');
    if (isIP(network) === 0) return false;
    const list = new BlockList();
    list.addSubnet(network, Number(prefix), family);
    return list.check(address, family);
  });
}

/**
 * arping reports every machine that uses the address. The neighbour table, for IPv6 and without arping, contains one of
 * them.
 */
async function reachL2(
  address: string,
  card: Interface,
  macs: readonly string[],
  run: RunCommand,
  probe: NeighbourProbe,
  signal: AbortSignal,
): Promise<readonly L2Reach[]> {
  if (isIPv4(address)) {
    try {
      return await arping(address, card.name, macs, run, signal);
    } catch (error) {
      if (!(error instanceof ProgramMissing)) throw error;
    }
  }
  const found = await probe.find([address], signal);
  const own = isIPv4(address) ? card.ipv4_addresses : card.ipv6_addresses;
  return found
    .filter((neighbour) => neighbour.interface === card.name)
    .map(({ mac = '' }) => ({
      outgoing_ip_address: own[0]?.replace(/\/.*/, '') ?? '',
      outgoing_nic: card.name,
      remote_ip_address: address,
      remote_mac: mac,
      successful: macs.includes(mac),
    }));
}

async function pingAddress(address: string, run: RunCommand, signal: AbortSignal): Promise<L3Reach> {
  const { stdout } = await run('ping', ['-c', '10', '-W', '3', '-q', address], signal);
  const summary = parsePing(stdout);
  if (summary?.averageMs === undefined) return { remote_ip_address: address };
  return {
    average_rtt_ms: summary.averageMs,
    packet_loss_percentage: summary.lossPercent,
    remote_ip_address: address,
    successful: true,
  };
}

async function arping(
  address: string,
  nic: string,
  macs: readonly string[],
  run: RunCommand,
  signal: AbortSignal,
): Promise<readonly L2Reach[]> {
  const answers = parseArping((await run('arping', ['-c', '10', '-w', '5', '-I', nic, address], signal)).stdout);
  return (answers?.macs ?? []).map((mac) => ({
    outgoing_ip_address: answers?.fromAddress ?? '',
    outgoing_nic: nic,
    remote_ip_address: address,
    remote_mac: mac.toLowerCase(),
    successful: macs.includes(mac.toLowerCase()),
  }));
}

async function pingFullSize(
  address: string,
  card: Interface,
  run: RunCommand,
  signal: AbortSignal,
): Promise<MtuReach | undefined> {
  const plain = ['-c', '3', '-I', card.name, address];
  if ((await run('ping', plain, signal)).exitCode !== 0) return undefined;
  const bytes = (card.mtu ?? STANDARD_MTU) - (isIPv4(address) ? HEADER_BYTES.ipv4 : HEADER_BYTES.ipv6);
  const { exitCode } = await run('ping', ['-M', 'do', '-s', String(bytes), ...plain], signal);
  return { mtu_successful: exitCode === 0, outgoing_nic: card.name, remote_ip_address: address };
}
