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

describe('the fencing section', () => {
  const fencing = { address: 'redfish://bmc', username: 'u', password: 'p', certificateVerification: 'Disabled' };
  const host = (hostname: string) =>
    ({ hostname, role: 'master', bootMacAddress: '02:00:00:00:00:01', isLegacyBoot: false, fencing }) as const;
  const fenced = { openshiftVersion: '4.21.0', hosts: ['a', 'b'].map(host) };

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
