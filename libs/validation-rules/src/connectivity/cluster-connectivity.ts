import type { PeerReach, Plain } from '@muster/contracts';
import { type Cidr, containsIp, type Family, parseCidr, parseCidrs, parseIp } from '@muster/addresses';
import { keptByText } from '@muster/schema';
import { branchesOfEach, noEffort } from './largest-full-mesh';
import { ReachGraph } from './reach-graph';

export type Reach = Plain<PeerReach>;
/** Id of the other host → the connection to it. */
export type Reaches = ReadonlyMap<string, Reach>;

const NO_REACHES: Reaches = new Map();
const FAMILIES: readonly Family[] = [4, 6];
export const familyName = (family: Family): string => `IPv${family}`;

/** A group name, and the edges of its hosts that belong to it. */
interface Network {
  readonly graph: ReachGraph;
  readonly takesPart: (addresses: readonly Cidr[]) => boolean;
  readonly isReached: (reach: Reach) => boolean;
}

interface Member {
  readonly addresses: readonly Cidr[];
  /** The keys of the addresses in `ReportCounts`. */
  readonly keys: readonly { readonly family: Family; readonly key: string }[];
  readonly reaches: Reaches;
}

/**
 * The connectivity of the hosts of a cluster: on layer 2 in each machine network (on layer 3 for IPv6, which has no
 * ARP), and on layer 3 in each address family. Applies the changes of one host at a time.
 */
export class ClusterConnectivity {
  private readonly members = new Map<string, Member>();
  private readonly networks = new Map<string, Network>(
    FAMILIES.map((family) => [familyName(family), overRouters(family)]),
  );
  private readonly reports = new ReportCounts();
  /** Hosts that are in no group and whose reports do not count against others. No other host has to report on them. */
  private readonly outdated = new Set<string>();
  /** Those of `outdated` hosts, except that of `uncounted` ones. Only clusters with routers read them. */
  private readonly outdatedReports = new ReportCounts();
  private readonly uncounted = new Set<string>();
  /** Host → the number of hosts on which it has reported and which are outdated, or not in the cluster any more. */
  private readonly reportedOutdated = new Map<string, number>();
  /** Host → its reached and unreached families when `changedFamilies` was called. */
  private readonly families = new Map<string, string>();
  /** Hosts whose families may have changed since then. */
  private readonly touched = new Set<string>();
  private reporters = 0;
  private addressed = 0;

  setNetworks(machineNetworks: readonly string[]): void {
    for (const name of this.networks.keys())
      if (name.includes('/') && !machineNetworks.includes(name)) this.networks.delete(name);
    for (const name of machineNetworks) {
      const cidr = parseCidr(name);
      if (!cidr) continue;
      const known = this.networks.get(name);
      const network = known ?? ofOneNetwork(cidr);
      // The order of the networks decides between groups of one size, so it is the present one.
      this.networks.delete(name);
      this.networks.set(name, network);
      if (known) continue;
      for (const [host, { addresses }] of this.members)
        if (network.takesPart(addresses)) network.graph.addHost(host, !this.outdated.has(host));
      for (const [host, { reaches }] of this.members)
        if (network.graph.has(host))
          for (const [other, reach] of reaches)
            if (network.isReached(reach)) network.graph.setReached(host, other, true);
    }
  }

  /** Sets the connectivity of a host. `addresses` have a prefix length. */
  setHost(host: string, addresses: readonly string[], reaches: Reaches = NO_REACHES): void {
    const before = this.members.get(host);
    this.touched.add(host);
    const own = parseCidrs(addresses);
    const keys = own.map(({ family, address }) => ({ family, key: keyOf(address) }));
    const after = { addresses: own, keys, reaches };
    if (!before && !this.outdated.has(host)) this.countReportsOn(host, -1);
    this.members.set(host, after);
    this.count(before, after);
    this.place(host, own, before?.reaches);
    this.changeReaches(host, before?.reaches ?? NO_REACHES, reaches);
  }

  removeHost(host: string): void {
    const member = this.members.get(host);
    if (!member) return;
    this.changeReaches(host, member.reaches, NO_REACHES);
    this.count(member, undefined);
    this.members.delete(host);
    if (!this.outdated.has(host)) this.countReportsOn(host, 1);
    this.reportedOutdated.delete(host);
    this.families.delete(host);
    this.touched.delete(host);
    for (const { graph } of this.networks.values()) graph.removeHost(host);
  }

