import type { FeatureFacts, FeatureId } from '../feature';
import { excludedBy } from '../levels/support-levels';
import { activeFeatures, checkFeatures, describeConflict, type FeaturePlace, fieldOfConflict } from './check-features';
import { featureOf } from './feature.table';

const PLACE: FeaturePlace = { version: '4.18.52', architecture: 'x86_64' };
const METAL: FeatureFacts = {
  controlPlaneCount: 3,
  userManagedNetworking: false,
  platformType: 'baremetal',
  networkType: 'OVNKubernetes',
  loadBalancerType: 'cluster-managed',
};
const SINGLE: FeatureFacts = { ...METAL, controlPlaneCount: 1, userManagedNetworking: true, platformType: 'none' };

const ids = (facts: FeatureFacts): string[] => activeFeatures(facts).map(({ id }) => id);
const sentences = (facts: FeatureFacts, place: Partial<FeaturePlace> = {}): string[] =>
  checkFeatures(facts, { ...PLACE, ...place }).map((conflict) => describeConflict(conflict, { ...PLACE, ...place }));

describe('active features', () => {
  it('are found for a cluster with default settings', () => {
    expect(ids(METAL)).toEqual(['CLUSTER_MANAGED_NETWORKING', 'OVN_NETWORK_TYPE', 'BAREMETAL_PLATFORM']);
  });

  it('are empty for unknown inputs', () => {
    expect(ids({})).toEqual([]);
  });

  it.each<[string, FeatureFacts]>([
    ['SNO', { controlPlaneCount: 1 }],
    ['NON_STANDARD_HA_CONTROL_PLANE', { controlPlaneCount: 5 }],
    ['TNA', { controlPlaneHosts: [{ role: 'arbiter', hasFencingCredentials: false }] }],
    [
      'TNF',
      {
        controlPlaneCount: 2,
        controlPlaneHosts: [
          { role: 'master', hasFencingCredentials: true },
          { role: 'master', hasFencingCredentials: true },
        ],
      },
    ],
    ['MINIMAL_ISO', { imageType: 'minimal-iso' }],
    ['FULL_ISO', { imageType: 'full-iso' }],
    ['VIP_AUTO_ALLOC', { vipDhcpAllocation: true }],
    ['USER_MANAGED_NETWORKING', { userManagedNetworking: true }],
    ['USER_MANAGED_LOAD_BALANCER', { loadBalancerType: 'user-managed' }],
    ['DUAL_STACK', { machineNetworks: ['10.0.0.0/24', 'fd00::/64'] }],
    ['DUAL_STACK_PRIMARY_IPV6', { machineNetworks: ['fd00::/64', '10.0.0.0/24'] }],
    ['DUAL_STACK_VIPS', { apiVips: ['10.0.0.5', 'fd00::5'] }],
    ['CALICO_NETWORK_TYPE', { networkType: 'Calico' }],
    ['EXTERNAL_PLATFORM_OCI', { platformType: 'external', externalPlatformName: 'oci' }],
    ['EXTERNAL_PLATFORM', { platformType: 'external', externalPlatformName: 'oci' }],
    ['ODF', { operators: ['ocs'] }],
    ['MTV', { operators: ['mtv', 'cnv'] }],
  ])('contain %s for %j', (id, facts) => {
    expect(ids(facts)).toContain(id);
  });

  it.each<[string, FeatureFacts]>([
    ['DUAL_STACK', { machineNetworks: ['fd00::/64'], clusterNetworks: ['fd01::/48'] }],
    ['DUAL_STACK_PRIMARY_IPV6', { machineNetworks: ['10.0.0.0/24', 'fd00::/64'] }],
    ['DUAL_STACK_PRIMARY_IPV6', { machineNetworks: ['fd00::/64'] }],
    ['EXTERNAL_PLATFORM_OCI', { platformType: 'none', externalPlatformName: 'oci' }],
    ['MTV', { operators: ['mtv'] }],
    ['CLUSTER_MANAGED_NETWORKING', {}],
    [
      'TNF',
      {
        controlPlaneCount: 2,
        controlPlaneHosts: [
          { role: 'master', hasFencingCredentials: true },
          { role: 'master', hasFencingCredentials: false },
        ],
      },
    ],
  ])('do not contain %s for %j', (id, facts) => {
    expect(ids(facts)).not.toContain(id);
  });
});

