import { builtinToolchain, type InstallHost, type KeepSecret } from '@muster/service-ignition';

export interface FakeHost {
  readonly id: string;
  readonly role: string;
  readonly hostname: string;
}

const keep: KeepSecret = (_, make) => make();

/** Returns the artifacts that the service would create for these hosts, by name. `spoil` may change each of them. */
export async function makeFakeArtifacts(
  clusterId: string,
  hosts: readonly FakeHost[],
  controlPlaneCount: number,
  spoil: (name: string, text: string) => string = (_, text) => text,
): Promise<ReadonlyMap<string, string>> {
  const isSingleNode = controlPlaneCount === 1;
  const { artifacts } = await builtinToolchain().make(
    {
      clusterId,
      attempt: 1,
      startedAt: new Date().toISOString(),
      installConfigOverrides: '',
      settings: {
        name: 'fake',
        baseDnsDomain: 'example.com',
        openshiftVersion: '4.18.3',
        ocpReleaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
        controlPlaneCount,
        platformType: isSingleNode ? 'none' : 'baremetal',
        networkType: 'OVNKubernetes',
        clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
        serviceNetworks: { items: ['172.30.0.0/16'] },
        apiVips: { items: ['192.168.111.100'] },
        ingressVips: { items: ['192.168.111.101'] },
      },
      machineNetworks: ['192.168.111.0/24'],
      ntpServers: [],
      hosts: hosts.map(({ id, role, hostname }, index) => ({
        hostId: id,
        role: role as InstallHost['role'],
        hostname,
        pool: role,
        installationDisk: '/dev/disk/by-id/one',
        bootMacAddress: `02:00:00:00:00:${index.toString(16).padStart(2, '0')}`,
        isLegacyBoot: false,
        isPersistentBoot: false,
        nodeAddress: '',
        nodeIpHint: '',
        timeSources: [],
        hasIpv6: false,
        hardware: undefined,
        ignitionOverride: '',
      })),
      mirrors: [],
      pullSecret: '{"auths":{"quay.io":{"auth":"ZmFrZTpmYWtl"}}}',
      additionalTrustBundle: '',
      operatorManifests: { files: [], later: [] },
      manifests: [],
      serviceCaPem: '',
      invoker: 'assisted-installer',
      bootstrapHostId: hosts[0]?.id ?? '',
      vipLeases: { api: '', ingress: '' },
    },
    keep,
  );
  return new Map(artifacts.map(({ name, content }) => [name, spoil(name, content.toString())]));
}
