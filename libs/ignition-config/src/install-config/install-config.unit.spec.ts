import fc from 'fast-check';
import { sampleInstallConfig } from '../install/sample-install.fixture.spec';
import type { InstallConfigHost, InstallConfigInput } from './install-config-input';
import { checkInstallConfigOverride, parseInstallConfigOverride } from './override-install-config';
import { composeInstallConfig, renderInstallConfig } from './render-install-config';

const PLATFORM = sampleInstallConfig().platform;
const host = (
  hostname: string,
  role: InstallConfigHost['role'],
  more: Partial<InstallConfigHost> = {},
): InstallConfigHost => ({
  hostname,
  role,
  bootMacAddress: '02:00:00:00:00:01',
  isLegacyBoot: false,
  ...more,
});
const platformOf = (changes: Partial<InstallConfigInput>): unknown =>
  renderInstallConfig(sampleInstallConfig(changes))['platform'];

describe('install-config', () => {
  it('contains the settings of the cluster', () => {
    expect(renderInstallConfig(sampleInstallConfig())).toEqual({
      apiVersion: 'v1',
      baseDomain: 'example.com',
      metadata: { name: 'demo' },
      controlPlane: { name: 'master', replicas: 3, hyperthreading: 'Enabled', architecture: 'amd64' },
      compute: [{ name: 'worker', replicas: 2, hyperthreading: 'Enabled', architecture: 'amd64' }],
      networking: {
        networkType: 'OVNKubernetes',
        clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
        machineNetwork: [{ cidr: '192.0.2.0/24' }],
        serviceNetwork: ['172.30.0.0/16'],
      },
      platform: {
        baremetal: {
          apiVIPs: ['192.0.2.100'],
          ingressVIPs: ['192.0.2.101'],
          provisioningNetwork: 'Disabled',
          hosts: [],
        },
      },
      pullSecret: '{}',
      fips: false,
    });
  });

  it('of a single node has platform none and bootstrap in place', () => {
    const config = renderInstallConfig(
      sampleInstallConfig({ controlPlaneCount: 1, workerCount: 0, installationDisk: '/dev/disk/by-id/x' }),
    );
    expect(config).toMatchObject({
      platform: { none: {} },
      bootstrapInPlace: { installationDisk: '/dev/disk/by-id/x' },
    });
  });

  it('excludes the networks of the cluster from the proxy', () => {
    const proxy = { httpProxy: 'http://p', httpsProxy: '', noProxy: 'a.example,172.30.0.0/16' };
    expect(renderInstallConfig(sampleInstallConfig({ proxy }))).toMatchObject({
      proxy: { httpProxy: 'http://p', noProxy: 'a.example,172.30.0.0/16,.demo.example.com,10.128.0.0/14,192.0.2.0/24' },
    });
  });

  it('disables hyperthreading only for the selected roles', () => {
    expect(renderInstallConfig(sampleInstallConfig({ hyperthreading: 'masters' }))).toMatchObject({
      controlPlane: { hyperthreading: 'Enabled' },
      compute: [{ hyperthreading: 'Disabled' }],
    });
  });

  it('lists the bare-metal machines by role and name', () => {
    const hosts = [
      host('b', 'worker'),
      host('z', 'master'),
      host('a', 'master', { isLegacyBoot: true }),
      host('t', 'arbiter'),
    ];
    expect(platformOf({ hosts, ntpServers: ['ntp.example.com'] })).toMatchObject({
      baremetal: {
        additionalNTPServers: ['ntp.example.com'],
        hosts: [
          {
            name: 'a',
            role: 'master',
            bootMACAddress: '02:00:00:00:00:01',
            bootMode: 'legacy',
            bmc: { address: '', username: '', password: '', disableCertificateVerification: false },
            hardwareProfile: '',
          },
          { name: 'z', bootMode: 'UEFI' },
          { name: 't' },
          { name: 'b' },
        ],
      },
    });
  });

  it.each([
    ['none', { platform: { ...PLATFORM, type: 'none' } }, { none: {} }],
    ['user-managed networking', { platform: { ...PLATFORM, isUserManagedNetworking: true } }, { none: {} }],
    [
      'a user-managed load balancer',
      { platform: { ...PLATFORM, isUserManagedLoadBalancer: true } },
      { baremetal: { loadBalancer: { type: 'UserManaged' } } },
    ],
    [
      'oci',
      { platform: { ...PLATFORM, type: 'external', externalName: 'oci', cloudControllerManager: 'External' } },
      { external: { PlatformName: 'oci', CloudControllerManager: 'External' } },
    ],
    [
      'vsphere',
      { platform: { ...PLATFORM, type: 'vsphere' } },
      { vsphere: { vcenters: [{ datacenters: ['datacenterplaceholder'] }], apiVIPs: ['192.0.2.100'] } },
    ],
    [
      'an older vsphere',
      { platform: { ...PLATFORM, type: 'vsphere' }, openshiftVersion: '4.12.1' },
      { vsphere: { vCenter: 'vcenterplaceholder', ingressVIPs: ['192.0.2.101'] } },
    ],
    [
      'nutanix',
      { platform: { ...PLATFORM, type: 'nutanix' } },
      { nutanix: { prismCentral: { endpoint: { port: 9440 } } } },
    ],
    [
      'a version before dual stack',
      { openshiftVersion: '4.11.5' },
      { baremetal: { apiVIP: '192.0.2.100', ingressVIP: '192.0.2.101' } },
    ],
    ['the oldest versions', { openshiftVersion: '4.6.9' }, { baremetal: { provisioningNetwork: 'Unmanaged' } }],
  ])('has the platform section of %s', (_, changes, expected) => {
    expect(platformOf(changes)).toMatchObject(expected);
  });

  it('omits addresses for platforms that do not manage them', () => {
    const platform = platformOf({ platform: { ...PLATFORM, type: 'vsphere', isUserManagedNetworking: true } });
    expect(JSON.stringify(platform)).not.toContain('VIPs');
  });

  it.each([
    ['4.19.3', 1, 'TechPreviewNoUpgrade'],
    ['4.20.1', 1, undefined],
    ['4.19.3', 0, undefined],
  ])('of %s with %i arbiters has the feature set %s', (openshiftVersion, arbiterCount, featureSet) => {
    expect(renderInstallConfig(sampleInstallConfig({ openshiftVersion, arbiterCount }))['featureSet']).toBe(featureSet);
  });

  it('contains the fencing credentials of two nodes', () => {
    const fencing = { address: 'redfish://bmc', username: 'u', password: 'p', certificateVerification: 'Disabled' };
    const byMac = { ...fencing, macAddress: '52:54:00:00:00:01' };
    const hosts = [host('b', 'master', { fencing: byMac }), host('a', 'master', { fencing })];
    const config = renderInstallConfig(
      sampleInstallConfig({ controlPlaneCount: 2, openshiftVersion: '4.21.0', hosts }),
    );
    expect(config).toMatchObject({
      featureSet: 'TechPreviewNoUpgrade',
      controlPlane: {
        fencing: {
          credentials: [{ hostname: 'a', ...fencing }, byMac],
        },
      },
    });
  });

  it.each([
    ['4.13.9', 'imageContentSources'],
    ['4.14.0', 'imageDigestSources'],
  ])('of %s has the mirrors as %s', (openshiftVersion, field) => {
    const mirrors = [{ source: 'quay.io/a', mirrors: ['mirror.lan/a'] }];
    const others = [
      { source: 'ghcr.io', mirrors: [], neverContactSource: true },
      { source: '*.redhat.io', mirrors: ['mirror.lan/redhat'] },
    ];
    const rendered = renderInstallConfig(sampleInstallConfig({ openshiftVersion, mirrors: [...mirrors, ...others] }));
    expect(rendered[field]).toEqual(mirrors);
  });
});