describe('combination of features', () => {
  it.each<[string, FeatureFacts, Partial<FeaturePlace>]>([
    ['a cluster with default settings', METAL, {}],
    ['a single node', SINGLE, {}],
    [
      'a cluster of an old version with default settings',
      { ...METAL, networkType: 'OpenShiftSDN' },
      { version: '4.11.59' },
    ],
    ['any feature on an unknown architecture', { ...METAL, networkType: 'OpenShiftSDN' }, { architecture: '' }],
    ['any feature of an unknown version', { ...METAL, controlPlaneCount: 5 }, { version: '' }],
    ['several architectures', METAL, { architecture: 'multi' }],
  ])('has no conflict for %s', (_name, facts, place) => {
    expect(sentences(facts, place)).toEqual([]);
  });

  it.each<[string, FeatureFacts, Partial<FeaturePlace>]>([
    ['Version 4.11.59 does not exist for architecture s390x.', SINGLE, { version: '4.11.59', architecture: 's390x' }],
    [
      'Cluster Managed Networking cannot be used on architecture s390x with version 4.18.52.',
      METAL,
      { architecture: 's390x' },
    ],
    ['Openshift SDN cannot be used with version 4.18.52.', { ...METAL, networkType: 'OpenShiftSDN' }, {}],
    [
      'Single Node OpenShift cannot be used together with OpenShift Data Foundation.',
      { ...SINGLE, operators: ['odf', 'lso'] },
      {},
    ],
    [
      'Cluster Managed Networking cannot be used together with Logical Volume Management.',
      { ...METAL, operators: ['lvm'] },
      { version: '4.14.38' },
    ],
    [
      'Full ISO cannot be used together with Oracle Cloud Infrastructure external platform.',
      { imageType: 'full-iso', platformType: 'external', externalPlatformName: 'oci' },
      {},
    ],
  ])('has the conflict: %s', (sentence, facts, place) => {
    expect(sentences(facts, place)).toContain(sentence);
  });

  const DUAL_STACK = { machineNetworks: ['10.0.0.0/24', 'fd00::/64'] };
  const IPV6_FIRST = { machineNetworks: ['fd00::/64', '10.0.0.0/24'] };
  const ARBITER = { role: 'arbiter', hasFencingCredentials: false } as const;
  it.each<[string, FeatureFacts, string, string]>([
    ['LVM with several hosts', { ...METAL, operators: ['lvm'] }, '4.14.38', '4.15.1'],
    ['dual-stack on vSphere', { ...METAL, platformType: 'vsphere', ...DUAL_STACK }, '4.12.9', '4.13.0'],
    ['an IPv6-first single node', { ...SINGLE, ...IPV6_FIRST }, '4.18.52', '4.19.0'],
    ['an arbiter without a platform', { platformType: 'none', controlPlaneHosts: [ARBITER] }, '4.21.9', '4.22.0'],
  ])('of %s has a conflict up to the version that allows it', (_name, facts, version, since) => {
    expect(sentences(facts, { version })).toEqual([expect.stringContaining('cannot be used together with')]);
    expect(sentences(facts, { version: since })).toEqual([]);
  });

  it('lists a conflict for both features, whichever is shown', () => {
    const excluded = (id: FeatureId, version: string) => excludedBy(featureOf(id), version);
    expect([
      excluded('TNA', '4.21.0').includes('NONE_PLATFORM'),
      excluded('NONE_PLATFORM', '4.21.0').includes('TNA'),
    ]).toEqual([true, true]);
    expect([
      excluded('TNA', '4.22.0').includes('NONE_PLATFORM'),
      excluded('NONE_PLATFORM', '4.22.0').includes('TNA'),
    ]).toEqual([false, false]);
  });

  it('has the field that enables the conflicting feature', () => {
    const fields = checkFeatures({ ...METAL, networkType: 'OpenShiftSDN' }, PLACE).map(fieldOfConflict);
    expect(fields).toEqual(['network_type']);
    expect(checkFeatures(METAL, { version: '4.9.1', architecture: 'arm64' }).map(fieldOfConflict)).toEqual([
      'cpu_architecture',
    ]);
  });
});
