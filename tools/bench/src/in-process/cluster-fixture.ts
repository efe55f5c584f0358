import {
  type HostKey,
  hostKeyOf,
  type MusterEvent,
  parseEvent,
  type RecordedMusterEvent,
  type StreamCategory,
  streamIdOf,
} from '@muster/contracts';
import { registeredClusterData, SAMPLE_CLUSTER_SETTINGS } from '@muster/testing';

const AT = '2024-01-01T00:00:00.000Z';
const OWNER = { userName: 'bench', orgId: '', emailDomain: '' };
/** Large enough for 65,000 hosts. */
const MACHINE_NETWORK = '10.0.0.0/16';
const GIB = 1024 ** 3;

const uuidOf = (kind: number, number: number): string =>
  `${String(kind).repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
const addressOf = (number: number): string => `10.0.${(number >> 8) + 1}.${number & 255}`;

/** Creates the events that other services store about a cluster and its hosts, in order. */
export class ClusterFixture {
  private position = 0;
  readonly clusterId: string;
  private readonly infraEnvId: string;

  constructor(
    cluster: number,
    readonly hosts: number,
  ) {
    this.clusterId = uuidOf(1, cluster);
    this.infraEnvId = uuidOf(2, cluster);
  }

  hostId(number: number): string {
    return uuidOf(3, number);
  }

  hostKey(number: number): HostKey {
    return hostKeyOf(this.infraEnvId, this.hostId(number));
  }

  /** Registers all hosts with hardware and addresses. `reaches` defines the connectivity. */
  *beginning(reaches: (from: number, to: number) => boolean): Generator<RecordedMusterEvent> {
    const { clusterId, infraEnvId } = this;
    yield this.event('infraEnv', infraEnvId, 'InfraEnvRegistered', {
      infraEnvId,
      owner: OWNER,
      settings: { name: 'i', openshiftVersion: '4.18' },
    });
    const settings = {
      ...SAMPLE_CLUSTER_SETTINGS,
      clusterNetworks: { items: [{ cidr: '172.16.0.0/12', hostPrefix: 23 }] },
      serviceNetworks: { items: ['192.168.0.0/16'] },
      machineNetworks: { items: [MACHINE_NETWORK] },
      apiVips: { items: ['10.0.0.5'] },
      ingressVips: { items: ['10.0.0.6'] },
    };
    yield this.event('cluster', clusterId, 'ClusterRegistered', registeredClusterData(clusterId, settings));
    for (let number = 0; number < this.hosts; number += 1) {
      yield this.host(number, 'HostRegistered', {
        hostId: this.hostId(number),
        infraEnvId,
        clusterId,
        kind: 'Host',
        role: number < 3 ? 'master' : 'worker',
        discoveryAgentVersion: 'agent',
        owner: OWNER,
        at: AT,
      });
      yield this.inventory(number, 64);
      yield this.host(number, 'InstallationDiskChosen', { diskId: '/dev/sda', diskPath: '/dev/sda' });
      yield this.report(number, 'ClockOffsetMeasured', { offsetSeconds: 0 });
      yield this.report(number, 'FreeAddressesReported', {
        networks: [{ network: MACHINE_NETWORK, ranges: ['10.0.0.1-10.0.0.200', '10.0.200.0-10.0.200.255'] }],
      });
    }
    for (let number = 0; number < this.hosts; number += 1) yield this.reachOfAll(number, reaches);
  }

  /**
   * Every second host falls silent, and the reports of the others do not name it any more. The first hosts stay connected, so that the
   * largest group is the one of the connected hosts, also without one of them.
   */
  *halfSilent(): Generator<RecordedMusterEvent> {
    const all = Array.from({ length: this.hosts }, (_, number) => number);
    const isSilent = (number: number): boolean => number % 2 === 1 && number > 2;
    const [silent, connected] = [all.filter(isSilent), all.filter((number) => !isSilent(number))];
    const vanishedPeers = silent.map((number) => this.hostId(number));
    for (const number of silent) yield this.silence(number, true);
    for (const number of connected)
      yield this.report(number, 'ConnectivityReported', { peers: [], vanishedPeers, fingerprint: 'half' });
  }

  inventory(number: number, memoryGib: number): RecordedMusterEvent {
    return this.report(number, 'InventoryReported', {
      hostKey: this.hostKey(number),
      fingerprint: String(memoryGib),
      body: { digest: 'sha256:0', bytes: 1 },
      hardware: {
        hostname: `node-${number}`,
        cpuArchitecture: 'x86_64',
        cpuCount: 16,
        physicalMemoryBytes: memoryGib * GIB,
        physicalMemoryMethod: 'dmidecode',
        disks: ['sda', 'sdb'].map((name) => ({
          id: `/dev/${name}`,
          name,
          path: `/dev/${name}`,
          driveType: 'SSD',
          sizeBytes: 480_000_000_000,
        })),
        diskCount: 2,
        nics: [{ name: 'ens3', ipv4Addresses: [`${addressOf(number)}/16`] }],
        routes: [{ interface: 'ens3', destination: '0.0.0.0', gateway: '10.0.0.1', family: 2 }],
        truncation: 'none',
      },
    });
  }

  silence(number: number, isSilent: boolean): RecordedMusterEvent {
    return isSilent ? this.host(number, 'HostFellSilent', { lastSeenAt: AT }) : this.host(number, 'HostReturned', {});
  }

  /** One edge to another host appeared or disappeared, as the inventory service stores it. */
  reachOfOne(number: number, other: number, isReached: boolean): RecordedMusterEvent {
    return this.report(number, 'ConnectivityReported', {
      peers: [this.peer(other, isReached)],
      fingerprint: String(isReached),
    });
  }

  /** The first connectivity report of a host: all edges are new. */
  reachOfAll(number: number, reaches: (from: number, to: number) => boolean): RecordedMusterEvent {
    const peers = Array.from({ length: this.hosts }, (_, other) => other)
      .filter((other) => other !== number)
      .map((other) => this.peer(other, reaches(number, other)));
    return this.report(number, 'ConnectivityReported', { peers, fingerprint: 'all' });
  }

  /** The connectivity report of a host was discarded. */
  reachForgotten(number: number): RecordedMusterEvent {
    return this.report(number, 'ReportCleared', { stepType: 'connectivity-check' });
  }

  /** A setting that affects only rules of the cluster. */
  apiVip(vip: string): RecordedMusterEvent {
    return this.event('cluster', this.clusterId, 'ClusterSettingsRevised', { changes: { apiVips: { items: [vip] } } });
  }

  /** A setting that affects rules of every host. */
  version(openshiftVersion: string): RecordedMusterEvent {
    return this.event('cluster', this.clusterId, 'ClusterSettingsRevised', { changes: { openshiftVersion } });
  }

  private peer(number: number, isReached: boolean): object {
    const addresses = isReached ? [addressOf(number)] : [];
    return { hostId: this.hostId(number), nearAddresses: addresses, farAddresses: addresses, latencyMs: 1 };
  }

  private host(number: number, type: MusterEvent['type'], data: object): RecordedMusterEvent {
    return this.event('host', this.hostKey(number), type, data);
  }

  private report(number: number, type: MusterEvent['type'], data: object): RecordedMusterEvent {
    return this.event('inventory', this.hostKey(number), type, { generation: 1, ...data });
  }

  private event(category: StreamCategory, id: string, type: MusterEvent['type'], data: object): RecordedMusterEvent {
    const position = this.position++;
    return {
      ...parseEvent(category, type, data),
      id: `e${position}`,
      streamId: streamIdOf(category, id),
      metadata: { commandId: 'c', correlationId: 'c', actor: 'bench', occurredAt: AT },
      revision: position,
      position,
      recordedAt: AT,
    };
  }
}
