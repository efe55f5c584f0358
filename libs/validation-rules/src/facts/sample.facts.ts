import { parseCidrs } from '@muster/addresses';
import { NO_SHAPE, STANDARD_SETTINGS } from '@muster/operators';
import { type Disk, type Hardware, type Nic, NO_HARDWARE } from '../hardware/hardware';
import { DEFAULT_REQUIREMENTS } from '../hardware/requirements';
import { type ClusterSettingsFacts, NO_CLUSTER } from './cluster-settings.facts';
import type { ClusterFacts, ClusterHostFacts } from './cluster.facts';
import type { HostFacts, RulesPolicy } from './host.facts';

/** Facts of a healthy cluster for specs. Each spec changes the members that it tests. */
export const SAMPLE_POLICY: RulesPolicy = {
  requirements: DEFAULT_REQUIREMENTS,
  agentImage: 'quay.io/muster/agent:1',
  agentArchitectures: [],
  edgeWorkerProducts: ['BlueField SoC'],
  singleNodeDnsmasq: false,
  disabledHostRules: [],
  disabledClusterRules: [],
  operatorSettings: STANDARD_SETTINGS,
};

export const sampleDisk = (changes: Partial<Disk> = {}): Disk => ({
  id: '/dev/disk/by-id/wwn-0x1',
  name: 'sda',
  path: '/dev/sda',
  byPath: '/dev/disk/by-path/pci-0000:00:06.0',
  byId: '/dev/disk/by-id/wwn-0x1',
  driveType: 'HDD',
  sizeBytes: 120_000_000_000,
  model: 'disk',
  serial: '1',
  hctl: '0:0:0:0',
  bootable: false,
  removable: false,
  isInstallationMedia: false,
  hasUuid: true,
  agentReasons: [],
  holders: '',
  iscsiHostIpAddress: '',
  ...changes,
});

export const sampleNic = (changes: Partial<Nic> = {}): Nic => ({
  name: 'ens3',
  macAddress: '02:00:00:00:00:01',
  ipv4Addresses: ['192.168.128.10/24'],
  ipv6Addresses: [],
  mtu: 1500,
  speedMbps: 1000,
  type: 'physical',
  hasCarrier: true,
  vendorId: '',
  productId: '',
  ...changes,
});

export const sampleHardware = (changes: Partial<Hardware> = {}): Hardware => ({
  ...NO_HARDWARE,
  hostname: 'node-1',
  cpuArchitecture: 'x86_64',
  cpuCount: 8,
  physicalMemoryBytes: 32 * 1024 ** 3,
  usableMemoryBytes: 31 * 1024 ** 3,
  physicalMemoryMethod: 'dmidecode',
  disks: [sampleDisk()],
  diskCount: 1,
  nics: [sampleNic()],
  routes: [{ interface: 'ens3', gateway: '192.168.128.1', destination: '0.0.0.0', family: 2, metric: 100 }],
  manufacturer: 'Red Hat',
  productName: 'KVM',
  ...changes,
});

export const sampleSettings = (changes: Partial<ClusterSettingsFacts> = {}): ClusterSettingsFacts => ({
  ...NO_CLUSTER,
  name: 'c',
  baseDnsDomain: 'example.com',
  openshiftVersion: '4.18.3',
  cpuArchitecture: 'x86_64',
  controlPlaneCount: 3,
  clusterNetworks: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
  serviceNetworks: ['172.30.0.0/16'],
  machineNetworks: ['192.168.128.0/24'],
  apiVips: ['192.168.128.100'],
  ingressVips: ['192.168.128.101'],
  networkType: 'OVNKubernetes',
  effectiveNetworkType: changes.networkType ?? 'OVNKubernetes',
  platformType: 'baremetal',
  pullSecretSet: true,
  ...changes,
});

export const sampleHost = (changes: Partial<HostFacts> = {}): HostFacts => ({
  policy: SAMPLE_POLICY,
  cluster: sampleSettings(),
  shape: { ...NO_SHAPE, hosts: 3, unassigned: 3 },
  infraEnvVersion: '4.18',
  infraEnvHasNtpSources: false,
  kind: 'Host',
  stage: '',
  isSilent: false,
  isMediaConnected: true,
  agentVersion: SAMPLE_POLICY.agentImage,
  clockOffsetSeconds: 0,
  requestedHostname: '',
  hasDuplicateName: false,
  role: 'auto-assign',
  suggestedRole: 'master',
  isBootstrap: false,
  installationDiskId: '/dev/disk/by-id/wwn-0x1',
  installationDiskPath: '/dev/sda',
  skipFormattingDisks: [],
  installerArgs: [],
  hardware: sampleHardware(),
  diskSpeeds: [],
  images: [],
  ntpSources: [{ sourceName: 'time.example.com', sourceState: 'synced' }],
  isIgnitionDownloaded: undefined,
  mtuFailures: undefined,
  failedSteps: new Map(),
  resolutions: ['api', 'api-int', 'console-openshift-console.apps', 'validateNoWildcardDNS'].flatMap((label) => {
    const domainName = `${label}.c.example.com`;
    const hasNoRecord = label === 'validateNoWildcardDNS';
    const none = { domainName, ipv4Addresses: [], ipv6Addresses: [], cnames: [] };
    return hasNoRecord
      ? [none, { ...none, domainName: `${domainName}.` }]
      : [{ ...none, ipv4Addresses: ['192.0.2.10'] }];
  }),
  isTangReached: undefined,
  workerEncryption: undefined,
  workerNetworking: undefined,
  clusterHostCount: 3,
  isReachReported: true,
  majority: {
    groups: ['192.168.128.0/24'],
    reachedFamilies: [4],
    unreachedFamilies: [6],
    hasEnoughHosts: true,
    awaitsReports: false,
  },
  weakPeers: [],
  collidingAddresses: [],
  ...changes,
});

/** A host without a cluster. */
export const sampleUnboundHost = (changes: Partial<HostFacts> = {}): HostFacts =>
  sampleHost({ cluster: undefined, suggestedRole: '', ...changes });

export const sampleClusterHost = (changes: Partial<ClusterHostFacts> = {}): ClusterHostFacts => ({
  hostKey: 'infra-env.host-1',
  status: 'known',
  kind: 'Host',
  role: 'auto-assign',
  suggestedRole: 'master',
  hasInventory: true,
  hardware: sampleHardware(),
  installationDiskId: '/dev/disk/by-id/wwn-0x1',
  addresses: parseCidrs(['192.168.128.10/24']),
  canBeControlPlane: true,
  canBeArbiter: true,
  hasFencingCredentials: false,
  clockOffsetSeconds: 0,
  leaseFailure: '',
  ...changes,
});

export const sampleCluster = (changes: Partial<ClusterFacts> = {}): ClusterFacts => ({
  policy: SAMPLE_POLICY,
  settings: sampleSettings(),
  hosts: [1, 2, 3].map((number) => sampleClusterHost({ hostKey: `infra-env.host-${number}` })),
  vipVerifications: [
    { vip: '192.168.128.100', vipType: 'api', verification: 'succeeded' },
    { vip: '192.168.128.101', vipType: 'ingress', verification: 'succeeded' },
  ],
  ...changes,
});
