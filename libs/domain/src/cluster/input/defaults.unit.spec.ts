import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, registration } from '../cluster.fixture.spec';

type Settings = Plain<ClusterSettings>;
const list = (...items: string[]): { items: string[] } => ({ items });

describe('defaults of a new cluster', () => {
  it.each<readonly [string, Settings, Settings]>([
    [
      'three control plane hosts on bare metal',
      {},
      {
        controlPlaneCount: 3,
        highAvailabilityMode: 'Full',
        platformType: 'baremetal',
        userManagedNetworking: false,
        networkType: 'OVNKubernetes',
        clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
        serviceNetworks: list('172.30.0.0/16'),
        machineNetworks: list(),
        hyperthreading: 'all',
        schedulableMasters: false,
        cpuArchitecture: 'x86_64',
      },
    ],
    [
      'a single node',
      { controlPlaneCount: 1 },
      { highAvailabilityMode: 'None', platformType: 'none', userManagedNetworking: true },
    ],
    [
      'a single node set by high_availability_mode',
      { highAvailabilityMode: 'None' },
      { controlPlaneCount: 1, platformType: 'none' },
    ],
    [
      'a single node on an external platform',
      { controlPlaneCount: 1, platformType: 'external' },
      { platformType: 'external', userManagedNetworking: true },
    ],
    ['user-managed networking', { userManagedNetworking: true }, { platformType: 'none' }],
    ['ppc64le', { cpuArchitecture: 'ppc64le' }, { platformType: 'none', userManagedNetworking: true }],
    ['s390x', { cpuArchitecture: 's390x' }, { platformType: 'none', userManagedNetworking: true }],
    [
      'the mode of the disk encryption',
      { diskEncryption: { enable_on: 'all' } },
      { diskEncryption: { enable_on: 'all', mode: 'tpmv2' } },
    ],
    [
      'the roles of the disk encryption',
      { diskEncryption: { mode: 'tang' } },
      { diskEncryption: { enable_on: 'none', mode: 'tang' } },
    ],
    ['a release of several architectures', { cpuArchitecture: 'multi' }, { platformType: 'baremetal' }],
    ['an old version', { openshiftVersion: '4.11.9' }, { networkType: 'OpenShiftSDN' }],
    [
      'a single node of an old version',
      { openshiftVersion: '4.11.9', controlPlaneCount: 1 },
      { networkType: 'OVNKubernetes' },
    ],
  ])('match the v2 API for %s', (_, given, expected) => {
    expect(after(registration(given)).settings).toMatchObject(expected);
  });

  it('are those of the requested architecture when the release serves several', () => {
    const of = (requestedArchitecture: string): Settings =>
      after(registration({ cpuArchitecture: 'multi' }, { requestedArchitecture })).settings;
    expect(of('s390x')).toMatchObject({ cpuArchitecture: 'multi', platformType: 'none', userManagedNetworking: true });
    expect(of('x86_64')).toMatchObject({ cpuArchitecture: 'multi', platformType: 'baremetal' });
  });

  it('derive name and domain of an imported cluster from the name of its API', () => {
    const imported = (apiVipDnsName: string): Settings =>
      after(registration({ apiVipDnsName, name: 'given' }, { kind: 'AddHostsCluster', imported: true })).settings;
    expect(imported('api.real.example.org')).toMatchObject({ name: 'real', baseDnsDomain: 'example.org' });
    expect(imported('192.168.1.5')).toMatchObject({ name: 'given', platformType: 'baremetal' });
  });
});
