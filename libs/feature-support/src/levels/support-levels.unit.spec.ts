import type { FeatureId } from '../feature';
import { featureOf, FEATURES } from '../features/feature.table';
import { architectureLevels, detailedFeatures, featureLevel, featureLevels, type SupportQuery } from './support-levels';

const X86: SupportQuery = { version: '4.18.52', architecture: 'x86_64' };

const LEVELS: readonly (readonly [FeatureId, Partial<SupportQuery>, string, string?])[] = [
  ['SNO', {}, 'supported'],
  ['SNO', { platform: 'vsphere' }, 'unavailable', 'platform'],
  ['SNO', { architecture: 's390x', version: '4.12.3' }, 'unavailable', 'cpuArchitecture'],
  ['SNO', { architecture: 'ppc64le', version: '4.13.3' }, 'dev-preview'],
  ['SNO', { architecture: 's390x', version: '4.14' }, 'supported'],
  ['SNO', { architecture: 's390x', version: '5.13.0' }, 'supported'],
  ['SNO', { version: '4.13.3' }, 'supported'],
  ['TNA', {}, 'unavailable', 'openshiftVersion'],
  ['TNA', { version: '4.19.2' }, 'tech-preview'],
  ['TNA', { version: '4.20.0-ec.1' }, 'supported'],
  ['TNA', { version: '4.21', platform: 'none' }, 'unavailable', 'platform'],
  ['TNA', { version: '4.22', platform: 'none' }, 'supported'],
  ['TNA', { version: '4.22', platform: 'external' }, 'unavailable', 'platform'],
  ['TNF', { version: '4.19' }, 'unavailable', 'openshiftVersion'],
  ['TNF', { version: '4.21' }, 'tech-preview'],
  ['TNF', { version: '4.22' }, 'supported'],
  ['SINGLE_NODE_EXPANSION', { version: '4.10.67' }, 'unavailable', 'openshiftVersion'],
  ['MINIMAL_ISO', { architecture: 's390x' }, 'unavailable', 'cpuArchitecture'],
  ['FULL_ISO', { platform: 'external' }, 'supported'],
  ['FULL_ISO', { platform: 'external', externalPlatformName: 'oci' }, 'unavailable', 'ociExternalIntegrationDisabled'],
  ['FULL_ISO', { platform: 'none', externalPlatformName: 'oci' }, 'supported'],
  ['NON_STANDARD_HA_CONTROL_PLANE', { version: '4.17' }, 'unavailable', 'openshiftVersion'],
  ['NON_STANDARD_HA_CONTROL_PLANE', { architecture: 'multi' }, 'unavailable', 'cpuArchitecture'],
  ['VIP_AUTO_ALLOC', {}, 'unavailable', 'openshiftVersion'],
  ['VIP_AUTO_ALLOC', { version: '4.14.9' }, 'dev-preview'],
  ['VIP_AUTO_ALLOC', { version: '' }, 'dev-preview'],
  ['VIP_AUTO_ALLOC', { version: 'newest' }, 'unavailable', 'openshiftVersion'],
  ['CLUSTER_MANAGED_NETWORKING', { architecture: 'arm64', version: '4.10.1' }, 'unavailable', 'cpuArchitecture'],
  ['CLUSTER_MANAGED_NETWORKING', { architecture: 'aarch64', version: '4.11' }, 'supported'],
  ['USER_MANAGED_LOAD_BALANCER', { version: '4.15.9' }, 'unavailable', 'openshiftVersion'],
  ['DUAL_STACK_PRIMARY_IPV6', {}, 'tech-preview'],
  ['DUAL_STACK_VIPS', { version: 'newest' }, 'unavailable', 'openshiftVersion'],
  ['SDN_NETWORK_TYPE', { version: '4.15.0' }, 'unavailable', 'openshiftVersion'],
  ['SDN_NETWORK_TYPE', { version: '4.14.38' }, 'supported'],
  ['PLATFORM_MANAGED_NETWORKING', { platform: 'baremetal' }, 'unsupported', 'platform'],
  ['PLATFORM_MANAGED_NETWORKING', { platform: 'none' }, 'supported'],
  ['NUTANIX_INTEGRATION', { version: '4.11.9' }, 'dev-preview'],
  ['EXTERNAL_PLATFORM', { version: 'newest' }, 'unavailable', 'openshiftVersion'],
  ['EXTERNAL_PLATFORM_OCI', { version: 'newest' }, 'supported'],
  ['EXTERNAL_PLATFORM_OCI', { version: '4.13' }, 'unavailable', 'openshiftVersion'],
  ['LVM', { version: '4.11' }, 'dev-preview'],
  ['LVM', { version: '5.11.0' }, 'supported'],
  ['CNV', {}, 'supported'],
  ['CNV', { architecture: 'arm64' }, 'dev-preview'],
  ['CNV', { architecture: 'arm64', version: '4.13' }, 'unavailable', 'cpuArchitecture'],
  ['NMSTATE', { platform: 'external' }, 'unavailable', 'platform'],
  ['LOKI', { version: '4.16' }, 'unavailable', 'openshiftVersion'],
  ['SELF_NODE_REMEDIATION', {}, 'tech-preview'],
];

