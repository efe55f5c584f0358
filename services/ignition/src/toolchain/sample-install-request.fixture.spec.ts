import type { InstallHost, InstallRequest, KeepSecret, PreparationReport } from './toolchain.port';

const MASTERS = 3;

export const sampleHost = (index: number, changes: Partial<InstallHost> = {}): InstallHost => ({
  hostId: `${String(index).padStart(8, '0')}-0000-4000-8000-000000000003`,
  role: index < MASTERS ? 'master' : 'worker',
  hostname: `${index < MASTERS ? 'master' : 'worker'}-${index}`,
  pool: index < MASTERS ? 'master' : 'worker',
  installationDisk: '/dev/disk/by-id/one',
  bootMacAddress: `02:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`,
  isLegacyBoot: false,
  isPersistentBoot: false,
  nodeAddress: '192.0.2.10',
  nodeIpHint: '',
  timeSources: [],
  hasIpv6: false,
  hardware: {
    hostname: 'given-by-dhcp',
    cpuArchitecture: 'x86_64',
    cpuCount: 8,
    physicalMemoryBytes: 16 * 1024 ** 3,
    manufacturer: 'Acme',
    productName: 'Box',
    serialNumber: `S${index}`,
    nics: [],
    disks: [],
  } as unknown as InstallHost['hardware'],
  ignitionOverride: '',
  ...changes,
});

/** Three control plane hosts and, by default, one worker. */
export function sampleInstallRequest(changes: Partial<InstallRequest> = {}, hostCount = MASTERS + 1): InstallRequest {
  return {
    clusterId: 'c1c1c1c1-0000-4000-8000-000000000001',
    attempt: 1,
    startedAt: '2026-01-02T03:04:05.000Z',
    hosts: Array.from({ length: hostCount }, (_, index) => sampleHost(index)),
    machineNetworks: ['192.0.2.0/24'],
    ntpServers: [],
    mirrors: [],
    installConfigOverrides: '',
    pullSecret: '{"auths":{"quay.io":{"auth":"canary-pull-secret"}}}',
    additionalTrustBundle: '',
    operatorManifests: { files: [], later: [] },
    manifests: [],
    serviceCaPem: '',
    invoker: 'assisted-installer',
    bootstrapHostId: sampleHost(0).hostId,
    vipLeases: { api: '', ingress: '' },
    ...changes,
    settings: {
      name: 'demo',
      baseDnsDomain: 'example.com',
      openshiftVersion: '4.18.3',
      ocpReleaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
      cpuArchitecture: 'x86_64',
      controlPlaneCount: MASTERS,
      platformType: 'baremetal',
      networkType: 'OVNKubernetes',
      clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
      serviceNetworks: { items: ['172.30.0.0/16'] },
      apiVips: { items: ['192.0.2.100'] },
      ingressVips: { items: ['192.0.2.101'] },
      sshPublicKey: 'ssh-ed25519 AAAA',
      ...changes.settings,
    },
  };
}

/** Keeps secrets in memory. Each is created once. */
export function keptInMemory(): KeepSecret & { readonly kept: ReadonlyMap<string, Buffer> } {
  const kept = new Map<string, Buffer>();
  const keep: KeepSecret = async (name, make) => {
    const secret = kept.get(name) ?? (await make());
    kept.set(name, secret);
    return secret;
  };
  return Object.assign(keep, { kept });
}

/** For tests that do not read the report. */
export const IGNORED_REPORT: PreparationReport = {
  signal: new AbortController().signal,
  releaseRead: () => Promise.resolve(),
  downloaded: () => undefined,
  queued: () => undefined,
};
