import { readInstallConfigOverrides } from '../operators';
import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, clusterIn, refusalOf, registration, revise, when } from '../cluster.fixture.spec';
import { clusterDecider } from '../decider';
import { initialClusterState } from '../state';
import { brokenInputRule, CLUSTER_INPUT_RULES } from './input';

type Settings = Plain<ClusterSettings>;
const list = (...items: string[]): { items: string[] } => ({ items });
const operators = (...names: string[]): Settings['olmOperators'] => ({
  items: names.map((name) => ({ name, properties: '', sourceBundles: [] })),
});
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f me@home';
const CREATE_ACCEPTED: readonly (readonly [string, Settings])[] = [
  ['only a name and a version', {}],
  ['a name of one letter', { name: 'a' }],
  ['dots in the name on platform none', { name: 'a.b', platformType: 'none' }],
  ['a single node', { controlPlaneCount: 1 }],
  ['a single node with VIPs', { controlPlaneCount: 1, apiVips: list('192.168.1.5'), ingressVips: list('192.168.1.5') }],
  ['a single node set by high_availability_mode', { highAvailabilityMode: 'None' }],
  ['five control plane hosts from 4.18', { controlPlaneCount: 5 }],
  ['two control plane hosts from 4.19', { controlPlaneCount: 2, openshiftVersion: '4.19.0' }],
  ['an API VIP and an ingress VIP', { apiVips: list('192.168.1.5'), ingressVips: list('192.168.1.6') }],
  ['VIPs of both families', { apiVips: list('192.168.1.5', 'fd00::5'), ingressVips: list('192.168.1.6', 'fd00::6') }],
  [
    'one address for both VIPs with a user-managed load balancer',
    {
      loadBalancerType: 'user-managed',
      apiVips: list('192.168.1.5'),
      ingressVips: list('192.168.1.5'),
    },
  ],
  [
    'IPv6 networks',
    {
      clusterNetworks: { items: [{ cidr: 'fd01::/48', hostPrefix: 64 }] },
      serviceNetworks: list('fd02::/112'),
    },
  ],
  ['a proxy with credentials', { proxy: { httpProxy: 'http://me:secret@proxy.example.com:3128' } }],
  ['a public key with a comment', { sshPublicKey: `${KEY}\n${KEY}\n` }],
  ['TPM encryption for two roles', { diskEncryption: { enable_on: 'masters,workers', mode: 'tpmv2' } }],
];
const CREATE_REFUSED: readonly (readonly [string, Settings, string])[] = [
  ['name-usable', { name: 'Prod' }, 'name'],
  ['name-usable', { name: 'a.b' }, 'name'],
  ['name-usable', { name: '-a' }, 'name'],
  ['name-usable', { name: 'a'.repeat(55) }, 'name'],
  ['base-domain-is-dns-name', { baseDnsDomain: 'exa mple' }, 'base_dns_domain'],
  ['version-readable', { openshiftVersion: 'newest' }, 'openshift_version'],
  ['release-image-readable', { ocpReleaseImage: '--to=/etc' }, 'ocp_release_image'],
  ['ssh-key-readable', { sshPublicKey: 'my key' }, 'ssh_public_key'],
  ['http-proxy-is-url', { proxy: { httpProxy: 'https://proxy.example.com' } }, 'http_proxy'],
  ['https-proxy-is-url', { proxy: { httpsProxy: 'proxy.example.com' } }, 'https_proxy'],
  ['no-proxy-names-places', { proxy: { noProxy: 'a.example.com,not a name' } }, 'no_proxy'],
  ['only-ntp-sources-are-hosts', { ntpSources: 'pool.ntp.org,not a host' }, 'ntp_sources'],
  ['one-way-to-name-ntp-sources', { ntpSources: 'a.example.com', additionalNtpSource: 'b.example.com' }, 'ntp_sources'],
  ['ntp-sources-are-hosts', { additionalNtpSource: 'pool.ntp.org,not a host' }, 'additional_ntp_source'],
  ['tags-are-words', { tags: 'a,,b' }, 'tags'],
  ['api-name-of-day-2-only', { apiVipDnsName: 'api.example.com' }, 'api_vip_dns_name'],
  ['ignition-endpoint-usable', { ignitionEndpoint: { url: 'api' } }, 'ignition_endpoint.url'],
  ['cpu-architecture-known', { cpuArchitecture: 'vax' }, 'cpu_architecture'],
  ['high-availability-mode-known', { highAvailabilityMode: 'Half' }, 'high_availability_mode'],
  ['network-type-known', { networkType: 'TokenRing' }, 'network_type'],
  ['hyperthreading-known', { hyperthreading: 'some' }, 'hyperthreading'],
  ['platform.type-known', { platformType: 'abacus' }, 'platform.type'],
  ['load-balancer.type-known', { loadBalancerType: 'mine' }, 'load_balancer.type'],
  ['control-plane-count-fits', { controlPlaneCount: 2 }, 'control_plane_count'],
  ['control-plane-count-fits', { controlPlaneCount: 6 }, 'control_plane_count'],
  ['control-plane-count-fits', { controlPlaneCount: 4, openshiftVersion: '4.17.9' }, 'control_plane_count'],
  ['control-plane-count-fits', { controlPlaneCount: 3, highAvailabilityMode: 'None' }, 'control_plane_count'],
  ['control-plane-count-fits', { controlPlaneCount: 1, highAvailabilityMode: 'Full' }, 'control_plane_count'],
  ['single-node-manages-no-network', { controlPlaneCount: 1, userManagedNetworking: false }, 'user_managed_networking'],
  [
    'single-node-has-no-platform',
    { controlPlaneCount: 1, platformType: 'vsphere', userManagedNetworking: true },
    'platform.type',
  ],
  [
    'architecture-has-no-platform',
    { cpuArchitecture: 's390x', platformType: 'baremetal', userManagedNetworking: false },
    'platform.type',
  ],
  [
    'architecture-has-no-platform',
    { cpuArchitecture: 'ppc64le', platformType: 'none', userManagedNetworking: false },
    'user_managed_networking',
  ],
  ['single-node-network-type', { controlPlaneCount: 1, networkType: 'OpenShiftSDN' }, 'network_type'],
  ['platform-fits-networking', { platformType: 'baremetal', userManagedNetworking: true }, 'user_managed_networking'],
  ['platform-fits-networking', { platformType: 'none', userManagedNetworking: false }, 'user_managed_networking'],
  ['platform-fits-networking', { platformType: 'nutanix', userManagedNetworking: true }, 'user_managed_networking'],
  ['load-balancer-fits', { loadBalancerType: 'user-managed', openshiftVersion: '4.15.0' }, 'load_balancer.type'],
  ['load-balancer-fits', { loadBalancerType: 'user-managed', vipDhcpAllocation: true }, 'load_balancer.type'],
  ['disk-encryption-readable', { diskEncryption: { enable_on: 'everything' } }, 'disk_encryption'],
  ['disk-encryption-readable', { diskEncryption: { enable_on: 'all', mode: 'rot13' } }, 'disk_encryption'],
  [
    'cluster-networks-usable',
    { clusterNetworks: { items: [{ cidr: '10.128.0.1/14', hostPrefix: 23 }] } },
    'cluster_networks',
  ],
  [
    'cluster-networks-usable',
    { clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 14 }] } },
    'cluster_networks',
  ],
  [
    'cluster-networks-usable',
    { clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 26 }] } },
    'cluster_networks',
  ],
  ['service-networks-usable', { serviceNetworks: list('172.30.0.0/26') }, 'service_networks'],
  ['service-networks-usable', { serviceNetworks: list('0.0.0.0/0') }, 'service_networks'],
  ['machine-networks-usable', { machineNetworks: list('192.168.1.0/29') }, 'machine_networks'],
  ['machine-networks-usable', { machineNetworks: list('home') }, 'machine_networks'],
  ['machine-networks-usable', { machineNetworks: list('10.0.0.0/16', '10.0.1.0/24') }, 'machine_networks'],
  ['networks-start-with-one-family', { serviceNetworks: list('fd02::/112') }, 'machine_networks'],
  ['vips-not-user-managed', { userManagedNetworking: true, apiVips: list('192.168.1.5') }, 'api_vips'],
  ['vips-not-user-managed', { vipDhcpAllocation: true, apiVips: list('192.168.1.5') }, 'api_vips'],
  ['dhcp-not-user-managed', { vipDhcpAllocation: true, userManagedNetworking: true }, 'vip_dhcp_allocation'],
  ['api-vips-usable', { apiVips: list('192.168.1') }, 'api_vips'],
  ['api-vips-usable', { apiVips: list('192.168.1.5', '192.168.1.6') }, 'api_vips'],
  ['ingress-vips-usable', { ingressVips: list('10.0.0.1', 'fd00::1', 'fd00::2') }, 'ingress_vips'],
  [
    'as-many-api-as-ingress-vips',
    { apiVips: list('10.0.0.1', 'fd00::1'), ingressVips: list('10.0.0.2') },
    'ingress_vips',
  ],
  ['vips-differ', { apiVips: list('fd00::5'), ingressVips: list('fd00:0::5') }, 'ingress_vips'],
  ['vips-start-with-network-family', { apiVips: list('10.0.0.1'), ingressVips: list('fd00::1') }, 'api_vips'],
  ['features-fit-together', { networkType: 'OpenShiftSDN' }, 'network_type'],
  ['features-fit-together', { vipDhcpAllocation: true }, 'vip_dhcp_allocation'],
  ['features-fit-together', { cpuArchitecture: 'arm64', openshiftVersion: '4.9.59' }, 'cpu_architecture'],
  ['features-fit-together', { cpuArchitecture: 'arm64', controlPlaneCount: 5 }, 'control_plane_count'],
  ['features-fit-together', { cpuArchitecture: 'arm64', olmOperators: operators('odf') }, 'olm_operators'],
  ['features-fit-together', { controlPlaneCount: 1, olmOperators: operators('ocs') }, 'control_plane_count'],
  ['features-fit-together', { olmOperators: operators('lvm', 'odf') }, 'olm_operators'],
  ['features-fit-together', { platformType: 'vsphere', controlPlaneCount: 4 }, 'control_plane_count'],
  [
    'features-fit-together',
    {
      platformType: 'external',
      platformDetails: { external: { platform_name: 'oci' } },
      olmOperators: operators('openshift-ai'),
    },
    'platform.external.platform_name',
  ],
];
const REVISE_REFUSED: readonly (readonly [string, Settings, string])[] = [
  ['availability-unchanged', { highAvailabilityMode: 'None' }, 'high_availability_mode'],
  ['machine-networks-follow-vips', { machineNetworks: list('192.168.1.0/24') }, 'machine_networks'],
  ['features-fit-together', { networkType: 'OpenShiftSDN' }, 'network_type'],
];