describe('level of a feature', () => {
  for (const [id, query, level, reason] of LEVELS)
    it(`${id} with ${JSON.stringify(query)} is ${level}`, () => {
      expect(featureLevel(featureOf(id), { ...X86, ...query })).toEqual(reason ? { level, reason } : { level });
    });
});

describe('list of features', () => {
  it('omits platforms when the query contains one, and platform-managed networking when it contains none', () => {
    const named = featureLevels({ ...X86, platform: 'baremetal' });
    expect(named).not.toHaveProperty('VSPHERE_INTEGRATION');
    expect(named).toHaveProperty('PLATFORM_MANAGED_NETWORKING', 'unsupported');
    const unnamed = featureLevels(X86);
    expect(unnamed).toHaveProperty('VSPHERE_INTEGRATION', 'supported');
    expect(unnamed).not.toHaveProperty('PLATFORM_MANAGED_NETWORKING');
    expect(Object.keys(unnamed)).toHaveLength(FEATURES.length - 1);
  });

  it('has only unavailable features on an architecture that the version does not support', () => {
    const levels = featureLevels({ version: '4.9.59', architecture: 'arm64', platform: 'baremetal' });
    expect(Object.keys(levels)).toHaveLength(FEATURES.length);
    expect(new Set(Object.values(levels))).toEqual(new Set(['unavailable']));
  });
});

describe('architectures', () => {
  it('that are not in the table have no feature', () => {
    const levels = featureLevels({ version: '4.18.3', architecture: 'riscv64' });
    expect(new Set(Object.values(levels))).toEqual(new Set(['unavailable']));
    expect(detailedFeatures({ version: '4.18.3', architecture: 'riscv64' })).toMatchObject({
      kind: 'refused',
      refusal: { subject: 'cpu_architecture' },
    });
  });

  it.each([
    ['4.9', ['supported', 'unavailable', 'unavailable', 'unavailable', 'unavailable']],
    ['4.12.4', ['supported', 'supported', 'tech-preview', 'tech-preview', 'tech-preview']],
    ['4.18', ['supported', 'supported', 'supported', 'supported', 'tech-preview']],
    ['newest', ['supported', 'unavailable', 'unavailable', 'unavailable', 'unavailable']],
  ])('of version %s', (version, [x86, arm, s390x, ppc, multi]) => {
    expect(architectureLevels(version)).toEqual({
      X86_64_ARCHITECTURE: x86,
      ARM64_ARCHITECTURE: arm,
      S390X_ARCHITECTURE: s390x,
      PPC64LE_ARCHITECTURE: ppc,
      MULTIARCH_RELEASE_IMAGE: multi,
    });
  });
});

describe('detailed list of features', () => {
  const listed = (query: Partial<SupportQuery>) => {
    const answer = detailedFeatures({ ...X86, ...query });
    if (answer.kind === 'refused') throw new Error(answer.refusal.reason);
    return new Map(answer.features.map((feature) => [feature.id, feature]));
  };

  it('reports what excludes a feature in the version, without unlisted features', () => {
    expect(listed({}).get('SNO')?.incompatibilities).toContain('DUAL_STACK_PRIMARY_IPV6');
    expect(listed({ version: '4.19' }).get('SNO')?.incompatibilities).not.toContain('DUAL_STACK_PRIMARY_IPV6');
    expect(listed({}).get('SNO')?.incompatibilities).toContain('VSPHERE_INTEGRATION');
    expect(listed({ platform: 'none' }).get('SNO')?.incompatibilities).not.toContain('VSPHERE_INTEGRATION');
    expect(listed({}).get('BAREMETAL_PLATFORM')?.incompatibilities).toEqual(['USER_MANAGED_NETWORKING']);
  });

  it('contains the name of the operator of a feature', () => {
    expect(listed({}).get('ODF')?.operator).toBe('odf');
    expect(listed({}).get('SNO')?.operator).toBeUndefined();
  });

  it.each([
    [{ version: 'newest' }, 'openshift_version'],
    [{ version: '' }, 'openshift_version'],
    [{ version: '4.11', architecture: 's390x' }, 'cpu_architecture'],
    [{ version: '4.10', platform: 'nutanix' }, 'platform_type'],
    [{ architecture: 'ppc64le', platform: 'vsphere' }, 'platform_type'],
    [{ version: '4.13', platform: 'external', externalPlatformName: 'oci' }, 'platform_type'],
  ])('is refused for %j with field %s', (query, subject) => {
    expect(detailedFeatures({ ...X86, ...query })).toMatchObject({
      kind: 'refused',
      refusal: { code: 'invalid-input', subject },
    });
  });
});
