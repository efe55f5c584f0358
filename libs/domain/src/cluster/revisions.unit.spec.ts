import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, operator, refusalOf, registration, revise, when } from './cluster.fixture.spec';
import type { ReviseCluster } from './commands';
import { revisionOf } from './settings';
import type { ClusterState } from './state';

type Settings = Plain<ClusterSettings>;

const list = (...items: string[]): { items: string[] } => ({ items });
const document = { digest: 'one', bytes: 2 };
const overrides = { document, omitsConsole: false, isFips: false };
const chosen = (...names: string[]): Settings => ({
  olmOperators: { items: names.map((name) => ({ name, properties: '', sourceBundles: [] })) },
});
const kindOf = (state: ClusterState, changes: Settings, more: Partial<ReviseCluster> = {}) =>
  revisionOf(state, revise(changes, more), false).kind;

describe('the kind of a revision', () => {
  const cluster = after(registration());

  it.each<readonly [string, Settings, Partial<ReviseCluster>, ReturnType<typeof kindOf>]>([
    ['without a change', { name: 'prod' }, {}, 'none'],
    ['of the pull secret', { name: 'prod' }, { pullSecretReplaced: true }, 'settings'],
    ['of the monitored operators', {}, { olmOperators: [operator('lso', 'olm')] }, 'settings'],
    ['of a setting', { name: 'other' }, {}, 'settings'],
    ['of the console', { uiSettings: document }, {}, 'any-time'],
    ['of the overrides', { installConfigOverrides: overrides }, {}, 'any-time'],
    ['of the console and the pull secret', { uiSettings: document }, { pullSecretReplaced: true }, 'settings'],
    ['of the console and a setting', { uiSettings: document, name: 'other' }, {}, 'settings'],
    ['of ignored validations', { ignoredHostValidations: list('all') }, {}, 'ignored-validations'],
    [
      'of ignored validations and their reason',
      { ignoredClusterValidations: list('all'), ignoredValidationsReason: 'lab' },
      {},
      'ignored-validations',
    ],
    [
      'of ignored validations and the console',
      { ignoredHostValidations: list('all'), uiSettings: document },
      {},
      'settings',
    ],
  ])('%s', (_case, changes, more, kind) => {
    expect(kindOf(cluster, changes, more)).toBe(kind);
  });
});

describe('the monitored operators after a revision', () => {
  const reported = { status: 'available', statusInfo: 'runs', version: '1.2.3' };
  const cluster = after(registration(chosen('lso'), { olmOperators: [operator('lso', 'olm')] }));
  const withReports: ClusterState = {
    ...cluster,
    operators: cluster.operators.map((one) => ({ ...one, ...reported })),
  };
  const namesAfter = (state: ClusterState, changes: Settings, more: Partial<ReviseCluster> = {}) =>
    revisionOf(state, revise(changes, more), false).operators?.map(({ name }) => name);

  it('are those of the request, and reports of the ones that stay are kept', () => {
    const olmOperators = [operator('lso', 'olm'), operator('cnv', 'olm')];
    const { operators } = revisionOf(withReports, revise(chosen('lso', 'cnv'), { olmOperators }), false);
    expect(operators?.map(({ name, status, version }) => [name, status, version])).toEqual([
      ['console', 'available', '1.2.3'],
      ['lso', 'available', '1.2.3'],
      ['cnv', '', ''],
    ]);
  });

  it('do not change with the same operators, and with settings that do not concern them', () => {
    expect(namesAfter(cluster, chosen('lso'), { olmOperators: [operator('lso', 'olm')] })).toBeUndefined();
    expect(namesAfter(cluster, { name: 'other' })).toBeUndefined();
    expect(namesAfter(cluster, { installConfigOverrides: overrides })).toBeUndefined();
  });

  it('keep the selected ones when overrides omit the console', () => {
    expect(namesAfter(cluster, { installConfigOverrides: { ...overrides, omitsConsole: true } })).toEqual(['lso']);
  });

  it('follow another version, which may be without a console', () => {
    const omitting = { installConfigOverrides: { ...overrides, omitsConsole: true } };
    const old = after(registration({ openshiftVersion: '4.11.3', ...omitting }));
    expect(old.operators.map(({ name }) => name)).toEqual(['console']);
    expect(namesAfter(old, { openshiftVersion: '4.12.0' })).toEqual([]);
  });

  it.each(['pending-for-input', 'insufficient', 'ready'] as const)('may change in status %s', (status) => {
    expect(namesAfter({ ...cluster, status }, chosen(), { olmOperators: [] })).toEqual(['console']);
  });

  it.each(['preparing-for-installation', 'installing', 'installed', 'adding-hosts', 'error'] as const)(
    'do not change in status %s',
    (status) => {
      expect(namesAfter({ ...cluster, status }, chosen(), { olmOperators: [] })).toBeUndefined();
      const changes = { installConfigOverrides: { ...overrides, omitsConsole: true } };
      expect(namesAfter({ ...cluster, status }, changes)).toBeUndefined();
    },
  );
});

