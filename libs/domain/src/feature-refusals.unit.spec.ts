import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import { controlPlaneHostsOf, hostFeatureRefusal, infraEnvFeatureRefusal } from './feature-refusals';

const METAL: Plain<ClusterSettings> = {
  openshiftVersion: '4.20.3',
  cpuArchitecture: 'x86_64',
  platformType: 'baremetal',
  controlPlaneCount: 2,
};
const OLD = { ...METAL, openshiftVersion: '4.18.3' };
const ARBITER = { role: 'arbiter', hasFencingCredentials: false };
const FENCED = { role: 'master', hasFencingCredentials: true };
const cluster = (settings: Plain<ClusterSettings>) => ({ kind: 'Cluster', settings }) as const;

describe('hostFeatureRefusal', () => {
  it.each([
    ['an arbiter', ARBITER],
    ['fencing credentials', FENCED],
    ['no such feature', { role: 'worker', hasFencingCredentials: false }],
  ])('accepts %s that the cluster supports', (_what, host) =>
    expect(hostFeatureRefusal(host, cluster(METAL))).toBeUndefined(),
  );

  it.each([
    ['an arbiter in an old version', ARBITER, OLD, 'host_role'],
    ['an arbiter on another platform', ARBITER, { ...METAL, platformType: 'vsphere' }, 'host_role'],
    ['fencing in an old version', FENCED, OLD, 'fencing_credentials'],
    ['fencing on another platform', FENCED, { ...METAL, platformType: 'nutanix' }, 'fencing_credentials'],
  ])('refuses %s and names the field', (_what, host, settings, subject) => {
    expect(hostFeatureRefusal(host, cluster(settings))).toMatchObject({ code: 'invalid-input', subject });
  });

  it('does not check an imported cluster', () => {
    expect(hostFeatureRefusal(ARBITER, { kind: 'AddHostsCluster', settings: OLD })).toBeUndefined();
  });
});

describe('controlPlaneHostsOf', () => {
  it('returns masters and arbiters', () => {
    const hosts = (['auto-assign', 'master', 'arbiter', 'worker'] as const).map((role) => ({ role, settings: {} }));
    const fenced = { role: 'master', settings: { fencingCredentialsSet: true } } as const;
    expect(controlPlaneHostsOf([...hosts, fenced])).toEqual([
      { role: 'master', hasFencingCredentials: false },
      { role: 'arbiter', hasFencingCredentials: false },
      { role: 'master', hasFencingCredentials: true },
    ]);
  });
});

const OCI: Plain<ClusterSettings> = {
  openshiftVersion: '4.18.3',
  platformType: 'external',
  platformDetails: { external: { platform_name: 'oci' } },
  userManagedNetworking: true,
};
const METAL_4_18: Plain<ClusterSettings> = {
  openshiftVersion: '4.18.3',
  platformType: 'baremetal',
  userManagedNetworking: false,
};

describe('infraEnvFeatureRefusal', () => {
  it.each<[string, Plain<InfraEnvSettings>, Plain<ClusterSettings> | undefined]>([
    ['without a cluster', { openshiftVersion: '4.18' }, undefined],
    ['of arm64 machines', { openshiftVersion: '4.18', cpuArchitecture: 'aarch64' }, cluster(METAL_4_18).settings],
    ['that is minimal, on Oracle Cloud', { imageType: 'minimal-iso' }, OCI],
    ['without a version', { cpuArchitecture: 'arm64' }, undefined],
  ])('accepts an image %s', (_name, given, settings) => {
    expect(infraEnvFeatureRefusal(given, undefined, settings && cluster(settings))).toBeUndefined();
  });

  it.each<[string, Plain<InfraEnvSettings>, Plain<ClusterSettings> | undefined, string]>([
    [
      'for a version that does not support the architecture',
      { openshiftVersion: '4.9', cpuArchitecture: 'arm64' },
      undefined,
      'cpu_architecture',
    ],
    [
      'that is minimal for s390x',
      { openshiftVersion: '4.18', cpuArchitecture: 's390x', imageType: 'minimal-iso' },
      undefined,
      'image_type',
    ],
    ['that is full, on Oracle Cloud', {}, OCI, 'image_type'],
    [
      'of an architecture that the cluster does not support',
      { cpuArchitecture: 's390x' },
      METAL_4_18,
      'user_managed_networking',
    ],
  ])('refuses an image %s', (_name, given, settings, subject) => {
    expect(infraEnvFeatureRefusal(given, undefined, settings && cluster(settings))).toMatchObject({
      code: 'invalid-input',
      subject,
    });
  });

  it('does not check a day-2 cluster', () => {
    expect(infraEnvFeatureRefusal({}, undefined, { kind: 'AddHostsCluster', settings: OCI })).toBeUndefined();
  });

  it('checks only the changed fields of an existing image', () => {
    const before = { imageType: 'full-iso', cpuArchitecture: 'x86_64', name: 'a' };
    expect(infraEnvFeatureRefusal({ name: 'b' }, before, cluster(OCI))).toBeUndefined();
    const minimal = { ...before, imageType: 'minimal-iso' };
    expect(infraEnvFeatureRefusal({ imageType: 'full-iso' }, minimal, cluster(OCI))).toMatchObject({
      subject: 'image_type',
    });
  });
});
