import { randomUUID } from 'node:crypto';
import { builtinToolchain, type InstallHost, type InstallRequest, type KeepSecret } from '@muster/service-ignition';
import { type Bench, kibibytes, milliseconds } from '../measurement';

const LOOK_EVERY_MS = 20;

/** Runs `work` and returns the peak of additional memory of the process, in bytes. */
export async function withResidentPeak<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly bytes: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  try {
    const result = await work();
    look();
    return { result, bytes: peak - before };
  } finally {
    clearInterval(looking);
  }
}

const MASTERS = 3;

const host = (index: number): InstallHost => {
  const role = index < MASTERS ? 'master' : 'worker';
  const octets = [index >> 8, index & 255];
  const address = `10.0.${octets.join('.')}`;
  return {
    hostId: randomUUID(),
    role,
    hostname: `${role}-${index}`,
    pool: role,
    installationDisk: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4',
    bootMacAddress: `02:00:00:00:${octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':')}`,
    isLegacyBoot: false,
    isPersistentBoot: false,
    nodeAddress: address,
    nodeIpHint: '',
    timeSources: [],
    hasIpv6: false,
    hardware: undefined,
    ignitionOverride: '',
  };
};

/** An installation request with this number of hosts on bare metal. */
export const sampleInstallRequest = (hostCount: number): InstallRequest => ({
  clusterId: randomUUID(),
  attempt: 1,
  startedAt: new Date().toISOString(),
  installConfigOverrides: '',
  settings: {
    name: 'bench',
    baseDnsDomain: 'example.com',
    openshiftVersion: '4.18.3',
    ocpReleaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
    controlPlaneCount: MASTERS,
    platformType: 'baremetal',
    networkType: 'OVNKubernetes',
    clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
    serviceNetworks: { items: ['172.30.0.0/16'] },
    apiVips: { items: ['10.0.255.1'] },
    ingressVips: { items: ['10.0.255.2'] },
  },
  machineNetworks: ['10.0.0.0/16'],
  ntpServers: [],
  hosts: Array.from({ length: hostCount }, (_, index) => host(index)),
  mirrors: [],
  pullSecret: '{"auths":{"quay.io":{"auth":"YmVuY2g6YmVuY2g="}}}',
  additionalTrustBundle: '',
  operatorManifests: { files: [], later: [] },
  manifests: [],
  serviceCaPem: '',
  invoker: 'assisted-installer',
  bootstrapHostId: '',
  vipLeases: { api: '', ingress: '' },
});

const HOST_COUNTS = [3, 50, 500];

/** The built-in toolchain: with new keys, and again with the kept keys. */
export const makeArtifacts: Bench = {
  name: 'artifacts',
  about: 'artifacts of installations with 3, 50 and 500 hosts: time and memory',
  run: async (bed) => {
    const measurements = [];
    // The first run also loads and compiles code for all others.
    await builtinToolchain().make(sampleInstallRequest(3), (_, make) => make());
    for (const hostCount of bed.isQuick ? [3, 50] : HOST_COUNTS) {
      const order = sampleInstallRequest(hostCount);
      const kept = new Map<string, Buffer>();
      const keep: KeepSecret = async (name, make) => {
        const secret = kept.get(name) ?? (await make());
        kept.set(name, secret);
        return secret;
      };
      const startedMs = performance.now();
      await builtinToolchain().make(order, keep);
      const withKeysMs = performance.now() - startedMs;
      const againMs = performance.now();
      const { result, bytes } = await withResidentPeak(() => builtinToolchain().make(order, keep));
      const withoutKeysMs = performance.now() - againMs;
      const size = result.artifacts.reduce((sum, { content }) => sum + content.length, 0);
      measurements.push(
        {
          what: `artifacts for ${hostCount} hosts, keys included`,
          measured: `${milliseconds(withKeysMs)}, ${result.artifacts.length} artifacts of ${kibibytes(size)}`,
          budget: '',
        },
        {
          what: `artifacts for ${hostCount} hosts, from kept keys`,
          measured: `${milliseconds(withoutKeysMs)}, ${kibibytes(bytes)} more resident at most`,
          budget: '',
        },
      );
    }
    return measurements;
  },
};
