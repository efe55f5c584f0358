import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import { infraEnvFeatureRefusal } from './features';

const OCI: Plain<ClusterSettings> = {
  openshiftVersion: '4.18.3',
  platformType: 'external',
  platformDetails: { external: { platform_name: 'oci' } },
  userManagedNetworking: true,
};
const METAL: Plain<ClusterSettings> = {
  openshiftVersion: '4.18.3',
  platformType: 'baremetal',
  userManagedNetworking: false,
};
const cluster = (settings: Plain<ClusterSettings>) => ({ kind: 'Cluster', settings }) as const;

describe('an image', () => {
  it.each<[string, Plain<InfraEnvSettings>, Plain<ClusterSettings> | undefined]>([
    ['of no cluster', { openshiftVersion: '4.18' }, undefined],
    ['of arm64 machines', { openshiftVersion: '4.18', cpuArchitecture: 'aarch64' }, cluster(METAL).settings],
    ['that is minimal, on Oracle Cloud', { imageType: 'minimal-iso' }, OCI],
    ['without a version', { cpuArchitecture: 'arm64' }, undefined],
  ])('%s is possible', (_name, given, settings) => {
    expect(infraEnvFeatureRefusal(given, undefined, settings && cluster(settings))).toBeUndefined();
  });

  it.each<[string, Plain<InfraEnvSettings>, Plain<ClusterSettings> | undefined, string]>([
    [
      'of a version without the architecture',
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
      'of an architecture that the cluster cannot be on',
      { cpuArchitecture: 's390x' },
      METAL,
      'user_managed_networking',
    ],
  ])('%s is refused', (_name, given, settings, subject) => {
    expect(infraEnvFeatureRefusal(given, undefined, settings && cluster(settings))).toMatchObject({
      code: 'invalid-input',
      subject,
    });
  });

  it('of a day-2 cluster is not compared with what can be installed', () => {
    expect(infraEnvFeatureRefusal({}, undefined, { kind: 'AddHostsCluster', settings: OCI })).toBeUndefined();
  });

  it('that is changed is asked about the change only', () => {
    const before = { imageType: 'full-iso', cpuArchitecture: 'x86_64', name: 'a' };
    expect(infraEnvFeatureRefusal({ name: 'b' }, before, cluster(OCI))).toBeUndefined();
    const minimal = { ...before, imageType: 'minimal-iso' };
    expect(infraEnvFeatureRefusal({ imageType: 'full-iso' }, minimal, cluster(OCI))).toMatchObject({
      subject: 'image_type',
    });
  });
});