  setOutdated(host: string, isOutdated: boolean): void {
    if (this.outdated.has(host) === isOutdated) return;
    if (isOutdated) this.outdated.add(host);
    else this.outdated.delete(host);
    // Its reports are in the counts exactly when it was outdated before and has been counted.
    if (!this.uncounted.delete(host)) this.uncounted.add(host);
    const { addresses, reaches } = this.members.get(host) ?? {};
    if (!addresses) return;
    this.countReportsOn(host, isOutdated ? 1 : -1);
    this.place(host, addresses, reaches);
    if (reaches !== NO_REACHES) this.touchAll();
  }

  /** Returns on how many hosts it has reported that are outdated, or not in the cluster any more. */
  outdatedReportsBy(host: string): number {
    return this.reportedOutdated.get(host) ?? 0;
  }

  /** False while no host of the cluster has reported its connectivity in its current generation. */
  get hasReports(): boolean {
    return this.reporters > 0;
  }

  /** Returns for each network its largest full mesh of at least `hostsMin` hosts, sorted. Undefined without any report. */
  groups(hostsMin: number, effort = noEffort()): ReadonlyMap<string, readonly string[]> | undefined {
    if (!this.hasReports) return undefined;
    const graphs = [...this.networks.values()].map(({ graph }) => graph);
    const limit = branchesOfEach(graphs.length);
    const groups = [...this.networks.keys()].map(
      (name, at) => [name, graphs[at]?.group(graphs.slice(0, at), limit, effort) ?? []] as const,
    );
    return new Map(groups.map(([name, group]) => [name, group.length >= hostsMin ? group : []]));
  }

  /** Returns the families in which the host has an address that all others with addresses reach on layer 3. */
  reachedFamilies(host: string): readonly Family[] {
    const others = this.addressed - 1;
    const reached = this.members.get(host)?.keys.filter(({ key }) => this.reports.reachesOf(host, key) >= others) ?? [];
    return FAMILIES.filter((family) => reached.some((one) => one.family === family));
  }

  /**
   * Returns the families in which none of the host's addresses is reached by all others that have reported on it. The reports of
   * outdated hosts do not count.
   */
  unreachedFamilies(host: string): readonly Family[] {
    this.countOutdatedReports();
    const reports = this.reports.reportsOn(host) - this.outdatedReports.reportsOn(host);
    const reached = this.members
      .get(host)
      ?.keys.filter(
        ({ key }) => this.reports.reachesOf(host, key) - this.outdatedReports.reachesOf(host, key) >= reports,
      );
    return FAMILIES.filter((family) => !reached?.some((one) => one.family === family));
  }

  private countOutdatedReports(): void {
    for (const host of this.uncounted)
      for (const [other, reach] of this.members.get(host)?.reaches ?? NO_REACHES)
        if (this.outdated.has(host)) this.outdatedReports.replace(other, undefined, reach);
        else this.outdatedReports.replace(other, reach, undefined);
    this.uncounted.clear();
  }

  /** Returns the hosts whose reached or unreached families have changed since the last call. */
  changedFamilies(): readonly string[] {
    const changed = [...this.touched].filter((host) => {
      if (!this.members.has(host)) return false;
      const families = `${this.reachedFamilies(host).join()}/${this.unreachedFamilies(host).join()}`;
      if (this.families.get(host) === families) return false;
      this.families.set(host, families);
      return true;
    });
    this.touched.clear();
    return changed;
  }

  /** Adds the host to the networks of its addresses, and removes it from others. An outdated host is absent in its networks. */
  private place(host: string, addresses: readonly Cidr[], reaches = NO_REACHES): void {
    for (const { graph, takesPart, isReached } of this.networks.values()) {
      const [isIn, isPresent] = [graph.has(host), !this.outdated.has(host)];
      if (takesPart(addresses) === isIn) graph.setPresent(host, isPresent);
      else if (isIn) graph.removeHost(host);
      else {
        graph.addHost(host, isPresent);
        for (const [other, reach] of reaches) graph.setReached(host, other, isReached(reach));
        for (const [other, { reaches: theirs }] of this.hasReports ? this.members : []) {
          const reach = theirs.get(host);
          if (reach && other !== host) graph.setReached(other, host, isReached(reach));
        }
      }
    }
  }

  private touchAll(): void {
    for (const host of this.members.keys()) this.touched.add(host);
  }

