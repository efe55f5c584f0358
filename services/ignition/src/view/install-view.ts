import {
  type Cidr,
  containsIp,
  type Family,
  formatIp,
  formatNetwork,
  isLinkLocal,
  parseCidr,
  parseCidrs,
} from '@muster/addresses';
import {
  type ArtifactEvent,
  type ClusterEvent,
  type HardwareFacts,
  type HostEvent,
  type HostKey,
  hostKeyOfStream,
  type InventoryEvent,
  isEventOf,
  parseStreamId,
  type Plain,
  type RecordedMusterEvent,
} from '@muster/contracts';
import { type Entries, entriesInMemory, type EntryShape, type MakeEntries } from '@muster/decision';
import {
  clusterDecider,
  type ClusterState,
  hostDecider,
  type HostKeys,
  type HostState,
  isClosedCluster,
  isClosedHost,
  Membership,
} from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import type { RecordedEvent } from '@muster/ports';
import { defaultRoutes, NO_HARDWARE } from '@muster/validation-rules';

/** A network port of a host, from its inventory. */
export interface Port {
  readonly macAddress: string;
  /** With prefix length. */
  readonly addresses: readonly string[];
}

/** MAC address of the first port that has one and an address in one of the networks; empty when there is none. */
export function bootMacAddressOf(ports: readonly Port[], machineNetworks: readonly string[]): string {
  const networks = parseCidrs(machineNetworks);
  const isInside = (address: string): boolean => {
    const own = parseCidr(address);
    return own !== undefined && networks.some((network) => containsIp(network, own.address));
  };
  return ports.find(({ addresses, macAddress }) => macAddress !== '' && addresses.some(isInside))?.macAddress ?? '';
}

/** Rank of an address whose interface has no default route. */
const UNROUTED = Number.MAX_SAFE_INTEGER;

/**
 * Returns the addresses of a host, in the order of the families. In each family, addresses of interfaces with a default
 * route come first, the lowest metric before the others.
 */
function rankedAddresses(
  given: HostEntry['hardware'],
  families: readonly Family[],
): readonly { readonly cidr: Cidr; readonly rank: number }[] {
  const hardware = { ...NO_HARDWARE, ...given };
  return families.flatMap((family) => {
    const routed = [...new Set(defaultRoutes(hardware, family).map((route) => route.interface))];
    const addresses = hardware.nics.flatMap(({ name, ipv4Addresses = [], ipv6Addresses = [] }) => {
      const rank = routed.includes(name) ? routed.indexOf(name) : UNROUTED;
      return parseCidrs(family === 4 ? ipv4Addresses : ipv6Addresses).map((cidr) => ({ cidr, rank }));
    });
    return addresses.filter(({ cidr }) => !isLinkLocal(cidr.address)).sort((first, second) => first.rank - second.rank);
  });
}

/**
 * Returns the address of a host in the first of the networks in which it has one, with the address of its own network.
 * A host that may be outside of the networks then has the address that its default route determines. Both are empty
 * without such an address.
 */
export function nodeAddressOf(
  { hardware }: Pick<HostEntry, 'hardware'>,
  machineNetworks: readonly string[],
  { families, isRouted }: { readonly families: readonly Family[]; readonly isRouted: boolean },
): { readonly address: string; readonly network: string } {
  const ranked = rankedAddresses(hardware, families);
  const [inside] = parseCidrs(machineNetworks).flatMap((network) =>
    ranked.filter(({ cidr }) => containsIp(network, cidr.address)),
  );
  const found = inside ?? (isRouted ? ranked.find(({ rank }) => rank !== UNROUTED) : undefined);
  if (!found) return { address: '', network: '' };
  return { address: formatIp(found.cidr.address), network: formatIp(found.cidr.network) };
}

/** Returns the network of a host for each of the families, if it has one. The default route determines it. */
export function networksOf({ hardware }: Pick<HostEntry, 'hardware'>, families: readonly Family[]): readonly string[] {
  return families.flatMap((family) => {
    const [first] = rankedAddresses(hardware, [family]);
    return first ? [formatNetwork(first.cidr)] : [];
  });
}

export interface HostEntry {
  state: HostState;
  /** Hostname in the inventory; empty before the first one. */
  inventoryHostname: string;
  ports: readonly Port[];
  /** Undefined before the first inventory. */
  hardware: Plain<HardwareFacts> | undefined;
  /** bios, uefi, …; empty before the first inventory. */
  bootMode: string;
  /** NTP sources of the last report. */
  timeSources: readonly string[];
}

