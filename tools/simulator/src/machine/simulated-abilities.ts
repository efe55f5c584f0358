import {
  type Abilities,
  type ApiVipReport,
  type ApiVipRequest,
  type ConnectivityReport,
  fetchApiVipIgnition,
  fetchTangAdvertisements,
  type Inventory,
  type RemoteHost,
  StepFailed,
} from '@muster/service-agent';
import { createRandom, type Random } from '../random';
import { DURATIONS_MS, type SimulatedTimer } from '../timer';
import type { SimulatedWorld } from '../world/simulated-cluster';
import { networkOf, parseNetwork, type SimulatedNetwork } from '../world/simulated-network';

export interface AbilitiesOptions {
  readonly seed: string;
  readonly timer: SimulatedTimer;
  readonly network: SimulatedNetwork;
  readonly world: Pick<SimulatedWorld, 'serverAt'>;
  inventory(): Inventory;
}

/** The limit of assisted-installer-agent. */
const FREE_ADDRESSES_MAX = 8_000;
const DEFAULT_TIME_SOURCES = ['0.pool.ntp.org', '1.pool.ntp.org'];
const MB = 1_000_000;

/** The steps that inspect a simulated machine. The results follow from its hardware and its network. */
export function createAbilities({ seed, timer, network, world, inventory }: AbilitiesOptions): Abilities {
  // Every result has a random generator with its own seed, so the same step has the same result.
  const randomFor = (what: string): Random => createRandom(`${seed} ${what}`);
  const nic = () => inventory().interfaces.find(({ ipv4_addresses }) => ipv4_addresses.length > 0);

  return {
    inventory: async () => inventory(),
    'connectivity-check': async (hosts) => {
      const reach = reachFrom(nic(), network, randomFor);
      return { remote_hosts: hosts.map(reach) };
    },
    'free-network-addresses': async (networks) => networks.map((cidr) => findFree(cidr, network)),
    'dhcp-lease-allocate': async (order) => {
      const cidr = nic()?.ipv4_addresses[0];
      if (!cidr) throw new StepFailed(`The interface ${order.interface} has no network to ask for a lease in.`);
      const [api = '', ingress = ''] = findFree(networkOf(cidr), network).free_addresses.slice(-3);
      const lease = (address: string): string =>
        `lease {\n  interface "${order.interface}";\n  fixed-address ${address};\n  renew never;\n  rebind never;\n  expire never;\n}\n`;
      return {
        api_vip_address: api,
        ingress_vip_address: ingress,
        api_vip_lease: lease(api),
        ingress_vip_lease: lease(ingress),
      };
    },
    'ntp-synchronizer': async ({ sources }) => ({
      ntp_sources: (sources.length > 0 ? sources : DEFAULT_TIME_SOURCES).map((source_name, index) => ({
        source_name,
        source_state: index === 0 ? 'synced' : 'combined',
      })),
    }),
    'domain-resolution': async ({ domains }) => ({
      resolutions: domains.map((domain_name) => {
        const addresses = network.resolve(domain_name);
        return {
          domain_name,
          ipv4_addresses: addresses.filter((address) => !address.includes(':')),
          ipv6_addresses: addresses.filter((address) => address.includes(':')),
          cnames: [],
        };
      }),
    }),
    'verify-vips': async (vips) =>
      vips.map(({ vip, vip_type }) => ({
        vip,
        vip_type,
        verification: network.whoHas(vip).length > 0 ? 'failed' : 'succeeded',
      })),
    'api-vip-connectivity-check': (order, signal) => fetchFromCluster(order, world, signal),
    'tang-connectivity-check': fetchTangAdvertisements,
    'installation-disk-speed-check': async ({ path }, signal) => {
      if (!hasDisk(inventory(), path)) throw new StepFailed(`This machine has no disk ${path}.`);
      await timer.work(DURATIONS_MS.diskSpeedCheck, signal);
      return { path, io_sync_duration: randomFor(`disk ${path}`).between(1, 6) };
    },
    'container-image-availability': async ({ images }, signal) => {
      await timer.work(DURATIONS_MS.imagePull * images.length, signal);
      return {
        images: images.map((name) => {
          const random = randomFor(`image ${name}`);
          const size_bytes = random.between(200, 900) * MB;
          const download_rate = random.between(30, 110);
          return { name, size_bytes, time: size_bytes / MB / download_rate, download_rate, result: 'success' };
        }),
      };
    },
  };
}

/** The server of a simulated cluster listens on ports of this machine. The download is real, with another route. */
async function fetchFromCluster(
  order: ApiVipRequest,
  world: AbilitiesOptions['world'],
  signal: AbortSignal,
): Promise<ApiVipReport> {
  const { protocol, hostname, pathname } = new URL(order.url);
  const server = protocol === 'http:' ? world.serverAt(hostname) : undefined;
  if (!server) return fetchApiVipIgnition(order, signal);
  const report = await fetchApiVipIgnition(
    { ...order, url: `http://127.0.0.1:${server.plainPort}${pathname}` },
    signal,
  );
  return { ...report, url: order.url };
}

export const hasDisk = (inventory: Inventory, wanted: string): boolean =>
  inventory.disks.some(({ id, path, by_id, by_path }) => [id, path, by_id, by_path].includes(wanted));

type Reached = ConnectivityReport['remote_hosts'][number];

/** Returns the function that tries to reach a host from the NIC. */
function reachFrom(
  nic: Inventory['interfaces'][number] | undefined,
  network: SimulatedNetwork,
  randomFor: (what: string) => Random,
): (host: RemoteHost) => Reached {
  const outgoing_nic = nic?.name ?? '';
  const own = nic?.ipv4_addresses[0];
  const near = own === undefined ? undefined : parseNetwork(networkOf(own));
  const outgoing_ip_address = own?.replace(/\/.*/, '') ?? '';
  return ({ hostId, nics }) => {
    const remotes = nics.flatMap(({ mac, addresses }) =>
      addresses.map((address) => ({ address, mac: mac.toLowerCase(), plugs: network.whoHas(address) })),
    );
    return {
      host_id: hostId,
      l2_connectivity: remotes
        .filter(({ address }) => near?.includes(address))
        .flatMap(({ address, mac, plugs }) =>
          plugs.map((plug) => ({
            outgoing_ip_address,
            outgoing_nic,
            remote_ip_address: address,
            remote_mac: plug.mac,
            successful: plug.mac.toLowerCase() === mac,
          })),
        ),
      l3_connectivity: remotes.map(({ address, plugs }) =>
        plugs.length > 0
          ? {
              average_rtt_ms: randomFor(`way to ${address}`).between(1, 9) / 10,
              outgoing_nic,
              remote_ip_address: address,
              successful: true,
            }
          : { outgoing_nic, remote_ip_address: address, packet_loss_percentage: 100 },
      ),
      mtu_report: remotes
        .filter(({ plugs }) => plugs.length > 0)
        .map(({ address }) => ({ mtu_successful: true, outgoing_nic, remote_ip_address: address })),
    };
  };
}

function findFree(cidr: string, network: SimulatedNetwork): { network: string; free_addresses: readonly string[] } {
  const { address, size } = parseNetwork(cidr);
  const free: string[] = [];
  for (let number = 0; number < size && free.length < FREE_ADDRESSES_MAX; number += 1) {
    const candidate = address(number);
    if (network.whoHas(candidate).length === 0) free.push(candidate);
  }
  return { network: cidr, free_addresses: free };
}