describe('registration of a cluster', () => {
  it.each(CREATE_ACCEPTED)('is accepted with %s', (_, settings) => {
    expect(clusterDecider.decide(registration(settings), initialClusterState()).kind).toBe('accepted');
  });

  it.each(CREATE_REFUSED)('is refused by rule %s for %j', (id, settings, subject) => {
    const refusal = refusalOf(initialClusterState(), registration(settings));
    expect(refusal).toMatchObject({ code: 'invalid-input', subject });
    expect(brokenInputRule(registration(settings), initialClusterState())?.rule.id).toBe(id);
  });

  it.each([
    [
      { diskEncryption: { enable_on: 'everything' } },
      'disk_encryption.enable_on "everything" is not an allowed value.',
    ],
    [{ diskEncryption: { enable_on: 'all', mode: 7 } }, 'disk_encryption.mode 7 is not an allowed value.'],
    [{ serviceNetworks: list('0.0.0.0/0') }, 'service_networks "0.0.0.0/0" is the unspecified network.'],
  ])('is refused with the value: %j', (settings, reason) => {
    expect(refusalOf(initialClusterState(), registration(settings))?.reason).toContain(reason);
  });

  it('never repeats the password of a proxy in a refusal', () => {
    const settings = { proxy: { httpProxy: 'ftp://me:secret@proxy.example.com' } };
    expect(JSON.stringify(refusalOf(initialClusterState(), registration(settings)))).not.toContain('secret');
  });

  it('has a refused example for every rule', () => {
    const shown = new Set([...CREATE_REFUSED, ...REVISE_REFUSED].map(([id]) => id));
    expect(CLUSTER_INPUT_RULES.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
  });
});

describe('revision of a cluster', () => {
  it.each(REVISE_REFUSED)('is refused by rule %s for %j', (id, changes, subject) => {
    expect(brokenInputRule(revise(changes), clusterIn('ready'))?.rule.id).toBe(id);
    expect(refusalOf(clusterIn('ready'), revise(changes))).toMatchObject({ code: 'invalid-input', subject });
  });

  it('is refused when a new operator does not support the architecture of an image of the cluster', () => {
    const changes = { olmOperators: operators('odf') };
    expect(brokenInputRule(revise(changes), clusterIn('ready'))).toBeUndefined();
    const broken = brokenInputRule(revise(changes, { imageArchitectures: ['x86_64', 'arm64'] }), clusterIn('ready'));
    expect(broken?.broken.reason).toBe(
      'OpenShift Data Foundation cannot be used on architecture arm64 with version 4.18.3.',
    );
  });

  it('accepts an unrelated change of a cluster with an existing conflict', () => {
    const ready = clusterIn('ready');
    const state = { ...ready, settings: { ...ready.settings, networkType: 'OpenShiftSDN' } };
    expect(brokenInputRule(revise({ serviceNetworks: list('172.31.0.0/16') }), state)).toBeUndefined();
    expect(brokenInputRule(revise({ olmOperators: operators('lvm', 'odf') }), state)?.rule.id).toBe(
      'features-fit-together',
    );
  });

  it('does not check feature support for a day-2 cluster', () => {
    const imported = after(
      registration({ apiVipDnsName: 'api.real.example.org' }, { kind: 'AddHostsCluster', imported: true }),
    );
    expect(brokenInputRule(revise({ networkType: 'OpenShiftSDN' }), imported)).toBeUndefined();
  });

  it('stores only the changed fields', () => {
    const { events } = when(clusterIn('ready'), revise({ name: 'prod', hyperthreading: 'none' }));
    expect(events).toEqual([
      { type: 'ClusterSettingsRevised', data: { changes: { hyperthreading: 'none' }, pullSecretReplaced: false } },
    ]);
  });

  it('keeps absent fields and replaces lists', () => {
    const { settings } = when(clusterIn('ready'), revise({ serviceNetworks: list('172.31.0.0/16') })).state;
    expect(settings).toMatchObject({ name: 'prod', serviceNetworks: list('172.31.0.0/16') });
  });

  it('clears additional NTP sources when it sets NTP sources, and the reverse', () => {
    const added = when(clusterIn('ready'), revise({ additionalNtpSource: 'pool.ntp.org' })).state;
    const only = when(added, revise({ ntpSources: '10.0.0.1' })).state;
    expect(only.settings).toMatchObject({ ntpSources: '10.0.0.1', additionalNtpSource: '' });
    expect(when(only, revise({ additionalNtpSource: 'pool.ntp.org' })).state.settings).toMatchObject({
      ntpSources: '',
      additionalNtpSource: 'pool.ntp.org',
    });
  });

  it('accepts a machine network for a single node', () => {
    const single = after(registration({ controlPlaneCount: 1 }));
    const { settings } = when(single, revise({ machineNetworks: list('192.168.1.0/24') })).state;
    expect(settings.machineNetworks).toEqual(list('192.168.1.0/24'));
  });

  it('stores an event when it replaces the pull secret and changes nothing else', () => {
    expect(when(clusterIn('ready'), revise({}, { pullSecretReplaced: true })).events).toHaveLength(1);
  });

  it('removes the console from the monitored operators when overrides omit the console', () => {
    const overrides = (omitsConsole: boolean, digest: string) =>
      revise({ installConfigOverrides: { document: { digest, bytes: 2 }, omitsConsole, isFips: false } });
    const { state } = when(clusterIn('ready'), overrides(true, 'one'));
    expect(state.operators).toEqual([]);
    expect(when(state, overrides(false, 'two')).state.operators.map(({ name }) => name)).toEqual(['console']);
  });

  it.each([
    ['4.11.9', ['console']],
    ['4.12.0', []],
  ])('monitors the console of %s, where overrides omit it: %j', (openshiftVersion, names) => {
    const document = { digest: 'one', bytes: 2 };
    const overrides = revise({ installConfigOverrides: { document, omitsConsole: true, isFips: false } });
    const { state } = when(after(registration({ openshiftVersion })), overrides);
    expect(state.operators.map(({ name }) => name)).toEqual(names);
  });

  it.each([
    [{ capabilities: { baselineCapabilitySet: 'None' } }, true, false],
    [{ capabilities: { baselineCapabilitySet: 'None', additionalEnabledCapabilities: ['Console'] } }, false, false],
    [{ capabilities: { baselineCapabilitySet: 'v4.11' } }, true, false],
    [{ capabilities: { baselineCapabilitySet: 'v4.11', additionalEnabledCapabilities: ['Console'] } }, false, false],
    [{ capabilities: { baselineCapabilitySet: 'v4.12' } }, false, false],
    [{ capabilities: { baselineCapabilitySet: 'vCurrent' }, fips: true }, false, true],
    [{}, false, false],
  ])('stores whether overrides omit the console and set FIPS: %j', (overrides, omitsConsole, isFips) => {
    expect(readInstallConfigOverrides(JSON.stringify(overrides))).toEqual({ kind: 'read', omitsConsole, isFips });
  });

  it.each([
    [{ networking: { networkType: 'Cilium' } }, 'Cilium'],
    [{ networking: { networkType: 'x'.repeat(1_000) } }, 'x'.repeat(64)],
    [{ networking: { clusterNetworkMTU: 1_400 } }, undefined],
  ])('stores the network type of overrides: %j', (overrides, networkType) => {
    expect(readInstallConfigOverrides(JSON.stringify(overrides))).toHaveProperty('networkType', networkType);
  });

  it('refuses overrides that are not a JSON object', () => {
    expect(readInstallConfigOverrides('[]')).toMatchObject({ kind: 'refused' });
  });
});
