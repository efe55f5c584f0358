import { sampleInstallConfig } from '../install/sample-install.fixture.spec';
import { renderInstallConfig, toInstallConfigText } from './render-install-config';

describe('the proxy section', () => {
  const proxyOf = (noProxy: string) =>
    renderInstallConfig(sampleInstallConfig({ proxy: { httpProxy: 'http://proxy', httpsProxy: '', noProxy } }))[
      'proxy'
    ];

  it('has no blanks in noProxy, which the installer refuses', () => {
    const own = '.demo.example.com,10.128.0.0/14,172.30.0.0/16,192.0.2.0/24';
    expect(proxyOf(' a.example.com , ,192.0.2.0/24')).toEqual({
      httpProxy: 'http://proxy',
      noProxy: `a.example.com,192.0.2.0/24,${own.replace(',192.0.2.0/24', '')}`,
    });
    expect(proxyOf(' * ')).toMatchObject({ noProxy: '*' });
  });
});

describe('the SSH keys', () => {
  it.each([
    ['are absent when the text of a user is blank', '\n  \n', undefined],
    [
      'are those of the text, one per line',
      '\n ssh-ed25519 one\r\n\nssh-ed25519 two\n',
      'ssh-ed25519 one\nssh-ed25519 two',
    ],
  ])('%s', (_, sshPublicKey, sshKey) => {
    expect(renderInstallConfig(sampleInstallConfig({ sshPublicKey }))['sshKey']).toBe(sshKey);
  });
});

describe('the pools', () => {
  const poolsOf = (changes: Parameters<typeof sampleInstallConfig>[0]) => {
    const { arbiter, compute, controlPlane } = renderInstallConfig(sampleInstallConfig(changes));
    return { arbiter, compute, controlPlane };
  };

  it.each([
    ['', 'Enabled', 'Enabled', 'Enabled'],
    ['all', 'Enabled', 'Enabled', 'Enabled'],
    ['none', 'Disabled', 'Disabled', 'Disabled'],
    ['masters,arbiters', 'Enabled', 'Disabled', 'Enabled'],
    ['workers,arbiters', 'Disabled', 'Enabled', 'Enabled'],
    ['masters,workers', 'Enabled', 'Enabled', 'Disabled'],
  ])(
    'with hyperthreading "%s" are %s for masters, %s for workers and %s for arbiters',
    (hyperthreading, ...expected) => {
      const [masters, workers, arbiters] = expected;
      expect(poolsOf({ hyperthreading, controlPlaneCount: 2, arbiterCount: 1, cpuArchitecture: '' })).toEqual({
        controlPlane: { name: 'master', replicas: 2, hyperthreading: masters },
        compute: [{ name: 'worker', replicas: 2, hyperthreading: workers }],
        arbiter: { name: 'arbiter', replicas: 1, hyperthreading: arbiters },
      });
    },
  );

  it('have one of arbiters only in a cluster with arbiters', () => {
    expect(renderInstallConfig(sampleInstallConfig())).not.toHaveProperty('arbiter');
  });

  it.each([
    ['x86_64', 'amd64'],
    ['aarch64', 'arm64'],
    ['arm64', 'arm64'],
    ['ppc64le', 'ppc64le'],
    ['s390x', 's390x'],
  ])('of machines with %s have the architecture %s', (cpuArchitecture, architecture) => {
    expect(poolsOf({ cpuArchitecture, arbiterCount: 1 })).toMatchObject({
      controlPlane: { architecture },
      compute: [{ architecture }],
      arbiter: { architecture },
    });
  });
});

describe('the network type of a cluster with a plug-in of the user', () => {
  const typeOf = (isUserManagedNetworking: boolean) => {
    const platform = { ...sampleInstallConfig().platform, isUserManagedNetworking };
    return renderInstallConfig(sampleInstallConfig({ networkType: 'None', platform }))['networking'];
  };

  it('is empty on bare metal', () => {
    expect(typeOf(false)).toMatchObject({ networkType: '' });
  });

  it('is kept on other platforms', () => {
    expect(typeOf(true)).toMatchObject({ networkType: 'None' });
  });
});

