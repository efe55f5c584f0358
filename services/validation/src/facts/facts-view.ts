import { isDeepStrictEqual } from 'node:util';
import {
  type ClusterEvent,
  type EventData,
  type HostEvent,
  type HostKey,
  type InfraEnvEvent,
  type InventoryEvent,
  parseStreamId,
} from '@muster/contracts';
import { clusterDecider, hostDecider, infraEnvDecider } from '@muster/domain';
import { NO_SHAPE, shapeOf } from '@muster/operators';
import type { RecordedEvent } from '@muster/ports';
import {
  addressesOf,
  ClusterConnectivity,
  type ClusterSettingsFacts,
  effectiveRole,
  GOOD_LATENCY_MS,
  isLoadBalancerUserManaged,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import { Injectable } from '@nestjs/common';
import { evolveReports, NO_REPORTS } from './host-reports';
import { clusterSubject, hostSubject, type Subject } from './subjects';
import { type ClusterEntry, type HostEntry, type InfraEnvEntry, isRegistered, nameOf } from './view-entries';

const typed = <Event>(event: RecordedEvent): Event => ({ type: event.type, data: event.data }) as Event;

/** Everything that rules read, folded from the streams in order. Each fact names the subjects that depend on it. */
@Injectable()
export class FactsView {
  private readonly hosts = new Map<HostKey, HostEntry>();
  private readonly clusters = new Map<string, ClusterEntry>();
  private readonly infraEnvs = new Map<string, InfraEnvEntry>();
  private readonly keysOfIds = new Map<string, HostKey>();

  host(key: HostKey): HostEntry | undefined {
    return this.hosts.get(key);
  }

  cluster(id: string): ClusterEntry | undefined {
    return this.clusters.get(id);
  }

  infraEnv(id: string): InfraEnvEntry | undefined {
    return this.infraEnvs.get(id);
  }

  hostsOf(cluster: ClusterEntry): readonly HostEntry[] {
    return [...cluster.hostKeys].flatMap((key) => this.hosts.get(key) ?? []);
  }

  /** A host of the cluster by its id alone, as other hosts report it. */
  hostOfCluster(cluster: ClusterEntry, hostId: string): HostEntry | undefined {
    const key = this.keysOfIds.get(hostId);
    return key && cluster.hostKeys.has(key) ? this.hosts.get(key) : undefined;
  }

  /** Addresses of the host on which, as any host of the cluster says, another machine answers as well. */
  collisionsOf(cluster: ClusterEntry, { reports }: HostEntry): readonly string[] {
    const reporters = [...cluster.collisionReporters].flatMap((key) => this.hosts.get(key) ?? []);
    if (reporters.length === 0 || !reports.hardware) return [];
    const colliding = new Set(reporters.flatMap((one) => one.reports.collisions.map(({ address }) => address)));
    return addressesOf(reports.hardware)
      .map((address) => address.replace(/\/.*/, ''))
      .filter((address) => colliding.has(address));
  }

  /** Takes in which hosts reach each other by now, as stored with the verdict on a cluster. */
  observeGroups(
    clusterId: string,
    { groups }: EventData<'ClusterOutcomesChanged'>['connectivityGroups'] & object,
  ): readonly Subject[] {
    const cluster = this.clusters.get(clusterId);
    if (!cluster) return [];
    const isFirst = cluster.groups.size === 0;
    const touched = new Set<string>();
    for (const { network, joinedHostIds, leftHostIds } of groups) {
      const members: Set<string> = cluster.groups.get(network) ?? new Set<string>();
      cluster.groups.set(network, members);
      for (const id of joinedHostIds) members.add(id);
      for (const id of leftHostIds) members.delete(id);
      for (const id of [...joinedHostIds, ...leftHostIds]) touched.add(id);
    }
    if (isFirst) return [...cluster.hostKeys].map(hostSubject);
    return [...touched].flatMap((id) => {
      const host = this.hostOfCluster(cluster, id);
      return host ? [hostSubject(host.key)] : [];
    });
  }

  /** Takes the fact in and answers what has to be judged anew because of it. */
  observe(event: RecordedEvent): readonly Subject[] {
    const { category, id } = parseStreamId(event.streamId);
    switch (category) {
      case 'host':
        return this.observeHost(id as HostKey, event);
      case 'inventory':
        return this.observeReport(id as HostKey, event);
      case 'cluster':
        return this.observeCluster(id, event);
      case 'infraEnv':
        return this.observeInfraEnv(id, event);
      default:
        return [];
    }
  }

  private observeHost(key: HostKey, event: RecordedEvent): readonly Subject[] {
    const entry: HostEntry = this.hosts.get(key) ?? {
      key,
      state: hostDecider.initialState(),
      reports: NO_REPORTS,
      lastEventId: event.id,
    };
    // Entries of deregistered hosts stay: their epoch goes on counting when the host comes back.
    this.hosts.set(key, entry);
    const before = { ...entry };
    entry.state = hostDecider.evolve(before.state, typed<HostEvent>(event));
    if (entry.state.epoch !== before.state.epoch || !isRegistered(entry)) entry.reports = NO_REPORTS;
    return this.hostChanged(before, entry, event.id);
  }

  private observeReport(key: HostKey, event: RecordedEvent): readonly Subject[] {
    const entry = this.hosts.get(key);
    if (!entry || event.data.epoch !== entry.state.epoch) return [];
    const before = { ...entry };
    entry.reports = evolveReports(before.reports, typed<InventoryEvent>(event));
    return entry.reports === before.reports ? [] : this.hostChanged(before, entry, event.id);
  }

  /** The host, the clusters it is and was in, and the hosts that share or shared its name. */
  private hostChanged(before: HostEntry, after: HostEntry, eventId: string): readonly Subject[] {
    after.summary = undefined;
    after.lastEventId = eventId;
    const touched = new Set<Subject>([hostSubject(after.key)]);
    const [left, joined] = [before.state.clusterId, after.state.clusterId];
    this.infraEnvs.get(after.state.infraEnvId)?.hostKeys.add(after.key);
    if (left !== joined) this.clusters.get(left)?.hostKeys.delete(after.key);
    this.clusters.get(joined)?.hostKeys.add(after.key);
    if (after.state.hostId) this.keysOfIds.set(after.state.hostId, after.key);
    for (const subject of this.reconnected(before, after)) touched.add(subject);
    for (const id of new Set([left, joined])) {
      const cluster = this.clusters.get(id);
      if (!cluster) continue;
      touched.add(clusterSubject(id));
      cluster.lastEventId = eventId;
      if (hasOtherPlace(before, after)) for (const key of this.reshaped(cluster)) touched.add(hostSubject(key));
    }
    const [oldName, newName] = [nameOf(before), nameOf(after)];
    if (left !== joined || oldName !== newName) {
      for (const key of [...this.giveUpName(left, oldName, after.key), ...this.takeName(joined, newName, after.key)])
        touched.add(hostSubject(key));
    }
    return [...touched];
  }

  /** Takes in how the host reaches others, and answers whose outcomes depend on what changed in that. */
  private reconnected(before: HostEntry, after: HostEntry): readonly Subject[] {
    const [left, joined] = [before.state.clusterId, after.state.clusterId];
    const keys: HostKey[] = [];
    const old = this.clusters.get(left);
    const hostId = after.state.hostId || before.state.hostId;
    if (old && left !== joined) {
      old.connectivity.removeHost(before.state.hostId);
      old.collisionReporters.delete(after.key);
      if (before.reports.collisions.length > 0 || isRouted(old.facts) || old.hostKeys.size < FEW_HOSTS)
        keys.push(...old.hostKeys);
    }
    const cluster = this.clusters.get(joined);
    if (!cluster) return keys.map(hostSubject);
    const isNew = left !== joined;
    if (
      isNew ||
      before.reports.hardware !== after.reports.hardware ||
      before.reports.reaches !== after.reports.reaches
    ) {
      const addresses = after.reports.hardware ? addressesOf(after.reports.hardware) : [];
      const reached = cluster.connectivity.setHost(hostId, addresses, after.reports.reaches);
      // Over routers each host's outcome hangs on what every other says of it.
      if (isRouted(cluster.facts))
        keys.push(...(isNew ? cluster.hostKeys : reached.flatMap((id) => this.hostOfCluster(cluster, id)?.key ?? [])));
    }
    if (isNew || before.reports.collisions !== after.reports.collisions) {
      const isQuiet = before.reports.collisions.length + after.reports.collisions.length === 0;
      if (after.reports.collisions.length > 0) cluster.collisionReporters.add(after.key);
      else cluster.collisionReporters.delete(after.key);
      if (!isQuiet) keys.push(...cluster.hostKeys);
    }
    if (hasOtherPlace(before, after))
      for (const host of this.hostsOf(cluster)) if (isWeakly(host, hostId)) keys.push(host.key);
    // The first few hosts tell the others apart from too few to compare.
    if (isNew && cluster.hostKeys.size <= FEW_HOSTS) keys.push(...cluster.hostKeys);
    return keys.map(hostSubject);
  }

  /** Hosts whose operators have to be looked at again because the cluster is made up differently now. */
  private reshaped(cluster: ClusterEntry): readonly HostKey[] {
    const shape = this.shapeOf(cluster);
    if (isDeepStrictEqual(shape, cluster.shape)) return [];
    cluster.shape = shape;
    return [...cluster.hostKeys];
  }

  private shapeOf(cluster: ClusterEntry): ClusterEntry['shape'] {
    if (cluster.facts.operators.length === 0) return NO_SHAPE;
    const hosts = this.hostsOf(cluster).filter(({ state }) => state.kind !== 'AddToExistingClusterHost');
    return shapeOf(
      hosts.map(({ state: { role, suggestedRole } }) => ({ role, effectiveRole: effectiveRole(role, suggestedRole) })),
    );
  }

  /** Only the last one left, or the first one met, is no longer or newly alone with its name. */
  private giveUpName(clusterId: string, name: string, key: HostKey): readonly HostKey[] {
    const names = this.clusters.get(clusterId)?.names;
    const bearers = names?.get(name);
    if (!names || !bearers?.delete(key)) return [];
    if (bearers.size === 0) names.delete(name);
    return bearers.size === 1 ? [...bearers] : [];
  }

  private takeName(clusterId: string, name: string, key: HostKey): readonly HostKey[] {
    const names = this.clusters.get(clusterId)?.names;
    if (!names || name === '') return [];
    const bearers = names.get(name) ?? new Set();
    const met = bearers.size === 1 ? [...bearers] : [];
    names.set(name, bearers.add(key));
    return met;
  }

  private observeCluster(id: string, event: RecordedEvent): readonly Subject[] {
    const known = this.clusters.get(id);
    const state = clusterDecider.evolve(known?.state ?? clusterDecider.initialState(), typed<ClusterEvent>(event));
    if (event.type === 'ClusterDeregistered') {
      this.clusters.delete(id);
      return [];
    }
    if (!known) {
      const facts = toClusterSettingsFacts(state);
      this.clusters.set(id, {
        id,
        state,
        facts,
        shape: NO_SHAPE,
        hostKeys: new Set(),
        names: new Map(),
        connectivity: connectivityOf(facts),
        groups: new Map(),
        collisionReporters: new Set(),
        lastEventId: event.id,
      });
      return [clusterSubject(id)];
    }
    const facts = toClusterSettingsFacts(state);
    const before = { ...known };
    Object.assign(known, { state, facts, lastEventId: event.id });
    known.connectivity.setNetworks(facts.machineNetworks);
    if (known.facts.operators.length !== before.facts.operators.length) known.shape = this.shapeOf(known);
    if (state.status === before.state.status && isDeepStrictEqual(before.facts, facts)) return [];
    if (isSameToHosts(before.facts, facts)) return [clusterSubject(id)];
    return [clusterSubject(id), ...this.withoutSummaries([...known.hostKeys])];
  }

  private observeInfraEnv(id: string, event: RecordedEvent): readonly Subject[] {
    const known = this.infraEnvs.get(id);
    const before = known?.state ?? infraEnvDecider.initialState();
    const state = infraEnvDecider.evolve(before, typed<InfraEnvEvent>(event));
    if (event.type === 'InfraEnvDeregistered') {
      this.infraEnvs.delete(id);
      return [];
    }
    if (!known) this.infraEnvs.set(id, { state, hostKeys: new Set() });
    else known.state = state;
    const isSame =
      before.settings.openshiftVersion === state.settings.openshiftVersion &&
      before.settings.ntpSources === state.settings.ntpSources &&
      before.settings.additionalNtpSources === state.settings.additionalNtpSources;
    return isSame || !known ? [] : this.withoutSummaries([...known.hostKeys]);
  }

  /** What clusters read of a host depends on the version they have. */
  private withoutSummaries(keys: readonly HostKey[]): readonly Subject[] {
    for (const key of keys) {
      const host = this.hosts.get(key);
      if (host) host.summary = undefined;
    }
    return keys.map(hostSubject);
  }
}

/** Another role, another cluster, or gone. */
const hasOtherPlace = ({ state: before }: Pick<HostEntry, 'state'>, { state: after }: HostEntry): boolean =>
  before.clusterId !== after.clusterId ||
  before.role !== after.role ||
  before.suggestedRole !== after.suggestedRole ||
  before.hostId !== after.hostId;

const FEW_HOSTS = 3;
const isRouted = (facts: ClusterSettingsFacts): boolean =>
  facts.userManagedNetworking || isLoadBalancerUserManaged(facts);

/** Whether a host has trouble to reach another one: only then it matters to it what role that has. */
function isWeakly({ reports }: HostEntry, hostId: string): boolean {
  const reach = reports.reaches?.get(hostId);
  return reach !== undefined && (reach.latencyMs > GOOD_LATENCY_MS || reach.packetLossPercent > 0);
}

function connectivityOf(facts: ClusterSettingsFacts): ClusterConnectivity {
  const connectivity = new ClusterConnectivity();
  connectivity.setNetworks(facts.machineNetworks);
  return connectivity;
}

/** Settings that no host rule reads: a change of these alone leaves every host's verdict as it is. */
const READ_BY_CLUSTERS_ONLY: ReadonlySet<string> = new Set<keyof ClusterSettingsFacts>([
  'apiVips',
  'ingressVips',
  'vipDhcpAllocation',
  'networkType',
  'pullSecretSet',
  'hasCustomManifest',
  'ignoredClusterRules',
]);

function isSameToHosts(before: ClusterSettingsFacts, after: ClusterSettingsFacts): boolean {
  const read = (facts: ClusterSettingsFacts): readonly unknown[] =>
    Object.entries(facts).filter(([name]) => !READ_BY_CLUSTERS_ONLY.has(name));
  return isDeepStrictEqual(read(before), read(after));
}
