import { hostKeyOf } from '@muster/contracts';
import { type Disk, type Hardware, NO_HARDWARE, type Nic } from '@muster/validation-rules';
import { RemoteHosts, type StepOtherHost } from './remote-hosts';
import type { StepCluster, StepContext, StepHost } from './step-context';

/** Returns the context of a day-1 host in a three-node cluster with all inputs of all steps. */
export const nic = (changes: Partial<Nic> = {}): Nic => ({
  name: 'ens3',
  macAddress: '52:54:00:aa:00:01',
  ipv4Addresses: ['192.0.2.11/24'],
  ipv6Addresses: [],
  mtu: 1500,
  speedMbps: 1000,
  type: 'physical',
  hasCarrier: true,
  vendorId: '',
  productId: '',
  ...changes,
});

export const disk = (changes: Partial<Disk> = {}): Disk => ({
  id: '/dev/disk/by-id/wwn-1',
  name: 'sda',
  path: '/dev/sda',
  byPath: '/dev/disk/by-path/pci-1',
  byId: '/dev/disk/by-id/wwn-1',
  driveType: 'SSD',
  sizeBytes: 128e9,
  model: '',
  serial: '',
  hctl: '',
  bootable: false,
  removable: false,
  isInstallationMedia: false,
  hasUuid: true,
  agentReasons: [],
  holders: '',
  iscsiHostIpAddress: '',
  ...changes,
});

export const hardware = (changes: Partial<Hardware> = {}): Hardware => ({
  ...NO_HARDWARE,
  cpuArchitecture: 'x86_64',
  nics: [nic()],
  disks: [disk()],
  ...changes,
});

export const other = (changes: Partial<StepOtherHost> = {}): StepOtherHost => ({
  hostId: 'h2',
  status: 'known',
  role: 'master',
  isBootstrap: false,
  hardware: hardware({ nics: [nic({ macAddress: '52:54:00:aa:00:02', ipv4Addresses: ['192.0.2.12/24'] })] }),
  ...changes,
});

const CLUSTER: StepCluster = {
  id: 'c1',
  name: 'ocp',
  baseDnsDomain: 'example.com',
  controlPlaneCount: 3,
  openshiftVersion: '4.18.3',
  releaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
  waitsForClusterVersion: false,
  apiVips: ['192.0.2.100'],
  ingressVips: ['192.0.2.101'],
  machineNetworks: ['192.0.2.0/24'],
  userManagedNetworking: false,
  vipDhcpAllocation: false,
  vipLeases: { api: '', ingress: '' },
  externalPlatformName: '',
  ntpSources: 'ntp.example.com',
  apiVipDnsName: 'api.ocp.example.com',
  diskEncryption: { enableOn: 'all', mode: 'tang', tangServers: '[{"url":"http://tang","thumbprint":"t"}]' },
};

const HOST: StepHost = {
  hasIdentityConflict: false,
  hostId: 'h1',
  infraEnvId: 'i1',
  status: 'known',
  kind: 'Host',
  effectiveRole: 'master',
  isBootstrap: false,
  installationDiskId: '/dev/disk/by-id/wwn-1',
  installationDiskPath: '/dev/sda',
  installerArgs: '',
  skipFormattingDisks: [],
  hasLogs: false,
  machineConfigPoolName: '',
  tangServers: '[{"url":"http://tang","thumbprint":"t"}]',
  measuredDisks: [],
  checkedImages: [],
};

interface Changes {
  readonly host?: Partial<StepHost>;
  /** null: a host without a cluster. */
  readonly cluster?: Partial<StepCluster> | null;
  readonly hardware?: Partial<Hardware> | null;
  readonly infraEnv?: Partial<StepContext['infraEnv']>;
  readonly others?: readonly StepOtherHost[];
  readonly settings?: Partial<StepContext['settings']>;
  readonly images?: Partial<StepContext['images']>;
}

export const stepContext = (changes: Changes = {}): StepContext => ({
  host: { ...HOST, ...changes.host },
  hardware: changes.hardware === null ? undefined : hardware(changes.hardware),
  cluster: changes.cluster === null ? undefined : { ...CLUSTER, ...changes.cluster },
  infraEnv: { ntpSources: 'pool.example.com', hasStaticNetwork: false, cpuArchitecture: 'x86_64', ...changes.infraEnv },
  others: () => changes.others ?? [other()],
  remoteHosts: () => remoteHostsOf(changes.others ?? [other()]),
  images: {
    agent: 'quay.io/agent:2',
    agentArchitectures: [],
    installer: 'quay.io/installer:2',
    controller: 'quay.io/controller:2',
    machineConfigOperator: 'quay.io/mco:2',
    mustGather: 'quay.io/must-gather:2',
    coreos: 'quay.io/coreos:2',
    ...changes.images,
  },
  settings: {
    diskCheckTimeoutSeconds: 480,
    imageAvailabilityTimeoutSeconds: 960,
    inventoryBytesMax: 0,
    inventoryDiskBytesMin: 0,
    skipMcoReboot: true,
    disabledSteps: [],
    upgradesAgents: true,
    ...changes.settings,
  },
});

export const remoteHostsOf = (others: readonly StepOtherHost[], version = 1): RemoteHosts =>
  new RemoteHosts(
    version,
    others.map((host) => [hostKeyOf('i1', host.hostId), host]),
  );

/** Returns the first argument of a step, parsed as JSON. */
export const documentOf = (args: readonly string[] | undefined): unknown => args && JSON.parse(args[0] ?? '');