describe('the fencing section', () => {
  const fencing = { address: 'redfish://bmc', username: 'u', password: 'p', certificateVerification: 'Disabled' };
  const host = (hostname: string) =>
    ({ hostname, role: 'master', bootMacAddress: '02:00:00:00:00:01', isLegacyBoot: false, fencing }) as const;
  const fenced = { openshiftVersion: '4.21.0', hosts: ['a', 'b'].map(host) };

  it('contains control plane nodes only', () => {
    const worker = { ...host('c'), role: 'worker' } as const;
    const plain = { ...host('d'), fencing: undefined };
    const hosts = [worker, plain, ...fenced.hosts];
    expect(renderInstallConfig(sampleInstallConfig({ ...fenced, hosts, controlPlaneCount: 2 }))).toHaveProperty(
      'controlPlane.fencing.credentials',
      ['a', 'b'].map((hostname) => ({ hostname, ...fencing })),
    );
  });

  it.each([
    ['4.21.9', 'TechPreviewNoUpgrade'],
    ['4.22.0', undefined],
    ['4.23.1', undefined],
  ])('of %s has the feature set %s', (openshiftVersion, featureSet) => {
    const config = renderInstallConfig(sampleInstallConfig({ ...fenced, openshiftVersion, controlPlaneCount: 2 }));
    expect(config).toHaveProperty('controlPlane.fencing');
    expect(config['featureSet']).toBe(featureSet);
  });

  it.each([
    ['two nodes and an arbiter', { controlPlaneCount: 2, arbiterCount: 1 }],
    ['three control plane nodes', { controlPlaneCount: 3 }],
  ])('is absent in a cluster of %s, also when hosts have credentials', (_, counts) => {
    const config = renderInstallConfig(sampleInstallConfig({ ...fenced, ...counts }));
    expect(config).not.toHaveProperty('controlPlane.fencing');
    expect(config).not.toHaveProperty('featureSet');
  });
});

it.each(['baremetal', 'vsphere'])('a user-managed load balancer is named in the section of %s', (type) => {
  const sample = sampleInstallConfig();
  const config = (isUserManagedLoadBalancer: boolean) =>
    renderInstallConfig({ ...sample, platform: { ...sample.platform, type, isUserManagedLoadBalancer } });
  expect(config(true)).toHaveProperty(`platform.${type}.loadBalancer`, { type: 'UserManaged' });
  expect(config(false)).not.toHaveProperty(`platform.${type}.loadBalancer`);
});

describe('the platform section', () => {
  type Input = Parameters<typeof renderInstallConfig>[0];
  const platformOf = (changes: Partial<Input>, platform: Partial<Input['platform']> = {}) => {
    const sample = sampleInstallConfig(changes);
    return renderInstallConfig({ ...sample, platform: { ...sample.platform, ...platform } })['platform'];
  };

  it.each([
    ['4.6.60', 'Unmanaged'],
    ['4.7.0', 'Disabled'],
    ['', 'Disabled'],
  ])('of bare metal in version "%s" has the provisioning network %s', (openshiftVersion, provisioningNetwork) => {
    expect(platformOf({ openshiftVersion })).toMatchObject({ baremetal: { provisioningNetwork } });
  });

  it.each([
    ['4.11.59', { apiVIP: '192.0.2.100', ingressVIP: '192.0.2.101' }],
    ['4.12.0', { apiVIP: undefined, ingressVIP: undefined }],
  ])('of %s has single addresses only before dual stack', (openshiftVersion, { apiVIP, ingressVIP }) => {
    const { baremetal } = platformOf({ openshiftVersion }) as { baremetal: Record<string, unknown> };
    expect([baremetal['apiVIP'], baremetal['ingressVIP']]).toEqual([apiVIP, ingressVIP]);
  });

  it.each([
    ['4.12.99', 'vCenter', 'failureDomains'],
    ['4.13.0', 'failureDomains', 'vCenter'],
  ])('of vSphere in version %s has %s and not %s', (openshiftVersion, present, absent) => {
    const platform = platformOf({ openshiftVersion }, { type: 'vsphere' });
    expect(platform).toHaveProperty(`vsphere.${present}`);
    expect(platform).not.toHaveProperty(`vsphere.${absent}`);
  });

  it('of a single node on an external platform is external', () => {
    const platform = platformOf({ controlPlaneCount: 1 }, { type: 'external', externalName: 'oci' });
    expect(platform).toEqual({ external: { PlatformName: 'oci' } });
  });

  it.each(['vsphere', 'nutanix'])('of %s keeps the platform when users manage the network', (type) => {
    expect(Object.keys(platformOf({}, { type, isUserManagedNetworking: true }) ?? {})).toEqual([type]);
  });
});

describe('the text of an install-config', () => {
  it('has escapes for the characters that YAML refuses or reads as a line break', () => {
    const config = { sshKey: 'ssh-ed25519 AAAA J\u00f6rg\u00e2\u0080\u0099s \u{1f5dd} \u007f\u0085\u2028\ufeff\uffff' };
    const text = toInstallConfigText(config);
    expect(text).toBe(
      '{"sshKey":"ssh-ed25519 AAAA J\u00f6rg\u00e2\\u0080\\u0099s \u{1f5dd} \\u007f\\u0085\\u2028\\ufeff\\uffff"}',
    );
    expect(JSON.parse(text)).toEqual(config);
  });
});