const NOTHING_REPORTED = { inventoryHostname: '', ports: [], hardware: undefined, bootMode: '', timeSources: [] };

export interface ClusterEntry {
  state: ClusterState;
  readonly hostKeys: HostKeys;
  /** The artifacts of the installation `state.attempt` are requested. */
  isPreparing: boolean;
  /** Start of the attempt, ISO 8601. */
  preparationStartedAt: string;
  /** Artifacts of this attempt and of earlier ones are discarded. */
  discardUpTo: number;
  /** The last attempt with artifacts or a failure. */
  answeredAttempt: number;
  hasArtifacts: boolean;
  /** Origin of the preparation. */
  cause: Omit<CommandContext, 'commandId'>;
}

const HOSTS: EntryShape = { name: 'hosts', fields: ['cluster_id'] };
const CLUSTERS: EntryShape = { name: 'clusters', fields: [] };

export const INSTALL_SHAPES: readonly EntryShape[] = [HOSTS, CLUSTERS];
/** Raised when saved entries or their fold change. */
export const VIEW_VERSION = 7;

/** The state of clusters and hosts from which the service determines its work, folded from the streams in order. */
export class InstallView {
  private readonly clusters: Entries<string, ClusterEntry>;
  private readonly hosts: Entries<HostKey, HostEntry>;
  private readonly membership: Membership = new Membership({
    clusterOf: (key) => this.hosts.get(key)?.state.clusterId ?? '',
    hostsOfCluster: (id) => this.hosts.keysWhere('cluster_id', id),
    // Not requested here.
    hostsOfInfraEnv: () => [],
  });

  constructor(make: MakeEntries = entriesInMemory) {
    this.hosts = make<HostKey, HostEntry, HostEntry>({
      shape: HOSTS,
      fieldsOf: ({ state }) => [state.clusterId],
      toSaved: (entry) => ({ ...entry }),
      fromSaved: (saved) => saved,
      isOpen: ({ state }) => !isClosedHost(state),
      forgotten: (key) => this.membership.forgetHost(key),
    });
    this.clusters = make<string, ClusterEntry, Omit<ClusterEntry, 'hostKeys'>>({
      shape: CLUSTERS,
      fieldsOf: () => [],
      toSaved: ({ hostKeys: _hostKeys, ...saved }) => saved,
      fromSaved: (saved, id) => ({ ...saved, hostKeys: this.membership.hostsOf(id) }),
      isOpen: (entry) => !isClosedCluster(entry.state) || this.isDue(entry),
      forgotten: (id) => this.membership.forgetCluster(id),
    });
  }

  /** All clusters to which something may still happen by itself, and some others. */
  openClusterIds(): readonly string[] {
    return [...this.clusters.inMemory()].map(({ state }) => state.clusterId);
  }

  cluster(id: string): ClusterEntry | undefined {
    return this.clusters.get(id);
  }

  hostsOf(clusterId: string, isWanted: (key: HostKey) => boolean = () => true): readonly HostEntry[] {
    const keys = [...(this.clusters.get(clusterId)?.hostKeys ?? [])];
    return keys.flatMap((key) => (isWanted(key) ? (this.hosts.get(key) ?? []) : []));
  }

  isOpen(clusterId: string): boolean {
    const entry = this.clusters.get(clusterId);
    return entry !== undefined && this.isDue(entry);
  }

  private isDue(entry: ClusterEntry): boolean {
    return this.hasToDiscard(entry) || this.hasToPrepare(entry);
  }

  hasToPrepare(entry: ClusterEntry): boolean {
    return entry.isPreparing && entry.answeredAttempt < entry.state.attempt;
  }

  hasToDiscard(entry: ClusterEntry): boolean {
    return entry.hasArtifacts && entry.answeredAttempt <= entry.discardUpTo;
  }

  observe(event: RecordedMusterEvent): void {
    this.membership.observe(event);
    if (isEventOf('cluster', event)) this.observeCluster(event);
    else if (isEventOf('host', event)) this.observeHost(event);
    else if (isEventOf('inventory', event)) this.observeInventory(event);
    else if (isEventOf('artifact', event)) this.observeArtifacts(event);
  }

