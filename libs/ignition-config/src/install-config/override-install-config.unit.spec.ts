import { DOCUMENT_VALUES_MAX } from '../documents/values';
import { overrideInstallConfig, parseInstallConfigOverride } from './override-install-config';

describe('an override of the install-config', () => {
  const withPools = (count: number) =>
    parseInstallConfigOverride(JSON.stringify({ compute: Array.from({ length: count }, () => ({})) }));

  it('is refused when it has too many values', () => {
    expect(withPools(DOCUMENT_VALUES_MAX - 2).kind).toBe('parsed');
    for (const count of [DOCUMENT_VALUES_MAX - 1, 300_000])
      expect(withPools(count)).toMatchObject({
        reason: expect.stringContaining(`it has more than ${DOCUMENT_VALUES_MAX} values`) as string,
      });
  });

  it('may have long values', () => {
    expect(parseInstallConfigOverride(JSON.stringify({ sshKey: 'x'.repeat(1_000_000) })).kind).toBe('parsed');
  });

  it('changes nothing with null, except that it removes lists and optional sections', () => {
    const config = {
      pullSecret: '{}',
      fips: true,
      networking: { networkType: 'OVNKubernetes', serviceNetwork: ['172.30.0.0/16'] },
      controlPlane: { replicas: 3, hyperthreading: 'Disabled' },
      compute: [{ name: 'worker', replicas: 2 }],
      proxy: { httpProxy: 'http://proxy' },
    };
    const override = {
      pullSecret: null,
      fips: null,
      networking: null,
      controlPlane: { replicas: null, hyperthreading: 'Enabled' },
      compute: [{ name: null, replicas: 1 }],
      proxy: null,
      sshKey: null,
    };
    expect(overrideInstallConfig(config, JSON.stringify(override))).toEqual({
      kind: 'merged',
      config: {
        ...config,
        controlPlane: { replicas: 3, hyperthreading: 'Enabled' },
        compute: [{ name: 'worker', replicas: 1 }],
        proxy: null,
        sshKey: null,
      },
    });
    const withoutServices = overrideInstallConfig(config, '{"networking":{"serviceNetwork":null}}');
    expect(withoutServices).toMatchObject({
      config: { networking: { networkType: 'OVNKubernetes', serviceNetwork: null } },
    });
  });

  it.each([
    { fips: 'true' },
    { controlPlane: { replicas: '3' } },
    { compute: [{ replicas: '0x2' }] },
    { networking: { clusterNetworkMTU: '9000' } },
    { networking: { clusterNetwork: [{ hostPrefix: '23' }] } },
  ])('is refused with a text that the installer cannot read as a number or a flag: %j', (override) => {
    expect(parseInstallConfigOverride(JSON.stringify(override)).kind).toBe('refused');
  });
});