describe('a revision that sets the present networking again', () => {
  const machineNetworks = list('192.0.2.0/24');

  it.each<readonly [string, Settings]>([
    ['user-managed networking', { userManagedNetworking: true }],
    ['the platform without integration', { platformType: 'none' }],
    ['both', { userManagedNetworking: true, platformType: 'none' }],
  ])('keeps the machine networks with %s', (_case, changes) => {
    const cluster = after(registration({ platformType: 'none', machineNetworks }));
    expect(cluster.settings).toMatchObject({ userManagedNetworking: true, machineNetworks });
    expect(revisionOf(cluster, revise({ ...changes, name: 'other' }), false).changes).toEqual({
      name: 'other',
    });
  });

  it.each<readonly [string, Settings]>([
    ['cluster-managed networking', { userManagedNetworking: false }],
    ['its platform', { platformType: 'baremetal' }],
    ['no allocation of VIPs', { vipDhcpAllocation: false }],
    ['the load balancer of the cluster', { loadBalancerType: 'cluster-managed' }],
  ])('keeps the VIPs with %s', (_case, changes) => {
    const vips = { apiVips: list('192.0.2.5'), ingressVips: list('192.0.2.6') };
    const cluster = after(registration({ ...vips, machineNetworks }));
    expect(revisionOf(cluster, revise({ ...changes, name: 'other' }), false).changes).toEqual({ name: 'other' });
  });

  it('keeps the machine network of a second address family, which has no VIP', () => {
    const clusterNetworks = {
      items: [
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
        { cidr: 'fd01::/48', hostPrefix: 64 },
      ],
    };
    const dual = { clusterNetworks, serviceNetworks: list('172.30.0.0/16', 'fd02::/112') };
    const networks = list('192.0.2.0/24', 'fd00::/64');
    const cluster = after(registration({ ...dual, machineNetworks: networks, apiVips: list('192.0.2.5') }));
    const changes = { userManagedNetworking: false, vipDhcpAllocation: false, loadBalancerType: 'cluster-managed' };
    expect(revisionOf(cluster, revise({ ...changes, name: 'other' }), false).changes).toEqual({ name: 'other' });
  });

  it('keeps the networks of a day-2 cluster, which has no allocation of VIPs', () => {
    const imported = after(
      registration({ apiVipDnsName: 'api.prod.example.com' }, { kind: 'AddHostsCluster', imported: true }),
    );
    const cluster = { ...imported, settings: { ...imported.settings, machineNetworks } };
    expect(revisionOf(cluster, revise({ vipDhcpAllocation: false }), false).changes).toEqual({
      vipDhcpAllocation: false,
    });
  });

  it('clears the VIPs when DHCP allocates them from now on', () => {
    const cluster = after(
      registration({ apiVips: list('192.0.2.5'), ingressVips: list('192.0.2.6'), machineNetworks }),
    );
    const changes = { userManagedNetworking: false, platformType: 'baremetal', vipDhcpAllocation: true };
    expect(revisionOf(cluster, revise(changes), false).changes).toEqual({
      vipDhcpAllocation: true,
      apiVips: list(),
      ingressVips: list(),
      machineNetworks: list(),
    });
  });

  it('of vSphere with user-managed networking keeps the platform', () => {
    const cluster = after(registration({ platformType: 'vsphere' }));
    const { changes } = revisionOf(cluster, revise({ userManagedNetworking: true }), false);
    expect(changes).toEqual({ userManagedNetworking: true });
    const managed = after(registration({ platformType: 'vsphere', userManagedNetworking: true }));
    expect(revisionOf(managed, revise({ userManagedNetworking: false }), false).changes).toEqual({
      userManagedNetworking: false,
    });
  });
});

describe('machine networks that a user sets after the registration', () => {
  const withSdn = { openshiftVersion: '4.14.1', networkType: 'OpenShiftSDN' };
  const machineNetworks = list('192.0.2.0/24');

  it.each<readonly [string, ClusterState]>([
    ['DHCP allocates the VIPs', after(registration({ ...withSdn, vipDhcpAllocation: true }))],
    ['the user manages the networking', after(registration({ platformType: 'none' }))],
    ['the user manages the load balancer', after(registration({ loadBalancerType: 'user-managed' }))],
    ['the cluster is installed', after(registration({}, { kind: 'AddHostsCluster', imported: true }))],
  ])('are accepted when %s', (_case, cluster) => {
    expect(when(cluster, revise({ machineNetworks })).state.settings).toMatchObject({ machineNetworks });
  });

  it('replace those of a dual-stack cluster, also when each of these contains its VIP', () => {
    const clusterNetworks = {
      items: [
        { cidr: '10.128.0.0/14', hostPrefix: 23 },
        { cidr: 'fd01::/48', hostPrefix: 64 },
      ],
    };
    const dual = { clusterNetworks, serviceNetworks: list('172.30.0.0/16', 'fd02::/112') };
    const vips = { apiVips: list('192.0.2.5', 'fd00::5'), ingressVips: list('192.0.2.6', 'fd00::6') };
    const cluster = after(registration({ ...dual, ...vips, machineNetworks: list('192.0.2.0/24', 'fd00::/64') }));
    const wider = list('192.0.2.0/23', 'fd00::/60');
    expect(when(cluster, revise({ machineNetworks: wider })).state.settings.machineNetworks).toEqual(wider);
  });

  it.each<readonly [string, Settings]>([
    ['API', { apiVips: list('192.0.2.5') }],
    ['ingress', { ingressVips: list('192.0.2.6') }],
  ])('stay with an empty list when they contain the only VIP, of the %s', (_case, vip) => {
    const cluster = after(registration({ ...vip, machineNetworks }));
    expect(revisionOf(cluster, revise({ machineNetworks: list() }), false).changes).toEqual({});
  });

  it('are refused when the VIPs determine them', () => {
    expect(refusalOf(after(registration()), revise({ machineNetworks }))).toMatchObject({
      subject: 'machine_networks',
    });
  });
});