  private observeCluster(event: RecordedEvent<ClusterEvent>): void {
    const { id } = parseStreamId(event.streamId);
    const known = this.clusters.get(id);
    // The retention of a deleted cluster ends later, without an entry.
    if (!known && event.type !== 'ClusterRegistered') return;
    const entry = known ?? newEntry(this.membership.hostsOf(id));
    this.clusters.set(id, entry);
    entry.state = clusterDecider.evolve(entry.state, event);
    if (event.type === 'InstallationPreparationStarted') {
      const { correlationId, actor, org, user } = event.metadata;
      entry.preparationStartedAt = event.data.at;
      entry.discardUpTo = entry.state.attempt - 1;
      entry.cause = { correlationId, causationId: event.id, actor, org, user };
      entry.isPreparing = true;
    } else if (event.type === 'ClusterReset') entry.discardUpTo = entry.state.attempt;
    else if (event.type === 'ClusterDeregistered') entry.discardUpTo = Infinity;
    if (ENDS_OF_PREPARATION.has(event.type) || hasLeftPreparation(event)) entry.isPreparing = false;
    // Until the retention ends, an attempt without a result may store artifacts, which must be discarded.
    const isForgotten = event.type === 'ClusterDeadlinePassed' && event.data.deadline === 'retention';
    const isAnswered = event.type === 'ClusterDeregistered' && entry.answeredAttempt >= entry.state.attempt;
    if ((isForgotten || isAnswered) && !entry.hasArtifacts) this.clusters.delete(id);
  }

  private observeHost(event: RecordedEvent<HostEvent>): void {
    const key = hostKeyOfStream(event.streamId);
    const known = this.hosts.get(key);
    const state = hostDecider.evolve(known?.state ?? hostDecider.initialState(), event);
    if (event.type === 'HostDeregistered') this.hosts.delete(key);
    else if (known) {
      known.state = state;
      this.hosts.changed(key);
    } else if (event.type !== 'HostDeadlinePassed') this.hosts.set(key, { state, ...NOTHING_REPORTED });
  }

  private observeInventory(event: RecordedEvent<InventoryEvent>): void {
    const key = hostKeyOfStream(event.streamId);
    const host = this.hosts.get(key);
    if (host && event.type === 'NtpSourcesReported') {
      this.hosts.changed(key);
      host.timeSources = event.data.sources.map(({ sourceName }) => sourceName);
    }
    if (!host || event.type !== 'InventoryReported') return;
    this.hosts.changed(key);
    const { hardware } = event.data;
    host.inventoryHostname = hardware?.hostname ?? '';
    host.hardware = hardware;
    host.bootMode = hardware?.bootMode ?? '';
    host.ports = (hardware?.nics ?? []).map(({ macAddress, ipv4Addresses = [], ipv6Addresses = [] }) => ({
      macAddress,
      addresses: [...ipv4Addresses, ...ipv6Addresses],
    }));
  }

  private observeArtifacts(event: RecordedEvent<ArtifactEvent>): void {
    const { id } = parseStreamId(event.streamId);
    const entry = this.clusters.get(id);
    if (!entry) return;
    this.clusters.changed(id);
    if (event.type === 'ArtifactsPrepared' || event.type === 'ArtifactsFailed') {
      entry.answeredAttempt = event.data.attempt;
      entry.hasArtifacts = event.type === 'ArtifactsPrepared';
      if (!entry.hasArtifacts && entry.discardUpTo === Infinity) this.clusters.delete(id);
    } else if (event.type === 'ArtifactsDiscarded') {
      entry.hasArtifacts = false;
      if (entry.discardUpTo === Infinity) this.clusters.delete(id);
    }
  }
}

const ENDS_OF_PREPARATION: ReadonlySet<string> = new Set([
  'InstallationPreparationFailed',
  'InstallationCancelled',
  'ClusterReset',
  'ClusterDeregistered',
]);

const hasLeftPreparation = ({ type, data }: ClusterEvent): boolean =>
  type === 'ClusterEnteredStatus' && data.status !== 'preparing-for-installation';

const newEntry = (hostKeys: HostKeys): ClusterEntry => ({
  state: clusterDecider.initialState(),
  hostKeys,
  isPreparing: false,
  preparationStartedAt: '',
  discardUpTo: 0,
  answeredAttempt: 0,
  hasArtifacts: false,
  cause: { correlationId: '', actor: '' },
});