describe('override of the install-config', () => {
  const overridden = (override: unknown, changes: Partial<InstallConfigInput> = {}) =>
    composeInstallConfig(sampleInstallConfig({ ...changes, overrides: JSON.stringify(override) }));
  const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

  it('replaces fields, and merges lists by index', () => {
    const composed = overridden({
      fips: true,
      networking: { networkType: 'Cilium', machineNetwork: [{ cidr: '10.0.0.0/24' }] },
      compute: [{ hyperthreading: 'Disabled' }],
      capabilities: { baselineCapabilitySet: 'None', additionalEnabledCapabilities: ['Console'] },
    });
    expect(composed).toMatchObject({
      kind: 'composed',
      problems: [],
      config: {
        fips: true,
        metadata: { name: 'demo' },
        networking: {
          networkType: 'Cilium',
          serviceNetwork: ['172.30.0.0/16'],
          machineNetwork: [{ cidr: '10.0.0.0/24' }],
        },
        compute: [{ name: 'worker', replicas: 2, hyperthreading: 'Disabled' }],
        capabilities: { baselineCapabilitySet: 'None' },
      },
    });
  });

  it('shortens a list to its own length', () => {
    const clusterNetworks = [
      { cidr: '10.128.0.0/14', hostPrefix: 23 },
      { cidr: 'fd01::/48', hostPrefix: 64 },
    ];
    expect(overridden({ networking: { clusterNetwork: [{ hostPrefix: 24 }] } }, { clusterNetworks })).toMatchObject({
      config: { networking: { clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 24 }] } },
    });
  });

  it('finds the names of fields in any case, as Go does, but not in labels and platforms', () => {
    const override = {
      ImageDigestSources: [{ Source: 'quay.io/a', Mirrors: ['mirror.example.com/a'] }],
      bootstrapinplace: { InstallationDisk: '/dev/sdb' },
      Networking: { ClusterNetworkMTU: 1_400 },
      Metadata: { Labels: { Tier: 'gold', tier: 'silver' } },
      Platform: { Baremetal: { APIVIPs: ['10.0.0.5'] } },
    };
    expect(parseInstallConfigOverride(JSON.stringify(override))).toEqual({
      kind: 'parsed',
      override: {
        imageDigestSources: [{ source: 'quay.io/a', mirrors: ['mirror.example.com/a'] }],
        bootstrapInPlace: { installationDisk: '/dev/sdb' },
        networking: { clusterNetworkMTU: 1_400 },
        metadata: { labels: { Tier: 'gold', tier: 'silver' } },
        platform: { baremetal: { APIVIPs: ['10.0.0.5'] } },
      },
    });
    expect(overridden({ BootstrapInPlace: override.bootstrapinplace })).toMatchObject({
      config: { bootstrapInPlace: { installationDisk: '/dev/sdb' } },
    });
  });

  it('joins fields that are given in several cases', () => {
    const text = '{"FIPS":true,"fips":false,"networking":{"networkType":"A"},"Networking":{"clusterNetworkMTU":9000}}';
    const override = { fips: false, networking: { networkType: 'A', clusterNetworkMTU: 9_000 } };
    expect(parseInstallConfigOverride(text)).toEqual({ kind: 'parsed', override });
  });

  it('adds certificates to the trust bundle, without the text between them', () => {
    const composed = overridden(
      { additionalTrustBundle: `# Corporate Root CA\n${CERTIFICATE}\n# end` },
      { additionalTrustBundle: `subject=CN = b\n${CERTIFICATE.replace('AAAA', 'BBBB')}\n${CERTIFICATE}\n` },
    );
    expect(composed.kind === 'composed' && composed.config['additionalTrustBundle']).toBe(
      `${CERTIFICATE}\n${CERTIFICATE.replace('AAAA', 'BBBB')}\n`,
    );
  });

  it.each([
    ['{"pullSecret": hunter2}', "it is not JSON: Unexpected token 'h'."],
    ['[]', 'it must be a JSON object'],
    ['{"fip":true}', 'fip is not a known field. Known fields: apiVersion'],
    ['{"networking":{"cidr":"10.0.0.0/8"}}', 'networking.cidr is not a known field'],
    [
      '{"networking":{"machineNetwork":[{"cidr":"10.0.0.0"}]}}',
      'networking.machineNetwork[0].cidr must be a network such as 192.168.0.0/24 or fd00::/64, not "10.0.0.0"',
    ],
    ['{"additionalTrustBundle":"x"}', 'PEM certificates: it contains no PEM block'],
    [JSON.stringify({ additionalTrustBundle: CERTIFICATE }), 'PEM certificates: PEM block 1 of 1 cannot be read'],
    [`{"platform":{"none":${'['.repeat(60)}${']'.repeat(60)}}}`, 'nested more than 32 levels'],
    [`"${'x'.repeat(1_048_576)}"`, 'characters. Allowed: at most'],
  ])('is refused with the name of the field: %#', (text, reason) => {
    const parsed = checkInstallConfigOverride(text);
    expect(parsed).toMatchObject({ kind: 'refused' });
    expect(parsed.kind === 'refused' && parsed.reason).toContain(reason);
  });

  it('without content changes nothing', () => {
    expect(composeInstallConfig(sampleInstallConfig())).toMatchObject({
      config: renderInstallConfig(sampleInstallConfig()),
    });
  });

  it('is merged or refused without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(['composed', 'refused']).toContain(overridden(value).kind);
        expect(['composed', 'refused']).toContain(overridden({ networking: value, compute: value, fips: value }).kind);
      }),
    );
  });

  it('does not hide that a machine has no address in a machine network', () => {
    const hosts = [host('a', 'master', { bootMacAddress: '' })];
    expect(composeInstallConfig(sampleInstallConfig({ hosts }))).toMatchObject({
      problems: ['Host a has no interface with an address in a machine network. Add an address and install again.'],
    });
  });
});