  private changeReaches(host: string, before: Reaches, after: Reaches): void {
    if (before === after) return;
    const changed: string[] = [];
    for (const [other, reach] of after) if (before.get(other) !== reach) changed.push(other);
    for (const other of before.keys()) if (!after.has(other)) changed.push(other);
    for (const { graph, isReached } of this.networks.values()) {
      if (!graph.has(host)) continue;
      for (const other of changed) {
        const now = after.get(other);
        graph.setReached(host, other, now !== undefined && isReached(now));
      }
    }
    const isCounted = this.outdated.has(host) !== this.uncounted.has(host);
    for (const other of changed) {
      const [old, now] = [before.get(other), after.get(other)];
      this.reports.replace(other, old, now);
      if (isCounted) this.outdatedReports.replace(other, old, now);
      if (this.outdated.has(other) || !this.members.has(other))
        this.reportedOutdated.set(host, this.outdatedReportsBy(host) + Number(Boolean(now)) - Number(Boolean(old)));
      this.touched.add(other);
    }
  }

  private countReportsOn(host: string, by: number): void {
    if (!this.hasReports) return;
    for (const [other, { reaches }] of this.members)
      if (reaches.has(host)) this.reportedOutdated.set(other, this.outdatedReportsBy(other) + by);
  }

  private count(before: Member | undefined, after: Member | undefined): void {
    const reports = (member: typeof before): number => (member && member.reaches !== NO_REACHES ? 1 : 0);
    this.reporters += reports(after) - reports(before);
    const addressed = (member: typeof before): number => (member && member.addresses.length > 0 ? 1 : 0);
    if (addressed(after) === addressed(before)) return;
    this.addressed += addressed(after) - addressed(before);
    this.touchAll();
  }
}

/** The numbers of reports about each host. */
class ReportCounts {
  /** Host → its address → the number of other hosts that reached it on layer 3. */
  private readonly reachedBy = new Map<string, Map<string, number>>();
  /** Host → the number of other hosts that have reported on it, whether or not they reached it. */
  private readonly reportedBy = new Map<string, number>();

  reportsOn(host: string): number {
    return this.reportedBy.get(host) ?? 0;
  }

  reachesOf(host: string, addressKey: string): number {
    return this.reachedBy.get(host)?.get(addressKey) ?? 0;
  }

  /** Replaces the report of one other host. Undefined: none. */
  replace(host: string, before: Reach | undefined, after: Reach | undefined): void {
    const reports = Number(after !== undefined) - Number(before !== undefined);
    if (reports !== 0) this.reportedBy.set(host, this.reportsOn(host) + reports);
    if (before?.farAddresses === after?.farAddresses) return;
    const counts = this.reachedBy.get(host) ?? new Map<string, number>();
    this.reachedBy.set(host, counts);
    countEach(counts, before?.farAddresses ?? [], -1);
    countEach(counts, after?.farAddresses ?? [], 1);
  }
}

/** Counts an address that is reported twice once. */
function countEach(counts: Map<string, number>, addresses: Reach['farAddresses'], by: number): void {
  for (const text of addresses.length > 1 ? new Set(addresses) : addresses) {
    const key = keyOfText(text);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + by);
  }
}

const keyOf = ({ parts }: Cidr['address']): string => parts.join('.');

/** More addresses than the hosts of a cluster have. Each host reports the addresses of all others. */
const ADDRESSES_MAX = 10_000;

const keyOfText = keptByText((text) => {
  const address = parseIp(text);
  return address && keyOf(address);
}, ADDRESSES_MAX);

function ofOneNetwork(cidr: Cidr): Network {
  const isInside = keptByText((text) => {
    const address = parseIp(text);
    return address !== undefined && containsIp(cidr, address);
  }, ADDRESSES_MAX);
  return {
    graph: new ReachGraph(),
    takesPart: (addresses) => addresses.some(({ address }) => containsIp(cidr, address)),
    isReached: ({ nearAddresses, farAddresses }) =>
      (cidr.family === 4 ? nearAddresses : [...nearAddresses, ...farAddresses]).some(isInside),
  };
}

const overRouters = (family: Family): Network => ({
  graph: new ReachGraph(),
  takesPart: (addresses) => addresses.some((one) => one.family === family),
  isReached: ({ farAddresses }) => farAddresses.some((text) => text.includes(':') === (family === 6)),
});
