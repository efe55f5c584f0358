import type { Route } from '../hardware/hardware';
import { controlPlaneCountOf, NO_CLUSTER, supportsArbiters, toClusterSettingsFacts } from './cluster-settings.facts';
import { decisiveVersion, effectiveRole, isAfterReboot, SERVICE_DEFAULTS } from './host.facts';
import { areNetworksAbandoned, defaultRoutes, deriveMachineNetworks } from './machine-networks';
import { sampleHardware, sampleNic, sampleSettings } from './sample.facts';

const route = (changes: Partial<Route>): Route => ({
  interface: 'ens3',
  gateway: '192.168.128.1',
  destination: '0.0.0.0',
  family: 2,
  metric: 100,
  ...changes,
});
const gateways = (routes: readonly Route[], family?: 4 | 6): string[] =>
  defaultRoutes(sampleHardware({ routes: [...routes] }), family).map(({ gateway }) => gateway);
const host = (...addresses: readonly string[]) =>
  sampleHardware({ nics: addresses.map((address, at) => sampleNic({ name: `ens${at}`, ipv4Addresses: [address] })) });

describe('the default routes', () => {
  it('begin with the lowest metric', () => {
    const routes = [route({ gateway: '10.0.0.3', metric: 300 }), route({ gateway: '10.0.0.1', metric: 0 }), route({})];
    expect(gateways(routes)).toEqual(['10.0.0.1', '192.168.128.1', '10.0.0.3']);
  });

  it.each([
    ['another destination', { destination: '10.88.0.0' }],
    ['no destination', { destination: '' }],
    ['no gateway', { gateway: '' }],
    ['an unspecified gateway', { gateway: '0.0.0.0' }],
  ])('do not include a route with %s', (_case, changes) => {
    expect(gateways([route(changes)])).toEqual([]);
  });

  it('may be of one family', () => {
    const routes = [route({}), route({ destination: '::', gateway: 'fe80::1', family: 10 })];
    expect([gateways(routes, 4), gateways(routes, 6), gateways(routes)]).toEqual([
      ['192.168.128.1'],
      ['fe80::1'],
      ['192.168.128.1', 'fe80::1'],
    ]);
  });
});

describe('derived machine networks', () => {
  it('do not change while they are the same', () => {
    const single = sampleSettings({ vipDhcpAllocation: true, machineNetworks: ['10.0.0.0/24'] });
    expect(deriveMachineNetworks(single, [host('10.0.0.5/24')])).toBeUndefined();
    expect(deriveMachineNetworks(single, [host('10.0.1.5/24')])).toEqual(['10.0.1.0/24']);
    expect(deriveMachineNetworks(single, [host('10.0.0.5/24', '10.0.1.5/24')])).toBeUndefined();
  });

  it('are in use while one host has an address in one of them', () => {
    const two = sampleSettings({
      apiVips: ['10.0.0.9', 'fd00::9'],
      machineNetworks: ['10.0.0.0/24', '10.0.1.0/24'],
    });
    expect(areNetworksAbandoned(two, [host('10.9.0.5/24'), host('10.9.0.6/24', '10.0.1.5/24')])).toBe(false);
    expect(areNetworksAbandoned(two, [host('10.9.0.5/24'), host('10.9.0.6/24')])).toBe(true);
  });
});

describe('the facts of a host', () => {
  it.each([
    ['Starting installation', false],
    ['Writing image to disk', false],
    ['Waiting for controller', false],
    ['Rebooting', true],
    ['Waiting for ignition', true],
    ['Configuring', true],
    ['Joined', true],
    ['Done', true],
  ])('after the reboot in stage %s: %s', (stage, isAfter) => {
    expect(isAfterReboot(stage)).toBe(isAfter);
  });

  it.each([
    ['Host', '4.18', '4.16', '4.18'],
    ['Host', '', '4.16', '4.16'],
    ['AddToExistingClusterHost', '4.18', '4.16', '4.16'],
    ['AddToExistingClusterHost', '4.18', '', '4.18'],
    ['AddToExistingClusterHost', '', '', ''],
  ])('of kind %s in a cluster of "%s" with an image of "%s" have version "%s"', (kind, own, image, version) => {
    expect(decisiveVersion(kind, own, image)).toBe(version);
  });

  it.each([
    ['auto-assign', 'worker', 'worker'],
    ['auto-assign', '', 'auto-assign'],
    ['master', 'worker', 'master'],
  ])('have for role %s and suggestion "%s" the role %s', (role, suggestedRole, effective) => {
    expect(effectiveRole(role, suggestedRole)).toBe(effective);
  });

  it('have a policy in which a single node resolves no names itself', () => {
    expect(SERVICE_DEFAULTS).toMatchObject({ singleNodeDnsmasq: false, agentImage: '' });
  });
});

describe('the facts of a cluster', () => {
  const registered = { kind: 'Cluster', imported: false, pullSecretSet: true };

  it('have defaults for all settings', () => {
    expect(toClusterSettingsFacts({ ...registered, pullSecretSet: false, settings: {} })).toEqual({
      ...NO_CLUSTER,
      controlPlaneCount: 3,
      ignoredHostRules: [],
      ignoredClusterRules: [],
    });
    expect(NO_CLUSTER).toMatchObject({
      kind: 'Cluster',
      loadBalancerType: 'cluster-managed',
      pullSecretSet: false,
      schedulableMasters: false,
      userManagedNetworking: false,
      hasCustomManifest: false,
    });
  });

  it('are read from the settings', () => {
    const settings = {
      diskEncryption: { enable_on: 'masters', mode: 'tang' },
      schedulableMasters: true,
      userManagedNetworking: true,
      loadBalancerType: 'user-managed',
      controlPlaneCount: 5,
    };
    expect(toClusterSettingsFacts({ ...registered, settings }, { hasCustomManifest: true })).toMatchObject({
      diskEncryption: { enableOn: 'masters', mode: 'tang' },
      schedulableMasters: true,
      userManagedNetworking: true,
      loadBalancerType: 'user-managed',
      controlPlaneCount: 5,
      pullSecretSet: true,
      hasCustomManifest: true,
    });
  });

  it('contain the operators on which a selected one depends, on a single node others than on several', () => {
    const operators = (controlPlaneCount: number) =>
      toClusterSettingsFacts({
        ...registered,
        settings: { controlPlaneCount, olmOperators: { items: [{ name: 'openshift-ai' }] } },
      } as Parameters<typeof toClusterSettingsFacts>[0]).operators;
    expect([operators(1), operators(3)]).toEqual([['lvm', 'openshift-ai'], ['openshift-ai']]);
  });

  it('have three control plane hosts when the settings do not tell', () => {
    expect([
      controlPlaneCountOf(undefined),
      controlPlaneCountOf({}),
      controlPlaneCountOf({ controlPlaneCount: 1 }),
    ]).toEqual([3, 3, 1]);
  });

  it.each([
    ['baremetal', '4.19', true],
    ['none', '4.21', false],
    ['none', '4.22', true],
    ['vsphere', '4.22', false],
    ['external', '4.22', false],
  ])('on platform %s in %s allow an arbiter: %s', (platformType, openshiftVersion, isAllowed) => {
    expect(supportsArbiters(sampleSettings({ platformType, openshiftVersion }))).toBe(isAllowed);
  });
});
