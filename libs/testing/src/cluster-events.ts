import {
  type HostKey,
  hostKeyOf,
  type MusterEvent,
  parseEvent,
  streamIdOf,
  type StreamCategory,
  type RecordedMusterEvent,
} from '@muster/contracts';
import type { EventMetadata, StreamId } from '@muster/ports';

/** Events of other services for specs, as registration and inventory store them. */
export const CLUSTER_ID = '33333333-3333-4333-8333-333333333333';
export const INFRA_ENV_ID = '11111111-1111-4111-8111-111111111111';
export const hostKey = (number: number): HostKey =>
  hostKeyOf(INFRA_ENV_ID, `22222222-2222-4222-8222-${String(number).padStart(12, '0')}`);

const AT = '2024-01-01T00:00:00.000Z';
const OWNER = { userName: 'admin', orgId: '', emailDomain: '' };
const METADATA: EventMetadata = { commandId: 'c', correlationId: 'c', actor: 'test', occurredAt: AT };

export interface SampleEvent {
  readonly streamId: StreamId;
  readonly event: MusterEvent;
}

/** The event with the members that the stored form has and a spec does not care about. */
const fact = (category: StreamCategory, id: string, type: MusterEvent['type'], data: object): SampleEvent => ({
  streamId: streamIdOf(category, id),
  event: parseEvent(category, type, data),
});

export const infraEnvRegistered = (settings: object = {}): SampleEvent =>
  fact('infraEnv', INFRA_ENV_ID, 'InfraEnvRegistered', {
    infraEnvId: INFRA_ENV_ID,
    owner: OWNER,
    settings: { name: 'i', openshiftVersion: '4.18', ...settings },
  });

/** Settings of a cluster with three control plane nodes and its own VIPs. */
export const SAMPLE_CLUSTER_SETTINGS = {
  name: 'c',
  baseDnsDomain: 'example.com',
  openshiftVersion: '4.18.3',
  controlPlaneCount: 3,
  platformType: 'baremetal',
  networkType: 'OVNKubernetes',
  clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
  serviceNetworks: { items: ['172.30.0.0/16'] },
  machineNetworks: { items: ['192.168.128.0/24'] },
  apiVips: { items: ['192.168.128.100'] },
  ingressVips: { items: ['192.168.128.101'] },
};

/** The data of `ClusterRegistered` for a cluster with its pull secret. */
export const registeredClusterData = (clusterId: string, settings: object, status = 'insufficient'): object => ({
  clusterId,
  kind: 'Cluster',
  owner: OWNER,
  pullSecretSet: true,
  status,
  at: AT,
  settings,
});

export const clusterRegistered = (settings: object = {}): SampleEvent =>
  fact(
    'cluster',
    CLUSTER_ID,
    'ClusterRegistered',
    registeredClusterData(CLUSTER_ID, { ...SAMPLE_CLUSTER_SETTINGS, ...settings }),
  );

export const clusterEvent = (type: MusterEvent['type'], data: object): SampleEvent =>
  fact('cluster', CLUSTER_ID, type, data);
export const manifestEvent = (type: 'ManifestStored' | 'ManifestRemoved', data: object = {}): SampleEvent =>
  fact('manifest', CLUSTER_ID, type, { clusterId: CLUSTER_ID, folder: 'manifests', fileName: 'cni.yaml', ...data });
export const hostEvent = (key: HostKey, type: MusterEvent['type'], data: object): SampleEvent =>
  fact('host', key, type, data);
export const reportEvent = (key: HostKey, type: MusterEvent['type'], data: object): SampleEvent =>
  fact('inventory', key, type, { generation: 1, ...data });

export const hostRegistered = (key: HostKey, changes: object = {}): SampleEvent =>
  hostEvent(key, 'HostRegistered', {
    hostId: key.slice(key.indexOf('.') + 1),
    infraEnvId: INFRA_ENV_ID,
    clusterId: CLUSTER_ID,
    kind: 'Host',
    role: 'auto-assign',
    discoveryAgentVersion: 'agent',
    owner: OWNER,
    at: AT,
    ...changes,
  });

export const hostEntered = (key: HostKey, status: string): SampleEvent =>
  hostEvent(key, 'HostEnteredStatus', { status, from: '', transition: 't', at: AT });

export const inventoryReported = (key: HostKey, hardware: object = {}, generation = 1): SampleEvent =>
  reportEvent(key, 'InventoryReported', {
    hostKey: key,
    fingerprint: 'f',
    generation,
    body: { digest: 'sha256:0', bytes: 1 },
    hardware: {
      hostname: `node-${key.slice(-2)}`,
      cpuArchitecture: 'x86_64',
      cpuCount: 8,
      physicalMemoryBytes: 34_359_738_368,
      physicalMemoryMethod: 'dmidecode',
      disks: [{ id: '/dev/sda', name: 'sda', path: '/dev/sda', driveType: 'SSD', sizeBytes: 128_000_000_000 }],
      diskCount: 1,
      nics: [{ name: 'ens3', ipv4Addresses: ['192.168.128.10/24'] }],
      routes: [{ interface: 'ens3', destination: '0.0.0.0', gateway: '192.168.128.1', family: 2 }],
      truncation: 'none',
      ...hardware,
    },
  });

/** Returns the events as the store returns them, in this order. */
export function recorded(facts: readonly SampleEvent[]): RecordedMusterEvent[] {
  const revisions = new Map<string, number>();
  return facts.map(({ streamId, event }, position) => {
    const revision = (revisions.get(streamId) ?? -1) + 1;
    revisions.set(streamId, revision);
    return {
      ...event,
      id: `e${position}`,
      streamId,
      metadata: METADATA,
      revision,
      position,
      recordedAt: AT,
    };
  });
}

/** The output of the step inventory. */
export const sampleInventory = (changes: object = {}): object => ({
  hostname: 'node-1',
  cpu: { architecture: 'x86_64', count: 8, frequency: 2095.1, flags: ['vmx'], model_name: 'cpu' },
  memory: { physical_bytes: 34_359_738_368, usable_bytes: 33_000_000_000, physical_bytes_method: 'dmidecode' },
  disks: [sampleDisk()],
  interfaces: [
    {
      name: 'ens3',
      mac_address: '02:00:00:27:B1:40',
      ipv4_addresses: ['192.168.128.10/24'],
      ipv6_addresses: null,
      mtu: 1500,
      speed_mbps: -1,
      has_carrier: true,
    },
  ],
  routes: [{ destination: '0.0.0.0', family: 2, gateway: '192.168.128.1', interface: 'ens3' }],
  system_vendor: { manufacturer: 'Red Hat', product_name: 'KVM', virtual: true },
  boot: { current_boot_mode: 'bios' },
  gpus: [{ vendor_id: '1013' }],
  tpm_version: 'none',
  ...changes,
});

export const sampleDisk = (changes: object = {}): object => ({
  id: '/dev/disk/by-id/wwn-0x1',
  name: 'sda',
  path: '/dev/sda',
  drive_type: 'HDD',
  size_bytes: 128_849_018_880,
  smart: '{"local_time":1}',
  installation_eligibility: { eligible: true, not_eligible_reasons: null },
  ...changes,
});

export const SAMPLE_HOST_KEY = '11111111-1111-4111-8111-111111111111.22222222-2222-4222-8222-222222222222';
